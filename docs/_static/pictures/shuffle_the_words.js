// Lesson 01: five words in any order, one step of attention, and what the word cat takes home.
import { bar, dot, fixed, middle, range, row, softmax, sum, text, word } from "./shared.js";

const WORDS = ["the", "cat", "chased", "the", "mouse"];
const ROWS = { the: [1, 0, 0, 1], cat: [0, 2, 1, 0], chased: [1, 1, 0, 2], mouse: [0, 1, 2, 1] };

function order(number) {
  const left = range(5);
  return [24, 6, 2, 1, 1].map((size) => {
    const one = left.splice(Math.floor(number / size), 1)[0];
    number %= size;
    return one;
  });
}

function attend(number, { mask, position }) {
  const words = order(number).map((one) => WORDS[one]);
  const rows = words.map((word, p) => ROWS[word].map((value, i) => value + (position ? row(p, 4)[i] : 0)));
  const cat = words.indexOf("cat");
  const seen = mask ? rows.slice(0, cat + 1) : rows;
  const weights = softmax(seen.map((key) => dot(rows[cat], key) / 2));
  return { words, cat, weights, output: range(4).map((i) => sum(weights.map((weight, n) => weight * seen[n][i]))) };
}

const said = (numbers) => `“${numbers.map((one) => WORDS[one]).join(" ")}”`;

export const height = 136;
export const knobs = [
  { name: "order", label: "order", min: 0, max: 119, value: 0, shown: (n) => said(order(n)) },
  { name: "mask", label: "causal mask", value: false },
  { name: "position", label: "add a position", value: false },
];

// A word is taken to another place; the others keep their order.
export function grasp([x], { order: number }) {
  const place = (to) => Math.min(Math.max(Math.floor((to - 5) / 78), 0), 4);
  const [before, from] = [order(number), place(x)];
  return ([to]) => {
    const words = before.filter((_, n) => n !== from);
    words.splice(place(to), 0, before[from]);
    return { order: sum(words.map((one, n) => [24, 6, 2, 1, 0][n] * words.slice(n).filter((other) => other < one).length)) };
  };
}

export function numbers(values) {
  const all = range(120).map((n) => attend(n, values).output.map((value) => value.toFixed(9)).join());
  return { ...attend(values.order, values), told: new Set(all).size };
}

export const draw = ({ words, cat, weights }) =>
  words.map((said, n) => {
    const x = 10 + 78 * n;
    const tall = 66 * (weights[n] ?? 0);
    return bar(x, 100 - tall, 68, tall, n === cat ? "second" : "first")
      + bar(x, 106, 68, 24, "slip hand") + text(x + 34, 122, said, `${middle} class="${n === cat ? "second" : ""}"`)
      + text(x + 34, 95 - tall, n in weights ? fixed(weights[n]) : "hidden", middle);
  }).join("") + text(10, 14, "how much cat looks at each word");

export const words = ({ output, told }) =>
  `In this order ${word("cat", "second")} takes home (${output.map((value) => fixed(value, 3)).join(", ")}). `
  + (told === 1 ? "It is the same in all 120 orders." : `Of the 120 orders it can tell ${told} apart.`);
