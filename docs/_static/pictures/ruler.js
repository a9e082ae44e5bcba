// Lesson 11: ALiBi's bias for one query of a text of 16 tokens, and the weights that come of it.
import { along, bar, fixed, line, middle, range, softmax, spaced, text, word } from "./shared.js";

export function slopes(heads) {
  const power = 2 ** Math.floor(Math.log2(heads));
  const even = range(power).map((n) => 2 ** ((-8 * (n + 1)) / power));
  const between = range(power).map((n) => 2 ** ((-8 * (2 * n + 1)) / (2 * power)));
  return [...even, ...between].slice(0, heads);
}

export const height = 196;
export const knobs = [
  { name: "query", label: "query at", min: 0, max: 15, value: 12 },
  { name: "heads", label: "heads", min: 1, max: 16, value: 8 },
  { name: "head", label: "this head", min: 1, max: ({ heads }) => heads, value: 2 },
  { name: "constant", label: "add to the row", min: -5, max: 5, step: 0.5, value: 0 },
];

export function numbers({ query, heads, head, constant }) {
  const slope = slopes(heads)[Math.min(head, heads) - 1];
  const bias = range(query + 1).map((key) => -slope * (query - key) + constant);
  return { slope, bias, weights: softmax(bias) };
}

export const grasp = () => along("query", [20, 380], [0, 15]);

export function draw({ bias, weights }) {
  const low = Math.max(8, ...bias.map(Math.abs));
  const bars = range(16).map((n) => {
    const x = 10 + 24 * n;
    const [tall, weight, hidden] = [(40 * Math.abs(bias[n] ?? 0)) / low, weights[n] ?? 0, n >= weights.length];
    return bar(x, bias[n] > 0 ? 58 - tall : 58, 20, tall, "second") + bar(x, 166 - 52 * weight, 20, 52 * weight, "first")
      + text(x + 10, 180, n, `${middle} class="${hidden ? "to-come" : n === weights.length - 1 ? "first" : ""}"`);
  });
  return line([[10, 58], [390, 58]], "faint") + line([[10, 166], [390, 166]], "faint") + bars.join("")
    + text(10, 14, "bias, from 0", 'class="second"') + text(10, 112, "weight", 'class="first"')
    + text(200, 194, "tokens; what comes after the query is hidden", middle);
}

export const words = ({ slope, weights }, { query, constant }) =>
  `The slope of the ${word("biases", "second")} is ${spaced(slope)}. Token ${query} looks at itself with ${fixed(weights.at(-1))}, and at token 0 with ${fixed(weights[0], 3)}. `
  + (constant ? `What is added to the whole row moves all its biases and no ${word("weight", "first")}.` : "Now add a number to the row: which weights change?");
