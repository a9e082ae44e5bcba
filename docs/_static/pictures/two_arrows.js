// Lesson 09: a query and a key, rotated by their positions; head_dim 8, base 100.
import { dot, fixed, frequencies, line, middle, range, sum, text, turning, word } from "./shared.js";

const QUERY = [1, 0.5, 1, -0.5, 0.8, 0.3, 1, 0.2];
const KEY = [0.9, 0.4, 0.7, 0.6, -0.3, 1, 0.5, 0.5];
const PAIRS = { interleaved: range(4).map((k) => [2 * k, 2 * k + 1]), half: range(4).map((k) => [k, k + 4]) };

function rotate(x, position, layout) {
  const rotated = [...x];
  frequencies(8, 100).forEach((omega, k) => {
    const [i, j] = PAIRS[layout][k];
    const [cosine, sine] = [Math.cos(position * omega), Math.sin(position * omega)];
    [rotated[i], rotated[j]] = [x[i] * cosine - x[j] * sine, x[i] * sine + x[j] * cosine];
  });
  return rotated;
}

export const height = 166;
export const knobs = [
  { name: "query", label: "query at", min: 0, max: 29, value: 7 },
  { name: "key", label: "key at", min: 0, max: 29, value: 4 },
  { name: "both", label: "move both by", min: 0, max: 30, value: 0 },
  { name: "layout", label: "layout", choices: ["interleaved", "half", "mixed"], value: "interleaved" },
];

export function numbers({ query, key, both, layout }) {
  const [first, second] = layout === "mixed" ? ["interleaved", "half"] : [layout, layout];
  const q = rotate(QUERY, query + both, first);
  const k = rotate(KEY, key + both, second);
  const pairs = PAIRS[first].map(([i, j]) => [[q[i], q[j]], [k[i], k[j]]]);
  const parts = pairs.map(([one, other]) => dot(one, other));
  return { pairs, parts, score: sum(parts) };
}

const tip = ([a, b], n) => [52 + 98 * n + 38 * a, 60 - 38 * b];

// An arrow is turned, and the token goes as far as its pair says.
export function grasp(point, values) {
  const far = (arrow, n) => Math.hypot(point[0] - tip(arrow, n)[0], point[1] - tip(arrow, n)[1]);
  const tips = numbers(values).pairs.flatMap((pair, n) => pair.map((arrow, i) => ({ n, name: ["query", "key"][i], away: far(arrow, n) })));
  const { n, name, away } = tips.reduce((one, other) => (other.away < one.away ? other : one));
  if (away > 25) return null;
  const turned = turning([52 + 98 * n, 60], point);
  return (to) => ({ [name]: Math.round(values[name] + turned(to) / frequencies(8, 100)[n]) });
}

export const draw = ({ pairs, parts }) =>
  pairs.map(([q, k], n) => {
    const [x, y] = [52 + 98 * n, 60];
    const tips = [tip(q, n), tip(k, n)];
    const wedge = `<path class="wedge" d="M${x} ${y}L${tips[0]}L${tips[1]}Z"/>`;
    const grips = tips.map(([a, b], i) => `<circle class="grip hand ${["first", "second"][i]}" cx="${a.toFixed(1)}" cy="${b.toFixed(1)}" r="6"/>`);
    return `<circle class="faint" cx="${x}" cy="${y}" r="45"/>` + wedge + line([[x, y], tips[0]], "first") + line([[x, y], tips[1]], "second dashed") + grips.join("")
      + text(x, 122, `pair ${n}`, middle) + text(x, 140, fixed(parts[n]), `${middle} class="sum ${parts[n] < 0 ? "minus" : "plus"}"`)
      + text(x + 49, 140, n < 3 ? "+" : "", middle);
  }).join("") + text(200, 162, `= ${fixed(sum(parts), 3)}`, `${middle} class="sum"`);

export const words = ({ score }, { query, key, both, layout }) =>
  `The ${word("key", "second")} is ${Math.abs(query - key)} tokens ${key > query ? "to the right" : "to the left"} of the ${word("query", "first")}. Four dot products add up to the score, ${fixed(score, 3)}. `
  + (layout === "mixed" ? "Query and key are paired in two ways: moving both changes the score." : both ? "Moving both does not change it: it knows the offset only." : "");
