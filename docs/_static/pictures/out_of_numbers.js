// Lesson 21: nine positions and the numbers that a format of few digits has for them.
import { along, bar, end, line, middle, range, spaced, text, word } from "./shared.js";

const FORMATS = { float64: [53, Infinity], float32: [24, 3.4e38], float16: [11, 65504], bfloat16: [8, 3.3e38] };

export function kept(number, bits) {
  if (!number) return 0;
  const step = 2 ** (Math.floor(Math.log2(number)) - bits + 1);
  const [low, rest] = [Math.floor(number / step), (number / step) % 1];
  return step * (rest > 0.5 || (rest === 0.5 && low % 2) ? low + 1 : low); // a tie goes to the even one
}

export const height = 176;
export const knobs = [
  { name: "power", label: "position", min: 0, max: 6, step: 0.01, value: 3.01, shown: (power) => spaced(Math.round(10 ** power)) },
  { name: "format", label: "format", choices: Object.keys(FORMATS), value: "bfloat16" },
];

export function numbers({ power, format }) {
  const [bits, largest] = FORMATS[format];
  const position = Math.round(10 ** power);
  const stored = kept(position, bits);
  const step = Math.max(2 ** (Math.floor(Math.log2(position)) - bits + 1), 1);
  const around = range(9).map((n) => Math.max(position, 4) + n - 4).map((one) => [one, kept(one, bits)]);
  return { position, stored: stored > largest ? null : stored, step, first: 2 ** bits + 1, off: Math.abs(stored - position), around, largest };
}

export const grasp = () => ([x]) => ({ power: along("at", [10, 390], [0, 600])([x]).at / 100 });

export function draw({ position, around, largest }, { power }) {
  const at = 10 + (380 * power) / 6;
  const scale = line([[10, 34], [390, 34]], "faint") + [0, 2, 4, 6].map((n) => text(10 + (380 * n) / 6, 54, spaced(10 ** n), n === 6 ? end : n ? middle : "")).join("")
    + `<circle class="grip hand first" cx="${at.toFixed(1)}" cy="34" r="8"/>` + text(Math.min(Math.max(at, 30), 370), 20, spaced(position), `${middle} class="first"`);
  const x = (value) => 200 + 40 * (value - around[4][0]);
  return scale + around.map(([one, number]) => {
    const own = one === position;
    const lost = number > largest;
    return bar(x(one) - 5, 82, 10, 10, own ? "first" : "faint solid") + line([[x(one), 92], [lost ? x(one) : x(number), lost ? 92 : 138]], own ? "first" : "faint")
      + (lost ? text(x(one), 144, "∞", middle) : bar(x(number) - 2, 136, 4, 14, "second"));
  }).join("") + text(10, 76, "positions, one by one") + text(10, 170, "the numbers that are kept", 'class="second"');
}

export const words = ({ position, stored, step, first, off }, { format }) =>
  (stored === null ? `${format} ends at 65,504, so position ${word(spaced(position), "first")} is infinite. `
    : `${format} keeps ${word(spaced(position), "first")} as ${word(spaced(stored), "second")}, ${off ? `${spaced(off)} off. Its steps are ${spaced(step)} here` : "exactly"}. `)
  + `The first position that it takes for another is ${spaced(first)}.`;
