// Lesson 18: the hands of HunyuanVideo's time, 8 pairs of base 256, one position to every four frames.
import { along, bar, end, frequencies, line, middle, narrow, range, spaced, text, word } from "./shared.js";

const [LAST, EVERY] = [420, 4]; // frames
const [LEFT, WIDE] = [10, 380];
const TURN = 2 * Math.PI;

export const height = 216;
export const knobs = [
  { name: "frame", label: "frame", min: 0, max: LAST, value: 130 },
  { name: "trained", label: "trained up to", min: 33, max: 257, step: 4, value: 129 },
  { name: "slower", label: "slow it down", value: false },
];

export const button = "Play the film";
export const walk = "frame";

// A pair decides when it is the first to come round after the training; RIFLEx slows it down to less than a turn.
export function numbers({ frame, trained, slower }) {
  const periods = frequencies(16, 256).map((omega) => (EVERY * TURN) / omega);
  const decides = periods.findIndex((period) => period > trained);
  const loop = decides < 0 || periods[decides] > LAST ? null : periods[decides];
  if (slower && loop) periods[decides] = LAST * 1.2;
  const turns = periods.map((period) => frame / period);
  const back = (period) => frame >= Math.floor(period);
  // A head looks at the frames before and after, so a hand has shown both directions.
  const beyond = (period) => Math.min((frame / period) % 1, 1 - ((frame / period) % 1)) > trained / period;
  const kinds = periods.map((period) => (trained >= period ? "known" : back(period) ? "again" : beyond(period) ? "new" : "known"));
  return { periods, turns, kinds, decides, loop };
}

const x = (frame) => LEFT + (WIDE * frame) / LAST;
const dial = (k) => [48 + 101 * (k % 4), 88 + 78 * Math.floor(k / 4)];
const RADIUS = 27;

export function grasp([at, y], { trained }) {
  if (y > 44) return null;
  return Math.abs(at - x(trained)) < 10 && y > 24 ? along("trained", [LEFT, LEFT + WIDE], [0, LAST]) : along("frame", [LEFT, LEFT + WIDE], [0, LAST]);
}

// What a hand has shown, forwards and back.
function sector([cx, cy], turns, kind) {
  const half = TURN * Math.min(turns, 0.49999);
  const [aside, toY] = [RADIUS * Math.sin(half), cy - RADIUS * Math.cos(half)];
  return `<path class="${kind}" d="M${cx} ${cy}L${(cx - aside).toFixed(2)} ${toY.toFixed(2)}A${RADIUS} ${RADIUS} 0 ${half > Math.PI / 2 ? 1 : 0} 1 ${(cx + aside).toFixed(2)} ${toY.toFixed(2)}Z"/>`;
}

export function draw({ periods, turns, kinds, decides, loop }, { frame, trained, slower }) {
  const film = bar(x(0), 24, x(trained) - x(0), 14, "first") + bar(x(trained), 24, x(LAST) - x(trained), 14, "faint solid")
    + range(42).map((n) => bar(x(10 * n) + 3, 28, 4, 6, "hole")).join("")
    + text(LEFT, 54, "training", 'class="first"') + text(LEFT + WIDE, 54, `frame ${LAST}`, end)
    + text(loop ? x(loop) : 0, 54, loop && !slower ? "it starts again" : "", `${middle} class="second"`)
    + line([[loop ? x(loop) : 0, 22], [loop ? x(loop) : 0, 42]], loop && !slower ? "second" : "none")
    + line([[x(frame), 20], [x(frame), 42]], "ink") + `<circle class="grip hand ink" cx="${x(frame).toFixed(1)}" cy="17" r="7"/>`
    + text(Math.min(Math.max(x(frame), 30), 360) + (frame > 340 ? -26 : 26), 14, frame, middle);
  return film + periods.map((period, k) => {
    const [cx, cy] = dial(k);
    const angle = TURN * turns[k];
    const kind = { known: "ink", new: "second", again: "second" }[kinds[k]];
    return sector([cx, cy], trained / period, "wedge") + `<circle class="${k === decides && loop ? "second" : "faint"}" cx="${cx}" cy="${cy}" r="${RADIUS}"/>`
      + line([[cx, cy], [cx + RADIUS * Math.sin(angle), cy - RADIUS * Math.cos(angle)]], kind)
      + text(cx, cy + RADIUS + 13, `${spaced(period)}${k ? "" : narrow() ? " frames" : " frames a turn"}`, `${middle} class="${k === decides && loop ? "second" : ""}"`);
  }).join("");
}

export function words({ periods, kinds, decides, loop }, { frame, slower }) {
  const fresh = kinds.filter((kind) => kind === "new").length;
  const first = `The number below a hand says in how many frames it goes round. Blue is what the hand showed ${word("in training", "first")}, forwards and back. At frame ${frame}, ${fresh || "no"} hand${fresh === 1 ? "" : "s"} ${fresh === 1 ? "is" : "are"} at an angle that was ${word("never there", "second")}. `;
  if (!loop) return `${first}No hand comes round for the first time after the training in ${LAST} frames.`;
  const which = `Pair ${decides} `;
  return first + (slower ? `${which}now needs ${spaced(periods[decides])} frames, so it does not come back within the film.`
    : kinds[decides] === "again" ? `${which}has come back to its start for the first time, at frame ${Math.ceil(loop - 0.5)}. The film starts again.`
    : `${which}comes back for the first time at frame ${Math.ceil(loop - 0.5)}.`);
}
