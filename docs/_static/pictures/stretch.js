// Lesson 13: the pairs of a head of 128 numbers, trained to a length and read to a longer one.
import { along, bar, end, frequencies, line, middle, range, spaced, text, word } from "./shared.js";

const HEAD = 128;
const CLIP = "clip the distance"; // no key is further back than in training
const clipped = (share) => Math.min(Math.max(share, 0), 1);

export function stretched(rule, factor, trained, base) {
  const original = frequencies(HEAD, base);
  if (rule === "NTK-aware") return frequencies(HEAD, base * factor ** (HEAD / (HEAD - 2)));
  const pairOf = (turns) => (HEAD * Math.log(trained / (2 * Math.PI * turns))) / (2 * Math.log(base));
  const kept = {
    none: () => 1,
    "clip the distance": () => 1,
    "position interpolation": () => 0,
    YaRN: (_, k) => {
      const [first, last] = [Math.max(Math.floor(pairOf(32)), 0), Math.min(Math.ceil(pairOf(1)), HEAD - 1)];
      return 1 - clipped((k - first) / (last === first ? 0.001 : last - first));
    },
    "by parts": (omega) => clipped(((trained * omega) / (2 * Math.PI) - 1) / (4 - 1)),
  }[rule];
  return original.map((omega, k) => kept(omega, k) * omega + ((1 - kept(omega, k)) * omega) / factor);
}

const TALL = 72; // of a whole turn
const [STRIP, LOW] = [45, 92]; // where the bar of lengths is, and where the pairs begin
export const height = TALL + LOW + 111;
export const knobs = [
  { name: "trained", label: "trained on", min: 8, max: 14, value: 12, shown: (n) => spaced(2 ** n) },
  { name: "factor", label: "text", min: 0, max: 5, value: 2, shown: (n) => (n ? `${2 ** n} times longer` : "as long") },
  { name: "rule", label: "rule", choices: ["none", "position interpolation", "by parts", "clip the distance", "NTK-aware", "YaRN"], value: "none" },
  { name: "base", label: "base", choices: ["10000", "500000"], value: "10000", shown: (base) => spaced(Number(base)) },
];

export function numbers({ trained, factor, rule, base }) {
  const [length, times] = [2 ** trained, 2 ** factor];
  const before = frequencies(HEAD, Number(base)).map((omega) => omega * length);
  const now = stretched(rule, times, length, Number(base));
  const open = before.filter((angle) => angle < 2 * Math.PI).length;
  const unseen = now.filter((omega, k) => rule !== CLIP && before[k] < 2 * Math.PI && omega * length * times > before[k] * (1 + 1e-9)).length;
  const slowed = now.map((omega, k) => (before[k] / length) / omega);
  return { frequencies: now, open, unseen, slowed };
}

// On a scale of powers of two: the end of what was trained, and the end of the text.
const place = (power) => 10 + (380 * (power - 8)) / 11;
const ends = ({ trained, factor }) => [trained, trained + factor].map(place);
const beside = (x) => (x < 90 ? "" : x > 310 ? end : middle);

export function grasp([x, y], values) {
  if (y > STRIP + 25) return null;
  const [seen, all] = ends(values);
  if (x < (seen + all) / 2 && x < all - 1) return along("trained", [10, 390], [8, 19]);
  return (point) => ({ factor: Math.max(along("end", [10, 390], [8, 19])(point).end - values.trained, 0) });
}

