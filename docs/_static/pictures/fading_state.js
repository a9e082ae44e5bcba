// Lesson 16: what is left of each word in a state, for one gate of all words and one of the full stop.
import { bar, line, middle, range, spaced, text, word } from "./shared.js";

const WORDS = "the cat sat down . the dog ran after it".split(" ");
const [WIDE, FLOOR, TALL] = [39, 96, 82];
const DIALS = { gate: { x: 104, said: "every word" }, stop: { x: 292, said: "the full stop" } };
const [LOW, RADIUS, HAND] = [188, 36, 22]; // a hand ends far enough from the scale that its grip leaves 0 and 1 free
const SWEEP = 1.5 * Math.PI; // from 0, at the bottom left, clockwise to 1

export const height = 246;
export const knobs = [
  { name: "at", label: "words read", min: 1, max: WORDS.length, value: WORDS.length },
  { name: "gate", label: "word gate", min: 0.01, max: 1, step: 0.01, value: 0.95 },
  { name: "stop", label: "stop gate", min: 0.01, max: 1, step: 0.01, value: 0.15 },
];
const FIRST = Object.fromEntries(knobs.map(({ name, value }) => [name, value]));
const turned = new Set(); // the gates that the reader has moved

export const button = "Read the words";
export const walk = "at";

export function numbers({ at, gate, stop }) {
  const gates = WORDS.map((word) => (word === "." ? stop : gate));
  const left = range(at).map((n) => gates.slice(n + 1, at).reduce((one, other) => one * other, 1));
  return { left, slope: -Math.log(gate), half: Math.log(0.5) / Math.log(gate) };
}

export function grasp([x, y]) {
  const [name, dial] = Object.entries(DIALS).find(([, one]) => Math.hypot(x - one.x, y - LOW) < RADIUS + 12) ?? [];
  if (dial) {
    return ([toX, toY]) => {
      const turned = Math.atan2(toX - dial.x, LOW - toY) / SWEEP + 0.5; // 0 at the bottom left
      return { [name]: Math.min(Math.max(turned, 0.01), 1).toFixed(2) };
    };
  }
  return y > FLOOR + 22 ? null : ([to]) => ({ at: Math.min(Math.max(Math.ceil((to - 5) / WIDE), 1), WORDS.length) });
}

export function draw({ left }, values) {
  for (const name of ["gate", "stop"]) if (Number(values[name]) !== FIRST[name]) turned.add(name);
  const bars = WORDS.map((word, n) => {
    const x = 5 + WIDE * n;
    const tall = TALL * (left[n] ?? 0);
    return bar(x + 5, FLOOR - TALL, WIDE - 10, TALL, "box") + bar(x + 5, FLOOR - tall, WIDE - 10, tall, word === "." ? "second" : "first")
      + text(x + WIDE / 2, FLOOR + 16, word, `${middle} class="${n < values.at ? "read" : "to-come"}"`);
  });
  const dials = Object.entries(DIALS).map(([name, { x, said }]) => {
    const angle = (values[name] - 0.5) * SWEEP;
    const tip = [x + HAND * Math.sin(angle), LOW - HAND * Math.cos(angle)];
    const scale = [["0", 0], ["½", 0.5], ["1", 1]].map(([said, share]) => {
      const [across, up] = [Math.sin((share - 0.5) * SWEEP), Math.cos((share - 0.5) * SWEEP)];
      return line([0, 5].map((far) => [x + (RADIUS + far) * across, LOW - (RADIUS + far) * up]), "ink") + text(x + (RADIUS + 13) * across, LOW + 4 - (RADIUS + 11) * up, said, middle);
    });
    return `<circle class="faint hand" cx="${x}" cy="${LOW}" r="${RADIUS}"/>` + scale.join("") + line([[x, LOW], tip], name === "gate" ? "first" : "second")
      + `<circle class="grip hand ${name === "gate" ? "first" : "second"}" cx="${tip[0].toFixed(1)}" cy="${tip[1].toFixed(1)}" r="7"/>`
      + text(x, LOW + 56, `${said}: ${spaced(Number(values[name]))}`, `${middle} class="${name === "gate" ? "first" : "second"}"`);
  });
  return bars.join("") + dials.join("");
}

const part = (share) => (share < 0.001 ? "almost nothing" : `${spaced(100 * share)} %`);
const cat = (gate, stop) => part(numbers({ ...FIRST, gate, stop }).left[1]);
const VERDICT = `<strong>At the start, it was the full stop.</strong> With its gate at 1, the state would have kept ${cat(FIRST.gate, 1)} of “cat” then. With the word gate at 1, it would have kept ${cat(1, FIRST.stop)}.`;

const called = (word) => (word === "." ? "the full stop" : `“${word}”`);
const after = (half) => (half < 0.995 ? "less than half of a word is left after 1 word" : spaced(half) === "1" ? "half of a word is left after 1 word" : `half of a word is left after about ${Math.round(half)} word${half < 1.5 ? "" : "s"}`);

export function words({ left, slope, half }, { at, gate, stop }) {
  const read = at < 2 ? "The state has one word, and keeps all of it. "
    : `When ${called(WORDS[at - 1])} is read, the state keeps ${part(left[at - 2])} of ${called(WORDS[at - 2])}${at > 3 ? ` and ${part(left[1])} of “cat”` : ""}. `;
  const now = gate < 1 ? `Where every gate is ${spaced(gate)}, ${after(half)}${turned.size > 1 ? "" : `, as with ALiBi of slope ${spaced(slope)}`}.`
    : stop < 1 ? "At a word gate of 1, only the full stop makes words fade." : "With both gates at 1 no word fades, and the state can't tell old from new.";
  return read + now + (turned.size > 1 ? `<br>${VERDICT}` : ""); // about the start, so on a line of its own
}
