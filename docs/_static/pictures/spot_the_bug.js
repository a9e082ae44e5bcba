// Lesson 03: the table by the formula, and with its exponent doubled. 50 positions, 128 columns.
import { bar, curve, fixed, range, row, spaced, text } from "./shared.js";

const [POSITIONS, COLUMNS] = [50, 128];
const table = (base) => range(POSITIONS).map((position) => row(position, COLUMNS, base));
const right = table(10_000);
const doubled = table(10_000 ** 2); // 2 (2k/d) is the same as the square of the base
const column = (rows, number) => rows.map((one) => one[number]);
const largest = (one, other) => Math.max(...one.map((value, i) => Math.abs(value - other[i])));
const differences = range(COLUMNS).map((c) => largest(column(right, c), column(doubled, c)));
const still = (rows) => range(COLUMNS).filter((c) => Math.max(...column(rows, c)) - Math.min(...column(rows, c)) < 0.01).length;

export const height = 190;
export const knobs = [
  { name: "column", label: "column", min: 0, max: COLUMNS - 1, value: 0 },
  { name: "exponent", label: "exponent of the second curve", choices: ["doubled", "2k/d"], value: "doubled" },
];

export function numbers(values) {
  const bug = values.exponent === "doubled";
  return {
    right: column(right, values.column),
    other: column(bug ? doubled : right, values.column),
    difference: bug ? differences[values.column] : 0,
    equal: bug ? differences.filter((one) => one < 1e-9).length : COLUMNS,
    still: still(bug ? doubled : right),
    slowest: 2 * Math.PI * (bug ? 10_000 ** 2 : 10_000) ** (1 - 2 / COLUMNS),
  };
}

export function draw({ right, other }, values) {
  const strip = range(COLUMNS).map((c) => bar(10 + (c * 380) / COLUMNS, 150, 2.6, 14, values.exponent === "doubled" && differences[c] > 1e-9 ? "second" : "faint"));
  const frame = bar(9 + (values.column * 380) / COLUMNS, 146, 4.6, 22, "frame");
  return curve(right, "first", [10, 12, 380, 110]) + curve(other, "second dashed", [10, 12, 380, 110])
    + text(10, 140, "position 0") + text(390, 140, "49", 'text-anchor="end"') + strip.join("") + frame
    + text(10, 184, "the 128 columns; those that differ are coloured");
}

export const words = (is, { column }) =>
  `Column ${column}: the curves differ by up to ${fixed(is.difference)}. Equal are ${is.equal} of 128 columns; ${is.still} hardly move; `
  + `the slowest hand turns once in ${spaced(is.slowest)} tokens.`;
