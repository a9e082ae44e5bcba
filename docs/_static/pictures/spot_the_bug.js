// Lesson 03: the table by the formula, A, and with its exponent doubled, B. 50 positions, 128 columns.
import { bar, curve, end, fixed, middle, narrow, painted, range, row, text } from "./shared.js";

const [POSITIONS, COLUMNS] = [50, 128];
const table = (base) => range(POSITIONS).map((position) => row(position, COLUMNS, base));
const right = table(10_000);
const doubled = table(10_000 ** 2); // 2 (2k/d) is the same as the square of the base
const column = (rows, number) => rows.map((one) => one[number]);
const largest = (one, other) => Math.max(...one.map((value, i) => Math.abs(value - other[i])));
const differences = range(COLUMNS).map((c) => largest(column(right, c), column(doubled, c)));

// Side by side, or on a phone below each other: there a column is not much narrower than a fingertip can choose.
const places = () => {
  const [size, wide, tall, below, at, curves] = narrow() ? [14, 382, 85, 14, [[18, 19], [18, 143]], 46] : [7.5, 184, 70, 9, [[12, 13], [214, 13]], 36];
  return { size, wide, tall, below, at, box: [at[0][0], at[1][1] + tall + below + 7, 384 - at[0][0], curves] }; // box: where the curves are
};
const PICTURES = [right, doubled].map(painted);
const KEY = painted([range(21).map((n) => n / 10 - 1)]);

export const height = () => places().box[1] + places().box[3] + 16;
export const knobs = [{ name: "column", label: "column", min: 0, max: COLUMNS - 1, value: 0 }];

export function grasp([x, y]) {
  const { wide, at, box } = places();
  if (y > box[1] - 4) return null;
  const left = x < at[1][0] - 8 ? at[0][0] : at[1][0];
  return ([to]) => ({ column: Math.min(Math.max(Math.floor(((to - left) * COLUMNS) / wide), 0), COLUMNS - 1) });
}

export const numbers = ({ column: c }) => ({
  right: column(right, c),
  other: column(doubled, c),
  difference: differences[c],
});

// What rows, columns and colours are stands at the tables.
function painting([left, top], n, c, told, { size, wide, tall, below }) {
  const right = left + wide;
  const image = (href, x, y, width, height, more = "") => `<image href="${href}" x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" ${more}/>`;
  return text(left, top - 3, `table ${"AB"[n]}`, `class="${["first", "second"][n]}"`)
    + text(right - 5 * size, top - 3, "−1", end) + image(KEY, right - 4.8 * size, top - 3 - 0.7 * size, 4 * size, 0.7 * size) + text(right, top - 3, "1", end)
    + text(0, 0, narrow() ? "position →" : "position 0 to 49 →", `${middle} transform="translate(${left - 0.95 * size} ${top + tall / 2}) rotate(90)"`)
    + text(left + wide / 2, top + tall + below - 1, "its 128 numbers, column 0 to 127 →", middle)
    + image(PICTURES[n], left, top, wide, tall, 'class="grip"')
    + (told ? ["halo", "ring"] : []).map((kind) => bar(left + (c * wide) / COLUMNS - 1, top - 1, wide / COLUMNS + 2, tall + 2, kind)).join("");
}

export function draw({ right: one, other }, { column: c }, told) {
  const layout = places();
  const [x, y, width, tall] = layout.box;
  const axis = bar(...layout.box, "box") + text(x, y + tall + layout.below, "position 0") + text(x + width / 2, y + tall + layout.below, `column ${c} as a curve`, middle) + text(x + width, y + tall + layout.below, "49", end);
  const drawn = layout.at.map((place, n) => painting(place, n, c, told, layout)).join("") + axis;
  const ends = [one, other].map((values) => y + 4 + ((tall - 6) * (1 - values.at(-1))) / 2);
  const between = (ends[0] + ends[1]) / 2;
  if (Math.abs(ends[0] - ends[1]) < 14) [0, 1].forEach((n) => (ends[n] = between + (ends[n] > ends[1 - n] || (n && ends[0] === ends[1]) ? 7 : -7)));
  const names = ends.map((at, n) => text(388, at, "AB"[n], `class="${["first", "second"][n]}"`)).join("");
  return drawn + curve(one, "first", layout.box) + curve(other, "second dashed", layout.box) + names;
}

const SEEN = 0.1; // a smaller difference hides in the thickness of the curves
export const solved = ({ difference }) => difference >= SEEN;

export function words({ difference }, { column: c }, told) {
  if (!told) return `${matchMedia("(hover: none)").matches ? "Tap" : "Click"} a table, or drag across it. The slider does the same. Column 0 is drawn: A and B are equal there.`;
  const found = difference < 1e-9 ? "A and B are equal here."
    : difference < SEEN ? `A and B differ by ${difference < 0.001 ? "less than 0.001" : `at most ${fixed(difference, 3)}`} here. You would hardly see it.`
    : `this one shows it. The curves differ by up to ${fixed(difference)}.`;
  const largest = differences.indexOf(Math.max(...differences));
  return `<strong>Column ${c}: ${found}</strong>${difference < SEEN ? ` Try further ${c < largest ? "right" : "left"}.` : ""}`;
}
