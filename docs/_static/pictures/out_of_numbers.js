// Lesson 21: a position kept in a format of few digits, and the fast hand at what was kept.
import { line, spaced, text } from "./shared.js";

const FORMATS = { float64: [53, Infinity], float32: [24, 3.4e38], float16: [11, 65504], bfloat16: [8, 3.3e38] };

export function kept(number, bits) {
  if (!number) return 0;
  const step = 2 ** (Math.floor(Math.log2(number)) - bits + 1);
  const [low, rest] = [Math.floor(number / step), (number / step) % 1];
  return step * (rest > 0.5 || (rest === 0.5 && low % 2) ? low + 1 : low); // a tie goes to the even one
}

export const height = 140;
export const knobs = [
  { name: "power", label: "position", min: 0, max: 6, step: 0.01, value: 3.01, shown: (power) => spaced(Math.round(10 ** power)) },
  { name: "format", label: "format", choices: Object.keys(FORMATS), value: "bfloat16" },
];

export function numbers({ power, format }) {
  const [bits, largest] = FORMATS[format];
  const position = Math.round(10 ** power);
  const stored = kept(position, bits);
  const step = Math.max(2 ** (Math.floor(Math.log2(position)) - bits + 1), 1);
  return { position, stored: stored > largest ? null : stored, step, first: 2 ** bits + 1, off: Math.abs(stored - position) };
}

export function draw({ position, stored }) {
  const hand = (x, angle, kind) => `<circle class="faint" cx="${x}" cy="62" r="50"/>` + line([[x, 62], [x + 48 * Math.cos(angle), 62 - 48 * Math.sin(angle)]], kind);
  return hand(110, position, "first") + text(110, 132, `at ${spaced(position)}`, 'text-anchor="middle"')
    + (stored === null ? "" : hand(290, stored, "second")) + text(290, 132, stored === null ? "no number left" : `at ${spaced(stored)}`, 'text-anchor="middle"');
}

export const words = ({ position, stored, step, first, off }, { format }) =>
  (stored === null ? `${format} ends at 65\u202f504: position ${spaced(position)} is infinite. `
    : `${format} keeps ${spaced(position)} as ${spaced(stored)}, ${off ? `${spaced(off)} off; its steps are ${spaced(step)} here` : "exactly"}. `)
  + `The first position that it takes for another is ${spaced(first)}.`;