export function draw({ frequencies: now, slowed }, { trained, factor, rule, base }) {
  const length = 2 ** trained;
  const most = Math.max(2 ** factor, 2);
  const [seen, all] = ends({ trained, factor });
  const strip = bar(10, STRIP, seen - 10, 10, "first") + bar(seen, STRIP, all - seen, 10, "second")
    + [["first", seen], ["second", all]].map(([kind, x]) => `<circle class="grip hand ${kind}" cx="${x.toFixed(1)}" cy="${STRIP + 5}" r="8"/>`).reverse().join("")
    + text(all, 14, `the text: ${spaced(length * 2 ** factor)}`, `class="second" ${beside(all)}`) + text(seen, 31, `trained on ${spaced(length)}`, `class="first" ${beside(seen)}`)
    + [8, 12, 16].map((power) => text(place(power), STRIP + 32, spaced(2 ** power), power > 8 ? middle : "")).join("") + text(390, STRIP + 32, "tokens", end);
  const [turn, low] = [15 + TALL, TALL + 91]; // where a whole turn begins, and how much each pair is slowed down
  const lower = text(10, low - 34, `how much slower a pair turns, from 1 to ${most} times`) + [30, 30 / most].map((up) => line([[10, low - up], [390, low - up]], "faint")).join("")
      + text(394, low - 26, most) + text(394, low - 30 / most + 4, "1") + text(10, low + 15, `pair 0: ${slower(slowed[0])}`) + text(390, low + 15, `pair 63: ${slower(slowed.at(-1))}`, end);
  return strip + `<g transform="translate(0 ${LOW})">` + range(HEAD / 2).map((k) => {
    const x = 10 + (380 * k) / 64;
    const seen = (length * frequencies(HEAD, Number(base))[k]) / (2 * Math.PI);
    const reached = (length * (rule === CLIP ? 1 : 2 ** factor) * now[k]) / (2 * Math.PI);
    const [mine, all] = [clipped(seen), clipped(reached)].map((turns) => TALL * turns);
    return bar(x, turn - all, 5, all - mine, "second") + bar(x, turn - mine, 5, mine, "first")
      + bar(x, low - (30 * slowed[k]) / most, 5, (30 * slowed[k]) / most, "faint solid");
  }).join("") + text(10, 11, "share of a turn at the last token (the line: a whole turn)") + line([[10, 15], [390, 15]], "faint") + text(10, turn + 15, "pair 0, the fastest") + text(390, turn + 15, "pair 63, the slowest", end)
    + lower + "</g>";
}

const slower = (by) => (by < 1.005 ? "as fast as before" : `${spaced(by)} times slower`);

// What near tokens lose, or far ones.
function price(slowed, { rule, trained, factor }) {
  if (rule === CLIP) return `Price: keys further back than ${spaced(2 ** trained)} all seem equally far, and every score is computed twice.`;
  if (!factor || slowed.at(-1) === 1) return "No pair is slowed down.";
  if (slowed[0] > 1) return `Price: every pair is slowed down by ${spaced(slowed[0])}, so neighbours differ ${spaced(slowed[0])} times less than in training.`;
  const fast = slowed.filter((by) => by < 1.005).length;
  return `Price: only ${fast > 1 ? `the ${fast} fastest pairs turn` : "the fastest pair turns"} as in training. The others are slower, the last one by ${spaced(slowed.at(-1))}, and tell near tokens apart less well.`;
}

// What the text above the picture does not say of a rule.
const ABOUT = {
  [CLIP]: "A key that is further back than in training is rotated as if it were just at that distance, so the bars stop there. ",
  "NTK-aware": "NTK-aware raises the base, so that the slowest pair is slowed down by the whole factor, and faster ones by less. ",
  YaRN: "YaRN is <em>by parts</em> with 32 turns for “many”. (It also makes the scores larger, see <em>Further</em>.) ",
};

export function words({ open, unseen, slowed }, values) {
  const orange = word("were never there", "second");
  const still = values.rule === "none" || !values.factor ? `${unseen || "none"} of these show${unseen === 1 ? "s" : ""} angles that ${orange}`
    : unseen ? `with this rule ${unseen} of these still show${unseen === 1 ? "s" : ""} angles that ${orange}` : `with this rule none of these shows angles that ${orange}`;
  return `${ABOUT[values.rule] ?? ""}${open} of 64 pairs make${open === 1 ? "s" : ""} less than a turn ${word("in training", "first")}; ${still}. ${price(slowed, values)}`;
}
