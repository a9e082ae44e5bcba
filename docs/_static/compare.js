// Models side by side, from what the reader of configs says of them: for the gallery and for a file of one's own.
const COMPARED = ["layers", "what they do", "longest text", "base of the rotation", "pairs with less than one turn"];

export function make(tag, properties = {}, ...inside) {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...inside);
  return one;
}

export function drawn(svg) {
  const strip = new DOMParser().parseFromString(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '), "image/svg+xml").documentElement;
  strip.style.maxWidth = `${2 * Number.parseInt(strip.getAttribute("aria-label"))}rem`; // two layers are no wall
  return strip;
}

const cells = (tag, row) => make("tr", {}, ...row.map((text) => make(tag, { textContent: text })));
export const tabled = (heads, rows) => make("div", { className: "pst-scrollable-table-container", tabIndex: 0 },
  make("table", { className: "table" }, make("thead", {}, cells("th", heads)), make("tbody", {}, ...rows.map((row) => cells("td", row)))));

// What is said of the models of the gallery was written when the site was built, so that they need no Python.
let written;
export const gallery = () => (written ??= fetch(new URL("gallery.json", import.meta.url)).then((got) => got.json()));

// What the reader says of each kind of layers, and in the end what it says of no layers.
function kinds(told) {
  const [, ...lines] = told.split("\n");
  const [found, besides] = [[], []];
  for (const line of lines) {
    if (/^layers? \d/.test(line)) found.push([line]);
    else if (line.startsWith("  ")) found.at(-1).push(line.trim());
    else besides.push(line);
  }
  return [...found, besides];
}

// In one row stand kinds of layers that do the same, all with a window or all without; then what is left, in its order.
const alike = ([line]) => `${line.replace(/^layers? [^:]*: (\w+).*$/, "$1")} ${/window|chunks/.test(line)}`;
function aligned(all) {
  const rows = [];
  all.forEach((mine, n) => {
    const left = mine.filter((one) => {
      const row = rows.find((row) => !row[n] && row.some((other) => other && alike(other) === alike(one)));
      if (row) row[n] = one;
      return !row;
    });
    for (const one of left) {
      const row = rows.find((row) => !row[n]) ?? rows[rows.push([]) - 1];
      row[n] = one;
    }
  });
  return rows;
}

const filled = (facts) => facts.map((one, n) => one || (n > 2 && !facts[3] ? "no rotation" : "not given"));

// A cell's lines, with what isn't in all cells of the row in bold. Which layers they are is no difference.
const NONE = ["no such layers", "nothing", "no rotation", "not given"];
const words_of = (lines) => lines.join(" ").split(" ").map((word) => word.replace(/[,.:;]$/, ""));
function marked(line, lines, columns) {
  const like = (other) => !/^layers? \d/.test(lines[0]) || alike(other) === alike(lines); // a state has nothing in common with a rotation
  const others = columns.filter((other) => other !== lines && !NONE.includes(other[0]) && like(other)).map(words_of);
  const [, where, rest] = line.match(/^(layers? [^:]*: )?(.*)$/);
  const plain = (word) => NONE.includes(lines[0]) || (others.length ? others.every((other) => other.includes(word.replace(/[,.:;]$/, ""))) : line !== lines[0]); // the first line of what only one has
  const words = rest.split(" ").flatMap((word) => [" ", plain(word) ? word : make("b", { textContent: word })]);
  return make("div", {}, where ?? "", ...words.slice(1));
}

// Two or more models {name, link, told, facts, strip} as the columns of a table, in which the rows that differ stand out.
export function compared(models) {
  const facts = models.map((one) => filled(one.facts));
  const said = models.map((one) => kinds(one.told));
  const besides = said.map((one) => one.pop());
  const rows = [
    ...COMPARED.map((asked, n) => [asked, facts.map((one) => [one[n]])]),
    ...aligned(said).map((row, n) => [`layers of kind ${n + 1}`, models.map((_, m) => row[m] ?? ["no such layers"])]),
    ["besides", besides.map((one) => (one.length ? one : ["nothing"]))],
  ];
  const table = tabled(["", ...models.map(() => "")], []);
  models.forEach(({ name, link, strip }, n) => {
    table.querySelectorAll("th")[n + 1].append(link ? make("a", { href: link, textContent: name }) : name, drawn(strip));
  });
  table.querySelector("tbody").append(...rows.map(([asked, columns]) => {
    const row = cells("td", [asked, ...models.map(() => "")]);
    columns.forEach((lines, n) => {
      row.children[n + 1].append(...lines.map((line) => marked(line, lines, columns)));
      row.children[n + 1].dataset.of = models[n].name;
    });
    row.classList.toggle("changed", new Set(columns.map((lines) => lines.join("\n"))).size > 1);
    return row;
  }));
  table.classList.add("compared");
  table.classList.toggle("three", models.length > 2);
  const differs = table.querySelector(".changed");
  return [make("p", { textContent: differs ? "Bold: what differs. Grey: what is the same." : "They say the same." }), table];
}
