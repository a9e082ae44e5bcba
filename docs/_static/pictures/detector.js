// Lesson 06: the row of one position held against the rows of all. 128 positions.
import { along, curve, dot, end, fixed, line, middle, range, row, spaced, text } from "./shared.js";

const BOX = [28, 22, 362, 120];
export const height = 168;
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

export const grasp = () => along("position", [28, 390], [0, 127]);

export function draw({ answer }, { position }) {
  const x = BOX[0] + (BOX[2] * position) / 127;
  const rule = (y, said) => line([[28, y], [390, y]], "faint") + text(22, y + 4, said, end);
  return [[22, "1"], [82, "0"], [142, "−1"]].map((one) => rule(...one)).join("") + line([[x, 22], [x, 142]], "frame") + curve(answer, "first", BOX)
    + `<circle class="grip hand first" cx="${x.toFixed(1)}" cy="22" r="7"/>` + text(Math.min(Math.max(x, 60), 350), 12, `row ${position}, with itself`, middle)
    + text(28, 160, "with row 0") + text(390, 160, "with row 127", end);
}

export const words = ({ neighbour, far }, { position }) =>
  `Position ${position} answers itself with 1, a neighbour with ${fixed(neighbour)}, and of those five or more tokens away the loudest with ${fixed(far)}. `
  + (far > neighbour ? "A position far away passes for this one sooner than a neighbour does." : "The peak stands out.");
