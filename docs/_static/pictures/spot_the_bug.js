// Lesson 03: the table by the formula, and one with a bug. Which of them is A changes. 50 positions, 128 columns.
import { bar, curve, end, fixed, middle, narrow, painted, range, row, smooth, spaced, text } from "./shared.js";

const [POSITIONS, COLUMNS] = [50, 128];
const table = (base, first = 0) => range(POSITIONS).map((position) => row(position + first, COLUMNS, base));
const right = table(10_000);
const turn = (c) => 2 * Math.PI * 10_000 ** ((c - (c % 2)) / COLUMNS);
const formula = (c) => `By the formula, ${["sin", "cos"][c % 2]}(position / 10000<sup>${c - (c % 2)}/${COLUMNS}</sup>),`;
const period = (c) => `${formula(c)} its curve repeats every ${spaced(turn(c))} positions${turn(c) < POSITIONS ? ", from one thin line to the next" : ""}.`;
const clue = (c) => `In a right table, ${turn(c) < POSITIONS ? "every wave ends at a thin line" : `one wave takes ${spaced(turn(c))} positions`}.`;
const start = (c) => `${formula(c)} it begins at ${c % 2}.`;
const BUGS = [ // each opens at a column that shows it
  { wrong: table(10_000 ** 2), at: 1, opens: 10, hint: period, told: "exponent is doubled, so its columns change too slowly." }, // 2 (2k/d) is the same as the square of the base
  { wrong: right.map((one) => one.map((_, c) => one[c - (c % 2)])), at: 0, opens: 11, hint: start, told: "columns are all sines. The cosines are missing." },
  { wrong: table(10_000, 1), at: 0, opens: 10, hint: start, told: "positions are counted from 1." },
];
const column = (rows, number) => rows.map((one) => one[number]);
const largest = (one, other) => Math.max(...one.map((value, i) => Math.abs(value - other[i])));
for (const bug of BUGS) {
  bug.tables = bug.at ? [right, bug.wrong] : [bug.wrong, right];
  bug.differences = range(COLUMNS).map((c) => largest(...bug.tables.map((rows) => column(rows, c))));
}

// Where the game is: which bug, which table was taken for it and at which column, and whether a column has shown it.
const game = { bug: BUGS[0], column: null, guess: null, wrong: null, sent: null, asked: null, again: false, found: false };
function guess(n) {
  const { bug, column: c } = game;
  if (n === bug.at) return void Object.assign(game, { guess: n, asked: c, again: false });
  const to = bug.differences[c] < SEEN ? bug.opens : c; // a wrong one is no end, and where both are alike nobody can see it
  Object.assign(game, { wrong: n, sent: to === c ? null : [c, to] });
  return { column: to };
}
function next() {
  Object.assign(game, { bug: BUGS[(BUGS.indexOf(game.bug) + 1) % BUGS.length], guess: null, wrong: null, sent: null, found: false });
  return { column: game.bug.opens };
}
export const offers = () =>
  game.found ? [[game.bug === BUGS.at(-1) ? "Begin again" : "Find another bug", next]]
    : ["A", "B"].map((name, n) => [`${game.guess === n ? "✓ " : ""}Table ${name} has the bug`, game.guess === null && (() => guess(n))]);

// Side by side, or on a phone below each other: there a column is not much narrower than a fingertip can choose.
const places = () => {
  const [size, wide, tall, below, at, curves] = narrow() ? [15, 378, 104, 15, [[22, 17], [22, 160]], 50] : [7.5, 184, 68, 9, [[12, 13], [214, 13]], 31];
  return { size, wide, tall, below, at, box: [at[0][0], at[1][1] + tall + below + size + 7, 384 - at[0][0], curves] }; // box: where the curves are
};
const edge = () => (narrow() ? 2.4 : 1.2); // of the frame around the column that is shown
const KEY = [range(21).map((n) => n / 10 - 1)];

export const height = () => places().box[1] + places().box[3] + 16;
export const knobs = [{ name: "column", label: "column", min: 0, max: COLUMNS - 1, value: 10 }];
export const sweep = "column"; // a few steps to its value, once, so that one sees what a column is

export function grasp([x, y]) {
  const { wide, at, box } = places();
  if (y > box[1] - 4) return null;
  const left = x < at[1][0] - 8 ? at[0][0] : at[1][0];
  game.again = true;
  return ([to]) => ({ column: Math.min(Math.max(Math.floor(((to - left) * COLUMNS) / wide), 0), COLUMNS - 1) });
}

export function numbers({ column: c }) {
  const [one, other] = game.bug.tables.map((rows) => column(rows, c));
  return { one, other, difference: game.bug.differences[c] };
}

