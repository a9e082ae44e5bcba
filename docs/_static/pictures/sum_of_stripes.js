// Lesson 14: what the first pairs see together around a query in the middle. 32 pairs; query and key (1, 0) in each.
import { along, bar, fixed, key, range, sum } from "./shared.js";

const [PAIRS, FAR] = [32, 14];
const STEPS = range(2 * FAR + 1).map((i) => i - FAR);

// The frequencies of pair k: for a step down and for a step to the right.
function pair(k, directions) {
  const [speed, angle] = directions === "two" ? [100 ** ((k % 2 - k) / PAIRS), ((k % 2) * Math.PI) / 2] : [100 ** (-k / PAIRS), (k * Math.PI * (Math.sqrt(5) - 1)) / 2];
  return [speed * Math.sin(angle), speed * Math.cos(angle)];
}

export const height = 245;
export const knobs = [
  { name: "pairs", label: "pairs", min: 1, max: PAIRS, value: 1 },
  { name: "directions", label: "directions", choices: ["two", "32"], value: "two" },
];

export function numbers({ pairs, directions }) {
  const drawn = range(pairs).map((k) => pair(k, directions));
  const score = (down, right) => sum(drawn.map(([row, column]) => Math.cos(down * row + right * column))) / pairs;
  return { pairs, scores: STEPS.flatMap((down) => STEPS.map((right) => score(down, right))), along: score(0, 14), aslant: score(6, 6) };
}

export const grasp = () => along("pairs", [85, 315], [1, PAIRS]);

export function draw({ scores }) {
  const side = 230 / STEPS.length;
  return scores.map((value, index) => {
    const [x, y] = [85 + side * (index % STEPS.length), 8 + side * Math.floor(index / STEPS.length)];
    const own = index === (scores.length - 1) / 2;
    return bar(x, y, side, side, own ? "first frame" : "first", `fill-opacity="${Math.max(value, 0).toFixed(2)}"`);
  }).join("") + key("score with the middle");
}

export const words = ({ pairs, along, aslant }) =>
  `${pairs === 1 ? "One pair" : `The mean of ${pairs} pairs`}: 14 to the right ${fixed(along)}, 6 to the right and 6 down ${fixed(aslant)}.`;
