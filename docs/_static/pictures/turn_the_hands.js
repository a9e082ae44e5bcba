// The front page: a row of the sinusoidal table as clock hands, and the table around it. 100 positions.
import { along, fixed, frequencies, line, middle, narrow, painted, range, row, spaced, sum, text, turning, word } from "./shared.js";

const POSITIONS = 100;
const ALIKE = 0.05; // so near to each other are two rows of the same colours
const [LEFT, TOP, WIDE, TALL] = [252, 18, 136, 162]; // the table
const [SPAN, LOW] = [226, 182]; // where the dials are

// The distance of two rows depends on their offset alone (lesson 07).
function nearest(position, omegas) {
  const others = range(POSITIONS).filter((p) => p !== position);
  const gaps = others.map((p) => Math.sqrt(sum(omegas.map((omega) => 2 - 2 * Math.cos((p - position) * omega)))));
  const gap = Math.min(...gaps);
  return { gap, nearest: others[gaps.findIndex((other) => other < gap + 1e-9)] };
}

function dials(count) {
  const columns = count > 4 ? 4 : count > 1 ? 2 : 1;
  const [wide, tall] = [SPAN / columns, (LOW - TOP + 6) / Math.ceil(count / columns)];
  const radius = Math.min(wide / 2 - 5, tall / 2 - 9);
  return range(count).map((k) => ({ x: wide * (k % columns) + wide / 2, y: TOP + tall * Math.floor(k / columns) + radius, radius }));
}

export const height = 186;
export const knobs = [
  { name: "position", label: "position", min: 0, max: POSITIONS - 1, value: 7 },
  { name: "width", label: "d_model", min: 2, max: 32, step: 2, value: 8 },
  { name: "base", label: "base", min: 1, max: 6, step: 0.5, value: 4, shown: (power) => spaced(10 ** power) },
];

export const button = "Walk along";
export const walk = "position";

export function numbers({ position, width, base }) {
  const omegas = frequencies(width, 10 ** base);
  return { own: row(position, width, 10 ** base), omegas, ...nearest(position, omegas) };
}

export function grasp([x, y], { position, width, base }) {
  if (x > SPAN + 12) return ([, to]) => along("position", [TOP, TOP + TALL], [0, POSITIONS - 1])([to]);
  const omegas = frequencies(width, 10 ** base);
  const all = dials(omegas.length);
  const k = all.findIndex((one) => Math.hypot(x - one.x, y - one.y) < one.radius + 6);
  if (k < 0) return null;
  const turned = turning([all[k].x, all[k].y], [x, y]);
  return (to) => ({ position: Math.min(Math.max(Math.round(position + turned(to) / omegas[k]), 0), POSITIONS - 1) });
}

const painting = { of: "" };
function table(width, base) {
  const of = `${width} ${base}`;
  if (painting.of !== of) Object.assign(painting, { of, rows: range(POSITIONS).map((p) => row(p, width, 10 ** base)) });
  return `<image href="${painted(painting.rows)}" x="${LEFT}" y="${TOP}" width="${WIDE}" height="${TALL}" preserveAspectRatio="none"/>`;
}

export function draw({ own, omegas, nearest: other }, { position, width, base }) {
  const hands = dials(omegas.length).map(({ x, y, radius }, k) => {
    const [sine, cosine] = own.slice(2 * k, 2 * k + 2);
    const [toX, toY] = [x + radius * cosine, y - radius * sine];
    return `<circle class="faint hand" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(1)}"/>`
      + line([[x, y], [toX, y]], "first") + line([[toX, y], [toX, toY]], "second dashed") + line([[x, y], [toX, toY]], "ink")
      + `<circle class="grip hand ink" cx="${toX.toFixed(1)}" cy="${toY.toFixed(1)}" r="${Math.max(radius / 8, 3.5).toFixed(1)}"/>`
      + (radius > 15 ? text(x, y + radius + 10, `pair ${k}`, middle) : "");
  });
  const at = (p) => TOP + ((p + 0.5) * TALL) / POSITIONS;
  const mark = (p, x, way, kind) => `<path class="mark ${kind}" d="M${x} ${at(p).toFixed(1)}l${-8 * way} -4v8z"/>`;
  return hands.join("") + table(width, base) + mark(position, LEFT - 1, 1, "ink") + mark(other, LEFT + WIDE + 1, -1, "near")
    + text(LEFT + WIDE / 2, 11, narrow() ? "positions 0 to 99" : "positions 0 to 99, a row each", middle);
}

export function words({ own, omegas, gap, nearest: other }, { position, width }) {
  const turn = (omega) => spaced((2 * Math.PI) / omega);
  return `Row ${position} begins ${own.slice(0, 4).map((value) => fixed(value, 3)).join(", ")}. In every pair the first number is the ${word("sine", "second")}, the second the ${word("cosine", "first")}. `
    + (width > 2 ? `The fastest hand turns once in ${turn(omegas[0])} tokens, the slowest once in ${turn(omegas.at(-1))}. ` : `The only hand turns once in ${turn(omegas[0])} tokens. `)
    + `The nearest other row is ${other}, at Euclidean distance ${gap.toFixed(2)}.`
    + (gap < ALIKE ? ` <strong>You did it: rows ${position} and ${other} look alike.</strong>` : "");
}
