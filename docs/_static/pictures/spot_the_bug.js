// Lesson 03: the table by the formula, A, and with its exponent doubled, B. 50 positions, 128 columns.
import { bar, curve, end, fixed, middle, painted, range, row, text } from "./shared.js";

const [POSITIONS, COLUMNS] = [50, 128];
const table = (base) => range(POSITIONS).map((position) => row(position, COLUMNS, base));
const right = table(10_000);
const doubled = table(10_000 ** 2); // 2 (2k/d) is the same as the square of the base
const column = (rows, number) => rows.map((one) => one[number]);
const largest = (one, other) => Math.max(...one.map((value, i) => Math.abs(value - other[i])));
const differences = range(COLUMNS).map((c) => largest(column(right, c), column(doubled, c)));

const [WIDE, TALL, TOP] = [190, 84, 16];
const BOX = [2, 109, 382, 46]; // where the curves are
const TABLES = [["A", right, 2], ["B", doubled, 208]].map(([name, rows, left]) => ({ name, left, picture: painted(rows) }));
const across = (c) => (c * WIDE) / COLUMNS;

export const height = 168;
export const knobs = [{ name: "column", label: "column", min: 0, max: COLUMNS - 1, value: 0 }];

export function grasp([x, y]) {
  if (y > TOP + TALL + 10) return null;
  const { left } = TABLES[x < 200 ? 0 : 1];
  return ([to]) => ({ column: Math.min(Math.max(Math.floor(((to - left) * COLUMNS) / WIDE), 0), COLUMNS - 1) });
}

export const numbers = ({ column: c }) => ({
  right: column(right, c),
  other: column(doubled, c),
  difference: differences[c],
});

export function draw({ right: one, other }, { column: c }, told) {
  const tables = TABLES.map(({ name, left, picture }) =>
    text(left, 11, `table ${name}`, `class="${name === "A" ? "first" : "second"}"`)
    + `<image class="grip" href="${picture}" x="${left}" y="${TOP}" width="${WIDE}" height="${TALL}" preserveAspectRatio="none"/>`
    + ["halo", "ring"].map((kind) => bar(left + across(c) - 1, TOP - 2, across(1) + 2, TALL + 4, kind)).join("")).join("");
  const axis = bar(...BOX, "box") + text(2, 165, "position 0") + text(384, 165, "49", end);
  if (!told) return tables + axis + text(193, 135, "Your column as a curve: A against B", `${middle} class="to-come"`);
  const ends = [one, other].map((values) => BOX[1] + 4 + ((BOX[3] - 6) * (1 - values.at(-1))) / 2);
  const between = (ends[0] + ends[1]) / 2;
  if (Math.abs(ends[0] - ends[1]) < 14) [0, 1].forEach((n) => (ends[n] = between + (ends[n] > ends[1 - n] || (n && ends[0] === ends[1]) ? 7 : -7)));
  const names = text(388, ends[0], "A", 'class="first"') + text(388, ends[1], "B", 'class="second"');
  return tables + axis + curve(one, "first", BOX) + curve(other, "second dashed", BOX) + names;
}

const SEEN = 0.1; // a smaller difference hides in the thickness of the curves
export const solved = ({ difference }) => difference >= SEEN;

export function words({ difference }, { column: c }, told) {
  if (!told) return "Click a table, or drag across it. The slider does the same.";
  const found = difference < 1e-9 ? "A and B are equal here."
    : difference < SEEN ? `A and B differ by ${difference < 0.001 ? "less than 0.001" : `at most ${fixed(difference, 3)}`} here. You would hardly see it.`
    : `this one shows it. The curves differ by up to ${fixed(difference)}.`;
  const largest = differences.indexOf(Math.max(...differences));
  return `<strong>Column ${c}: ${found}</strong>${difference < SEEN ? ` Try further ${c < largest ? "right" : "left"}.` : ""}`;
}
