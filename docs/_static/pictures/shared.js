// What the live pictures share: knobs made from a list, drawing at every move, the numbers in words.
// A picture is a module with knobs, numbers(values), draw(numbers, values) as SVG, and words(numbers, values).

export const WIDTH = 400;
export const range = (n) => Array.from({ length: n }, (_, i) => i);
export const sum = (list) => list.reduce((one, other) => one + other, 0);
export const dot = (one, other) => sum(one.map((value, i) => value * other[i]));
export const frequencies = (width, base) => range(Math.ceil(width / 2)).map((k) => base ** ((-2 * k) / width));
export const row = (position, width, base = 10_000) =>
  frequencies(width, base).flatMap((omega) => [Math.sin(position * omega), Math.cos(position * omega)]).slice(0, width);

export function softmax(scores) {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  return powers.map((power) => power / sum(powers));
}

// 6.28, but 19 869: three digits are enough below a hundred, and a thin space parts the thousands.
export const spaced = (number) =>
  Math.abs(number) < 100 ? String(Number(number.toPrecision(3))).replace("-", "−") : Math.round(number).toLocaleString("en").replaceAll(",", "\u202f");
export const fixed = (number, digits = 2) => number.toFixed(digits).replace("-", "−");

export const line = (points, kind) => `<polyline class="${kind}" points="${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")}"/>`;
export const text = (x, y, said, more = "") => `<text x="${x}" y="${y}" ${more}>${said}</text>`;
export const bar = (x, y, width, height, kind, more = "") =>
  `<rect class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(width, 0).toFixed(1)}" height="${Math.max(height, 0).toFixed(1)}" ${more}/>`;

// Values between -1 and 1 as a curve in a box, the first at its left edge.
export const curve = (values, kind, [x, y, width, height]) =>
  line(values.map((value, i) => [x + (width * i) / (values.length - 1), y + (height * (1 - value)) / 2]), kind);

function knob(spec) {
  const label = document.createElement("label");
  const shown = document.createElement("b");
  const input = document.createElement(spec.choices ? "select" : "input");
  if (spec.choices) input.append(...spec.choices.map((choice) => new Option(choice)));
  else if (spec.min === undefined) Object.assign(input, { type: "checkbox", checked: spec.value });
  else Object.assign(input, { type: "range", min: spec.min, max: spec.max, step: spec.step ?? 1 });
  if (spec.min !== undefined || spec.choices) input.value = spec.value;
  label.append(`${spec.label} `, shown, input);
  const read = () => (spec.choices ? input.value : spec.min === undefined ? input.checked : Number(input.value));
  const say = () => {
    if (spec.min === undefined) return;
    shown.textContent = spec.shown ? spec.shown(read()) : spaced(read());
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  return { label, input, read, say };
}

export async function mount(box) {
  const picture = await import(`./${box.dataset.picture}.js`);
  const knobs = Object.fromEntries(picture.knobs.map((spec) => [spec.name, knob(spec)]));
  const controls = document.createElement("div");
  controls.className = "knobs";
  controls.append(...Object.values(knobs).map((one) => one.label));
  const drawing = document.createElement("div");
  drawing.setAttribute("aria-hidden", "true");
  const words = document.createElement("p");
  words.setAttribute("role", "status");
  const draw = () => {
    const values = Object.fromEntries(Object.entries(knobs).map(([name, one]) => [name, one.read()]));
    const numbers = picture.numbers(values);
    drawing.innerHTML = `<svg viewBox="0 0 ${WIDTH} ${picture.height}">${picture.draw(numbers, values)}</svg>`;
    words.textContent = picture.words(numbers, values);
    Object.values(knobs).forEach((one) => one.say());
  };
  Object.values(knobs).forEach((one) => one.input.addEventListener("input", draw));
  box.append(controls, drawing, words);
  draw();
}

const boxes = [...document.querySelectorAll(".live")];
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) {
      seen.unobserve(target);
      mount(target);
    }
  }
}, { rootMargin: "400px" });
boxes.forEach((box) => seen.observe(box));
