// What the live pictures share: a few functions for numbers, and for pieces of SVG.

export const WIDTH = 400;
const phone = matchMedia("(max-width: 600px)");
export const narrow = () => phone.matches;
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

// 6.28, but 19,869: three digits are enough below a hundred.
export const spaced = (number) =>
  Math.abs(number) < 100 ? String(Number(number.toPrecision(3))).replace("-", "−") : Math.round(number).toLocaleString("en");
export const fixed = (number, digits = 2) => number.toFixed(digits).replace("-", "−");

export const line = (points, kind) => `<path class="line ${kind}" d="M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}"/>`;
export const text = (x, y, said, more = "") => `<text x="${x}" y="${y}" ${more}>${said}</text>`;
export const bar = (x, y, width, height, kind, more = "") =>
  `<rect class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(width, 0).toFixed(1)}" height="${Math.max(height, 0).toFixed(1)}" ${more}/>`;

// A line without corners: at every point it is parallel to the line between its neighbours.
export const smooth = (points, kind) => {
  const [near, at] = [(n) => points[Math.min(Math.max(n, 0), points.length - 1)], (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`];
  const held = (n, way) => at(...[0, 1].map((i) => near(n)[i] + (way * (near(n + 1)[i] - near(n - 1)[i])) / 6));
  return `<path class="line ${kind}" d="M${at(...points[0])}${range(points.length - 1).map((n) => `C${held(n, 1)} ${held(n + 1, -1)} ${at(...points[n + 1])}`).join("")}"/>`;
};

// Values between -1 and 1 as a curve in a box, the first at its left edge.
export const curve = (values, kind, [x, y, width, height], drawn = line) =>
  drawn(values.map((value, i) => [x + (width * i) / (values.length - 1), y + (height * (1 - value)) / 2]), kind);

// Rows of numbers between -1 and 1 as the address of an image: blue below zero, red above, and what is 0 has the colour of the page's
// paper.
const dark = () => document.documentElement.dataset.theme === "dark";
const SCALES = { true: [[116, 184, 255], [34, 40, 50], [255, 133, 125]], false: [[33, 102, 172], [247, 247, 247], [178, 24, 43]] };
const addresses = new Map([SCALES.true, SCALES.false].map((scale) => [scale, new WeakMap()]));
export function painted(rows) {
  const scale = SCALES[dark()];
  const known = addresses.get(scale);
  if (known.has(rows)) return known.get(rows);
  const [low, paper, high] = scale;
  const canvas = Object.assign(document.createElement("canvas"), { width: rows[0].length, height: rows.length });
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  rows.flat().forEach((value, i) => {
    const end = value < 0 ? low : high;
    image.data.set([...paper.map((channel, n) => channel + (end[n] - channel) * Math.abs(value)), 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
  known.set(rows, canvas.toDataURL());
  return known.get(rows);
}

// A word of the sentence in the colour that its curve has in the picture.
export const word = (said, kind) => `<b class="${kind}">${said}</b>`;
export const middle = 'text-anchor="middle"';
export const end = 'text-anchor="end"';

// What the shades of a grid mean, at its left.
export const key = (said) => range(11).map((n) => bar(28, 118 - 10 * n, 14, 10, "first", `fill-opacity="${n / 10}"`)).join("")
  + text(48, 26, "1") + text(48, 128, "0") + text(0, 0, said, `${middle} transform="translate(18 76) rotate(-90)"`);

// --- what is grasped ---

const within = (value, [low, high]) => Math.min(Math.max(Math.round(value), low), high);
// The value of a knob at a place between two ends of the drawing.
export const along = (name, [left, right], [low, high]) => ([x]) => ({ [name]: within(low + ((high - low) * (x - left)) / (right - left), [low, high]) });

// How far a pointer has gone round a centre since it began, in radians: counterclockwise, more than a turn too.
export function turning([x, y], begun) {
  const angle = ([toX, toY]) => Math.atan2(y - toY, toX - x);
  let [last, turned] = [angle(begun), 0];
  return (point) => {
    const step = angle(point) - last;
    last += step;
    turned += Math.atan2(Math.sin(step), Math.cos(step));
    return turned;
  };
}

// Follows mouse, pen and finger on an element. take(point, event) gives null, or what to do with each next point.
export function grasp(element, pointOf, take) {
  let [down, held] = [null, null];
  const follow = (event) => {
    held ??= take(pointOf(down.event), down.event);
    held?.(pointOf(event));
  };
  element.classList.add("to-grasp");
  // Nobody scrolls by a hand. (In Chromium touch-action does nothing inside an SVG.)
  element.addEventListener("touchstart", (event) => event.target.closest(".hand") && event.preventDefault(), { passive: false });
  element.addEventListener("pointerdown", (event) => {
    // A finger may be about to scroll, until it moves to the side or is lifted.
    down = { event, sure: event.pointerType === "mouse" || event.target.closest(".hand") };
    element.setPointerCapture(event.pointerId); // what is drawn under the finger is replaced at every move
    if (down.sure) follow(event);
  });
  element.addEventListener("pointermove", (event) => {
    if (!down) return;
    down.sure ||= Math.abs(event.clientX - down.event.clientX) > 8;
    if (down.sure) follow(event);
  });
  element.addEventListener("pointerup", (event) => down && follow(event));
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (down = held = null));
}
