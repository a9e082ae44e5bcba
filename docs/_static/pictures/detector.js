// Lesson 06: the row of one position held against the rows of all. 128 positions.
import { along, curve, dot, fixed, line, range, row, spaced, text } from "./shared.js";

export const height = 175;
export const knobs = [
  { name: "position", label: "position", min: 0, max: 127, value: 40 },
  { name: "width", label: "d_model", min: 2, max: 128, step: 2, value: 64 },
  { name: "base", label: "base, power of 10", min: 1, max: 6, step: 0.5, value: 4, shown: (power) => spaced(10 ** power) },
];

export function numbers({ position, width, base }) {
  const own = row(position, width, 10 ** base);
  const answer = range(128).map((p) => dot(own, row(p, width, 10 ** base)) / (width / 2));
  const far = answer.filter((_, p) => Math.abs(p - position) >= 5);
  return { answer, neighbour: answer[position ? position - 1 : 1], far: Math.max(...far) };
}

export const grasp = () => along("position", [10, 390], [0, 127]);

export function draw({ answer }, { position }) {
  const x = 10 + (380 * position) / 127;
  return line([[10, 75], [390, 75]], "faint") + line([[x, 10], [x, 140]], "frame") + curve(answer, "first", [10, 12, 380, 126])
    + text(10, 160, "position 0") + text(390, 160, "127", 'text-anchor="end"');
}

export const words = ({ neighbour, far }, { position }) =>
  `Position ${position} answers itself with 1, a neighbour with ${fixed(neighbour)}, and of those five or more tokens away the loudest with ${fixed(far)}. `
  + (far > neighbour ? "A position far away passes for this one sooner than a neighbour does." : "The peak stands out.");
