// The picture on the front page: a row of the sinusoidal table as clock hands, and the table around it.
import { along, frequencies, grasp, spaced, turning } from "./pictures/shared.js";

const POSITIONS = 100;
const part = (name) => document.getElementById(name);
const knobs = { position: part("knob-position"), width: part("knob-width"), base: part("knob-base") };
const [table, dials, words, play] = ["table", "dials", "words", "play"].map((name) => part(`encoding-${name}`));
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// The distance of two rows depends on their offset alone (lesson 07).
function distance(offset, omegas) {
  return Math.sqrt(omegas.reduce((sum, omega) => sum + 2 - 2 * Math.cos(offset * omega), 0));
}

function nearest(position, omegas) {
  const others = Array.from({ length: POSITIONS }, (_, p) => p).filter((p) => p !== position);
  const gaps = others.map((p) => distance(p - position, omegas));
  const gap = Math.min(...gaps);
  return { gap, row: others[gaps.findIndex((other) => other < gap + 1e-9)] };
}

// Blue below zero, white, red above, as in the lessons' figures.
function colour(value) {
  const end = value < 0 ? [33, 102, 172] : [178, 24, 43];
  return end.map((channel) => Math.round(247 + (channel - 247) * Math.abs(value)));
}

function drawTable(position, omegas) {
  [table.width, table.height] = [2 * omegas.length, POSITIONS];
  const context = table.getContext("2d");
  const image = context.createImageData(table.width, POSITIONS);
  for (let p = 0; p < POSITIONS; p++) {
    omegas.forEach((omega, k) => [Math.sin, Math.cos].forEach((wave, column) => {
      image.data.set([...colour(wave(p * omega)), 255], 4 * (p * table.width + 2 * k + column));
    }));
  }
  context.putImageData(image, 0, 0);
  table.parentElement.style.setProperty("--row", (position + 0.5) / POSITIONS);
  table.parentElement.style.setProperty("--nearest", (nearest(position, omegas).row + 0.5) / POSITIONS);
}

function drawDials(position, omegas) {
  dials.innerHTML = omegas.map((omega, k) => {
    const [x, y] = [Math.cos(position * omega), Math.sin(position * omega)].map((value) => value.toFixed(3));
    return `<figure><svg viewBox="-1.15 -1.15 2.3 2.3"><circle r="1.05"/><path d="M0 0H${x}" class="cos"/>` +
      `<path d="M${x} 0V${-y}" class="sin"/><path d="M0 0L${x} ${-y}" class="hand"/></svg><figcaption>${k}</figcaption></figure>`;
  }).join("");
}

function draw() {
  const position = Number(knobs.position.value);
  const width = Number(knobs.width.value);
  const base = 10 ** Number(knobs.base.value);
  const omegas = frequencies(width, base);
  const shown = { position, width, base: spaced(base) };
  for (const [name, knob] of Object.entries(knobs)) {
    knob.previousElementSibling.textContent = shown[name];
    knob.setAttribute("aria-valuetext", shown[name]);
  }
  drawTable(position, omegas);
  drawDials(position, omegas);
  const row = omegas.slice(0, 2).flatMap((omega) => [Math.sin(position * omega), Math.cos(position * omega)]);
  const turn = (omega) => spaced(2 * Math.PI / omega);
  const { gap, row: other } = nearest(position, omegas);
  words.textContent = `Row ${position} begins ${row.map((value) => value.toFixed(3).replace("-", "−")).join(", ")}. ` +
    (width > 2 ? `The fastest hand turns once in ${turn(omegas[0])} tokens, the slowest once in ${turn(omegas.at(-1))}. `
      : `The only hand turns once in ${turn(omegas[0])} tokens. `) +
    `The nearest other row is ${other}, at Euclidean distance ${gap.toFixed(2)}.`;
}

let walk = null;
function stop() {
  clearInterval(walk);
  walk = null;
  play.textContent = "Walk along";
  words.setAttribute("aria-live", "polite");
}
play.addEventListener("click", () => {
  if (walk) return stop();
  play.textContent = "Stop";
  words.setAttribute("aria-live", "off"); // a screen reader should not be made to read every step
  walk = setInterval(() => {
    knobs.position.value = (Number(knobs.position.value) + 1) % POSITIONS;
    draw();
  }, calm.matches ? 1500 : 250);
});
knobs.position.addEventListener("pointerdown", stop);
for (const knob of Object.values(knobs)) knob.addEventListener("input", draw);
table.closest("section").hidden = false;
draw();

// A row is chosen in the table, or a hand is turned.
const go = (position) => {
  stop();
  knobs.position.value = position;
  draw();
};
grasp(table, ({ clientY }) => [clientY], () => {
  const { top, bottom } = table.getBoundingClientRect();
  return (to) => go(along("row", [top, bottom], [0, POSITIONS - 1])(to).row);
});
grasp(dials, ({ clientX, clientY }) => [clientX, clientY], (begun, { target }) => {
  const circle = target.closest("svg")?.querySelector("circle").getBoundingClientRect();
  if (!circle) return null;
  const [omega, from] = [frequencies(Number(knobs.width.value), 10 ** Number(knobs.base.value))[[...dials.children].indexOf(target.closest("figure"))], Number(knobs.position.value)];
  const turned = turning([circle.x + circle.width / 2, circle.y + circle.height / 2], begun);
  return (to) => go(Math.round(from + turned(to) / omega));
});
