// Live pictures: knobs made from a list, drawing at every move, the numbers in words. A picture is a module with
// knobs, numbers(values), draw(numbers, values) as SVG, words(numbers, values) and the height of its drawing. Where
// a knob ends may depend on the values of the others.
import { WIDTH, spaced } from "./pictures/shared.js";

function knob(spec) {
  const label = document.createElement("label");
  const shown = document.createElement("b");
  const input = document.createElement(spec.choices ? "select" : "input");
  if (spec.choices) input.append(...spec.choices.map((choice) => new Option(choice)));
  else if (spec.min === undefined) Object.assign(input, { type: "checkbox", checked: spec.value });
  else Object.assign(input, { type: "range", min: spec.min, step: spec.step ?? 1 });
  const bound = (values) => {
    if (spec.min !== undefined) input.max = spec.max instanceof Function ? spec.max(values) : spec.max;
  };
  if (!(spec.max instanceof Function)) bound();
  if (spec.min !== undefined || spec.choices) input.value = spec.value;
  label.append(`${spec.label} `, shown, input);
  const read = () => (spec.choices ? input.value : spec.min === undefined ? input.checked : Number(input.value));
  const say = () => {
    if (spec.min === undefined) return;
    shown.textContent = spec.shown ? spec.shown(read()) : spaced(read());
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  return { label, input, spec, bound, read, say };
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
  const read = () => Object.fromEntries(Object.entries(knobs).map(([name, one]) => [name, one.read()]));
  const draw = () => {
    Object.values(knobs).forEach((one) => one.bound(read()));
    const values = read();
    const numbers = picture.numbers(values);
    drawing.innerHTML = `<svg viewBox="0 0 ${WIDTH} ${picture.height}">${picture.draw(numbers, values)}</svg>`;
    words.textContent = picture.words(numbers, values);
    Object.values(knobs).forEach((one) => one.say());
  };
  Object.values(knobs).forEach((one) => one.input.addEventListener("input", draw));
  box.append(controls, drawing, words);
  draw();

  // Room for the longest words, so that nothing moves under a finger: each knob at its ends, and at each of its choices.
  const makeRoom = () => {
    const [values, tall] = [read(), [0]];
    const probe = document.createElement("p");
    box.append(probe);
    for (const { input, spec } of Object.values(knobs)) {
      for (const value of spec.choices ?? (spec.min === undefined ? [false, true] : [spec.min, Number(input.max)])) {
        const tried = { ...values, [spec.name]: value };
        probe.textContent = picture.words(picture.numbers(tried), tried);
        tall.push(probe.offsetHeight);
      }
    }
    probe.remove();
    words.style.minHeight = `${Math.max(...tall)}px`;
  };
  makeRoom();
  addEventListener("resize", makeRoom);
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
