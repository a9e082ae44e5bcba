// What the live pictures share: a few functions for numbers, and for pieces of SVG.

export const WIDTH = 400;
export const range = (n) => Array.from({ length: n }, (_, i) => i);
export const sum = (list) => list.reduce((one, other) => one + other, 0);
export const dot = (one, other) => sum(one.map((value, i) => value * other[i]));
export const frequencies = (width, base) => range(Math.ceil(width / 2)).map((k) => base ** ((-2 * k) / width));
export const row = (position, width, base = 10_000) =>
  frequencies(width, base).flatMap((omega) => [Math.sin(position * omega), Math.cos(position * omega)]).slice(0, width);

export function softmax(scores) {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  return powers.map((power) => power / sum(powers));
}

// 6.28, but 19 869: three digits are enough below a hundred, and a thin space parts the thousands.
export const spaced = (number) =>
  Math.abs(number) < 100 ? String(Number(number.toPrecision(3))).replace("-", "−") : Math.round(number).toLocaleString("en").replaceAll(",", "\u202f");
export const fixed = (number, digits = 2) => number.toFixed(digits).replace("-", "−");

export const line = (points, kind) => `<polyline class="${kind}" points="${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")}"/>`;
export const text = (x, y, said, more = "") => `<text x="${x}" y="${y}" ${more}>${said}</text>`;
export const bar = (x, y, width, height, kind, more = "") =>
  `<rect class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(width, 0).toFixed(1)}" height="${Math.max(height, 0).toFixed(1)}" ${more}/>`;

// Values between -1 and 1 as a curve in a box, the first at its left edge.
export const curve = (values, kind, [x, y, width, height]) =>
  line(values.map((value, i) => [x + (width * i) / (values.length - 1), y + (height * (1 - value)) / 2]), kind);
