// Lesson 14: how alike every patch of a grid is to one of them. d_model 32.
import { along, bar, dot, fixed, key, range, row } from "./shared.js";

const WIDTH = 32;

function patch(encoding, height, width, index) {
  if (encoding === "line numbers") return row(index, WIDTH);
  const across = encoding === "two axes" ? width : height; // exchanged: the grid taken for one as wide as it is high
  return [...row(Math.floor(index / across), WIDTH / 2), ...row(index % across, WIDTH / 2)];
}

export const height = 245;
export const knobs = [
  { name: "row", label: "row", min: 0, max: ({ grid }) => grid.split(" x ")[0] - 1, value: 6 },
  { name: "column", label: "column", min: 0, max: ({ grid }) => grid.split(" x ")[1] - 1, value: 6 },
  { name: "grid", label: "grid", choices: ["14 x 14", "2 x 3"], value: "14 x 14" },
  { name: "encoding", label: "encoding", choices: ["line numbers", "two axes", "axes exchanged"], value: "line numbers" },
];

export function numbers({ row: r, column, grid, encoding }) {
  const [height, width] = grid.split(" x ").map(Number);
  const [at, across] = [Math.min(r, height - 1), Math.min(column, width - 1)];
  const own = patch(encoding, height, width, at * width + across);
  const alike = range(height * width).map((index) => dot(own, patch(encoding, height, width, index)) / (WIDTH / 2));
  return { height, width, at, across, alike, below: alike[(at + 1) * width + across] ?? null, right: across + 1 < width ? alike[at * width + across + 1] : null };
}

export function grasp(_, { grid }) {
  const [height, width] = grid.split(" x ").map(Number);
  const half = 115 / Math.max(height, width); // of a patch
  const [column, row] = [[85, width, "column"], [8, height, "row"]].map(([at, count, name]) =>
    along(name, [at + half, at + (2 * count - 1) * half], [0, count - 1]));
  return ([x, y]) => ({ ...column([x]), ...row([y]) });
}

export function draw({ height, width, at, across, alike }) {
  const side = Math.min(230 / height, 230 / width);
  return alike.map((value, index) => {
    const [x, y] = [85 + side * (index % width), 8 + side * Math.floor(index / width)];
    const own = index === at * width + across;
    return bar(x, y, side - 1, side - 1, own ? "first frame" : "first", `fill-opacity="${Math.max(value, 0).toFixed(2)}"`);
  }).join("") + key("cosine with your patch");
}

const told = (where, value) => (value === null ? `it has no neighbour ${where}` : `its cosine with the neighbour ${where} is ${fixed(value)}`);
export const words = ({ at, across, below, right }) =>
  `Patch (${at}, ${across}): ${told("on the right", right)}, and ${told("below", below)}.`;