// What rows, columns and colours are stands at the tables.
function painting([left, top], n, c, { size, wide, tall, below }) {
  const right = left + wide;
  const image = (href, x, y, width, height, more = "") => `<image href="${href}" x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" ${more}/>`;
  return text(left, top - 3, `table ${"AB"[n]}`, `class="${["first", "second"][n]}"`)
    + (n === (narrow() ? 1 : 0) ? "" : text(right - 5 * size, top - 3, "−1", end) + image(painted(KEY), right - 4.8 * size, top - 3 - 0.7 * size, 4 * size, 0.7 * size) + text(right, top - 3, "1", end))
    + text(0, 0, narrow() ? "position →" : "position 0 to 49 →", `${middle} transform="translate(${left - 1.1 * size} ${top + tall / 2}) rotate(90)"`)
    + text(left + wide / 2, top + tall + below - 1, "column 0 to 127 →", middle)
    + image(painted(game.bug.tables[n]), left, top, wide, tall, 'class="grip"')
    + [["ring back", 1.7], ["ring", 1]].map(([kind, thick]) => bar(left + (c * wide) / COLUMNS - edge(), top - edge(), wide / COLUMNS + 2 * edge(), tall + 2 * edge(), kind, `stroke-width="${thick * edge()}"`)).join("");
}

export function draw({ one, other, difference }, { column: c }) {
  game.column = c;
  if (game.guess !== null && c !== game.asked) game.found ||= difference >= SEEN;
  const layout = places();
  const [x, y, width, tall] = layout.box;
  const lines = game.bug.hint === period ? range(Math.floor((POSITIONS - 1) / turn(c))).map((n) => bar(x + ((n + 1) * turn(c) * width) / (POSITIONS - 1), y, 0.8, tall, "slip")) : [];
  const wave = (turn(c) * width) / (POSITIONS - 1); // named above the first one
  const bracket = [[x, y - 4, wave, 0.8], [x, y - 6, 0.8, 6], [x + wave, y - 6, 0.8, 6]].map((one) => bar(...one, "slip")).join("");
  const named = lines.length && wave > 4.6 * layout.size ? bracket + text(x + wave / 2, y - 6, "one wave", middle) : "";
  const axis = named + bar(...layout.box, "box") + lines.join("") + text(x, y + tall + layout.below, "position 0") + text(x + width / 2, y + tall + layout.below, `column ${c} (framed)`, middle) + text(x + width, y + tall + layout.below, "49", end);
  const drawn = layout.at.map((place, n) => painting(place, n, c, layout)).join("") + axis;
  const ends = [one, other].map((values) => y + 4 + ((tall - 6) * (1 - values.at(-1))) / 2);
  const between = (ends[0] + ends[1]) / 2;
  if (Math.abs(ends[0] - ends[1]) < 14) [0, 1].forEach((n) => (ends[n] = between + (ends[n] > ends[1 - n] || (n && ends[0] === ends[1]) ? 7 : -7)));
  const names = ends.map((at, n) => text(388, at, "AB"[n], `class="${["first", "second"][n]}"`)).join("");
  return drawn + curve(one, "first", layout.box, smooth) + curve(other, "second dashed", layout.box, smooth) + names;
}

const SEEN = 0.1; // a smaller difference hides in the thickness of the curves
export const solved = () => game.found && game.bug === BUGS[0]; // the page tells its story

function seen(c, difference) {
  if (difference < 1e-9) return "A and B are equal here.";
  if (difference < SEEN) return `A and B differ by ${difference < 0.001 ? "less than 0.001" : `at most ${fixed(difference, 3)}`} here. You would hardly see it.`;
  return `the curves differ by up to ${fixed(difference)}.`;
}

export function words({ difference }, { column: c }, told) {
  const { bug, guess, found } = game;
  const touch = matchMedia("(hover: none)").matches ? "Tap" : "Click";
  const here = `<strong>Column ${c}: ${seen(c, difference)}</strong>`;
  if (guess === null && game.sent?.[1] === c) return `<strong>No, it isn't table ${"AB"[game.wrong]}.</strong> In column ${game.sent[0]} both look the same, so here is column ${c}. ${bug.hint(c)} Compare both curves with it, and guess again.`;
  if (game.wrong !== null && guess === null) return `<strong>No, table ${"AB"[game.wrong]} keeps to the formula here.</strong> ${bug.hint(c)} Compare both curves with it, and guess again.`;
  if (guess === null) return `${told ? here : "The curves show the framed columns."} ${bug.hint === period ? clue(c) : bug.hint(c)} Which curve is wrong?`;
  if (found) return `${here} Table ${"AB"[bug.at]}'s ${bug.told}`;
  const clear = range(COLUMNS).filter((n) => 2 * bug.differences[n] >= Math.max(...bug.differences));
  const best = clear.reduce((one, n) => (Math.abs(n - c) <= Math.abs(one - c) ? n : one)); // the nearest
  const missed = c === game.asked ? (game.again ? ` You guessed at column ${c} itself. Take another one.` : "") : ` ${here} Try further ${c < best ? "right" : "left"}.`;
  return `<strong>Yes, table ${"AB"[bug.at]} has the bug.</strong> Now prove it: ${touch.toLowerCase()} another column that shows it.${missed}`;
}
