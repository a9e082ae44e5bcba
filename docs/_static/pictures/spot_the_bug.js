// Lesson 03: the table by the formula, A, and with its exponent doubled, B. 50 positions, 128 columns.
import { bar, curve, fixed, range, row, text } from "./shared.js";

const [POSITIONS, COLUMNS] = [50, 128];
const table = (base) => range(POSITIONS).map((position) => row(position, COLUMNS, base));
const right = table(10_000);
const doubled = table(10_000 ** 2); // 2 (2k/d) is the same as the square of the base
const column = (rows, number) => rows.map((one) => one[number]);
const largest = (one, other) => Math.max(...one.map((value, i) => Math.abs(value - other[i])));
const differences = range(COLUMNS).map((c) => largest(column(right, c), column(doubled, c)));
const still = (rows) => range(COLUMNS).filter((c) => Math.max(...column(rows, c)) - Math.min(...column(rows, c)) < 0.01).length;

// Blue below zero, white, red above, as in the lessons' figures: a point for every number.
function painted(rows) {
  const canvas = Object.assign(document.createElement("canvas"), { width: COLUMNS, height: POSITIONS });
  const context = canvas.getContext("2d");
  const image = context.createImageData(COLUMNS, POSITIONS);
  rows.flat().forEach((value, i) => {
    const end = value < 0 ? [33, 102, 172] : [178, 24, 43];
    image.data.set([...end.map((channel) => 247 + (channel - 247) * Math.abs(value)), 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

const [WIDE, TALL, TOP] = [186, 100, 18];
const TABLES = [["A", right, 8], ["B", doubled, 206]].map(([name, rows, left]) => ({ name, left, picture: painted(rows) }));
const across = (c) => (c * WIDE) / COLUMNS;

export const height = 196;
export const knobs = [{ name: "column", label: "column", min: 0, max: COLUMNS - 1, value: 0 }];

// Before anybody has chosen a column, the frame runs over both tables and comes back.
export const play = (t) => ({ column: Math.round((COLUMNS - 1) * Math.sin(Math.PI * t) ** 2) });

export function grasp([x, y]) {
  if (y > TOP + TALL + 10) return null;
  const { left } = TABLES[x < 200 ? 0 : 1];
  return ([to]) => ({ column: Math.min(Math.max(Math.floor(((to - left) * COLUMNS) / WIDE), 0), COLUMNS - 1) });
}

export const numbers = ({ column: c }) => ({
  right: column(right, c),
  other: column(doubled, c),
  difference: differences[c],
  equal: differences.filter((one) => one < 1e-9).length,
  still: [still(right), still(doubled)],
});

export function draw({ right: one, other, difference }, { column: c }, told) {
  const tables = TABLES.map(({ name, left, picture }) =>
    text(left, 12, `table ${name}`)
    + `<image class="grip" href="${picture}" x="${left}" y="${TOP}" width="${WIDE}" height="${TALL}" preserveAspectRatio="none"/>`
    + ["halo", "ring"].map((kind) => bar(left + across(c) - 1, TOP - 2, across(1) + 2, TALL + 4, kind)).join("")).join("");
  if (!told) return tables + text(200, 158, "The curves of your column come here.", 'text-anchor="middle"');
  const box = [8, 130, 352, 48];
  const ends = [one, other].map((values) => box[1] + 4 + (box[3] * (1 - values.at(-1))) / 2);
  const middle = (ends[0] + ends[1]) / 2;
  if (Math.abs(ends[0] - ends[1]) < 14) [0, 1].forEach((n) => (ends[n] = middle + (ends[n] > ends[1 - n] || (n && ends[0] === ends[1]) ? 7 : -7)));
  const names = difference < 1e-9 ? text(366, middle, "A = B") : text(366, ends[0], "A", 'class="first"') + text(366, ends[1], "B", 'class="second"');
  return tables + curve(one, "first", box) + curve(other, "second dashed", box) + names
    + text(8, 193, "position 0") + text(360, 193, "49", 'text-anchor="end"');
}

export function words({ difference, equal, still: [inA, inB] }, { column: c }, told) {
  if (!told) return "Click a table, or drag across it. The slider does the same.";
  const found = difference < 1e-9 ? "A and B are equal here. A plot of this column looks right."
    : difference < 0.1 ? `the curves differ by at most ${fixed(difference, 3)}. You would hardly see it.`
    : `this one gives it away. The curves differ by up to ${fixed(difference)}.`;
  return `Column ${c}: ${found} ${equal} of 128 columns are equal. In A, ${inA} columns hardly move, in B ${inB}.`;
}
