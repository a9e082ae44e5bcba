// Lesson 09: a query and a key, rotated by their positions; up to four pairs of base 100.
import { bar, dot, end, fixed, frequencies, line, middle, range, spaced, sum, text, turning, word } from "./shared.js";

const QUERY = [1, 0, 1, -0.5, 0.8, 0.3, 1, 0.2];
const KEY = [1, 0, 0.7, 0.6, -0.3, 1, 0.5, 0.5];

const rotate = (x, position) =>
  frequencies(8, 100).map((omega, k) => {
    const [cosine, sine] = [Math.cos(position * omega), Math.sin(position * omega)];
    return [x[2 * k] * cosine - x[2 * k + 1] * sine, x[2 * k] * sine + x[2 * k + 1] * cosine];
  });

const MIDDLE = 74; // of the circles
const [TOP, TALL] = [194, 70]; // where the scores of all offsets are drawn
export const height = TOP + TALL + 16;
const moved = (position, { both }) => `${position}${both ? ` + ${both}` : ""}`; // the thumb stays at the first number
export const knobs = [
  { name: "query", label: "query at", min: 0, max: 29, value: 7, shown: moved },
  { name: "key", label: "key at", min: 0, max: 29, value: 4, shown: moved },
  { name: "both", label: "move both by", min: 0, max: 30, value: 0 },
  { name: "pairs", label: "pairs", min: 1, max: 4, value: 1 },
];

export function numbers({ query, key, both, pairs: count }) {
  const [q, k] = [rotate(QUERY, query + both), rotate(KEY, key + both)];
  const pairs = range(count).map((n) => [q[n], k[n]]);
  const parts = pairs.map(([one, other]) => dot(one, other));
  return { pairs, parts, score: sum(parts) };
}

// The scores of all offsets: by the key's position minus the query's.
const score = (offset, count) => sum(range(count).map((n) => dot(rotate(QUERY, 0)[n], rotate(KEY, offset)[n])));
function over(offset, count) {
  const place = (one, value) => [200 + (170 * one) / 29, TOP + 4 + ((TALL - 8) * (3.2 - value)) / 6.4];
  const [x, y] = place(offset, score(offset, count));
  const scale = [3, 0, -3].map((value) => text(26, place(0, value)[1] + 4, spaced(value), end)).join("");
  return scale + bar(30, TOP, 340, TALL, "box") + line([[30, place(0, 0)[1]], [370, place(0, 0)[1]]], "faint") + line(range(233).map((n) => place(n / 4 - 29, score(n / 4 - 29, count))), "ink")
    + `<circle class="grip ink" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="4"/>`
    + text(30, TOP - 4, "the score") + text(30, TOP + TALL + 13, "−29") + text(200, TOP + TALL + 13, "offset of the key", middle) + text(370, TOP + TALL + 13, "29", end);
}

const centre = (n, count) => 200 + 98 * (n - (count - 1) / 2);
const scale = (count) => (count > 1 ? 1 : 1.55); // one pair has more room
const tip = ([a, b], n, count) => [centre(n, count) + 38 * scale(count) * a, MIDDLE - 38 * scale(count) * b];

// The smaller angle between two arrows, as points on a circle around their beginning.
function sector(q, k) {
  const [from, to] = [q, k].map(([a, b]) => Math.atan2(b, a));
  const turn = Math.atan2(Math.sin(to - from), Math.cos(to - from));
  return range(25).map((n) => from + (turn * n) / 24).map((angle) => [Math.cos(angle), Math.sin(angle)].map((one) => 0.5 * one));
}

// An arrow is turned, and the token goes as far as its pair says.
export function grasp(point, values) {
  const far = (arrow, n) => Math.hypot(...tip(arrow, n, values.pairs).map((at, axis) => point[axis] - at));
  const tips = numbers(values).pairs.flatMap((pair, n) => pair.map((arrow, i) => ({ n, name: ["query", "key"][i], away: far(arrow, n) })));
  const { n, name, away } = tips.reduce((one, other) => (other.away < one.away ? other : one));
  if (away > 25) return null;
  const turned = turning([centre(n, values.pairs), MIDDLE], point);
  return (to) => ({ [name]: Math.round(values[name] + turned(to) / frequencies(8, 100)[n]) });
}

export const draw = ({ pairs, parts }, { query, key }) =>
  pairs.map(([q, k], n) => {
    const [x, y] = [centre(n, pairs.length), MIDDLE];
    const below = y + 45 * scale(pairs.length);
    const tips = [q, k].map((arrow) => tip(arrow, n, pairs.length));
    const wedge = `<path class="wedge" d="M${x} ${y}L${sector(q, k).map((arrow) => tip(arrow, n, pairs.length)).join("L")}Z"/>`;
    const grips = tips.map(([a, b], i) => `<circle class="grip hand ${["first", "second"][i]}" cx="${a.toFixed(1)}" cy="${b.toFixed(1)}" r="6"/>`);
    return `<circle class="faint" cx="${x}" cy="${y}" r="${45 * scale(pairs.length)}"/>` + wedge + line([[x, y], tips[0]], "first") + line([[x, y], tips[1]], "second dashed") + grips.join("")
      + text(x, below + 22, `pair ${n}`, middle) + text(x, below + 38, fixed(parts[n]), `${middle} class="sum"`)
      + text(x + 49, below + 38, n < pairs.length - 1 ? "+" : "", middle);
  }).join("") + text(200, MIDDLE + 101, pairs.length > 1 ? `= ${fixed(sum(parts), 3)}` : "", `${middle} class="sum"`) + over(key - query, pairs.length);

const away = (by) => (by ? `${Math.abs(by)} token${Math.abs(by) > 1 ? "s" : ""} to the ${by > 0 ? "right" : "left"}` : "at the position");

export const words = ({ score, pairs: { length } }, { query, key, both }) =>
  `The ${word("key", "second")} is ${away(key - query)} of the ${word("query", "first")}, and the angle between their arrows is shaded. `
  + `${length > 1 ? `${["Two", "Three", "Four"][length - 2]} dot products add up to the score` : "Their dot product is the score"}, ${fixed(score, 3)}. `
  + (both ? `Moved by ${both}, the query is at ${query} + ${both} = ${query + both} and the key at ${key} + ${both} = ${key + both}: same offset, same score.` : "The dot is at this offset, on the curve of all scores.");
