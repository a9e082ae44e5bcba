// Live pictures: knobs made from a list, drawing at every move, the numbers in words. A picture is a module with
// knobs, numbers(values), draw(numbers, values) as SVG, words(numbers, values) and the height of its drawing.
import { WIDTH, spaced } from "./pictures/shared.js";

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

async function mount(box) {
  const picture = await import(`./pictures/${box.dataset.picture}.js`);
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
