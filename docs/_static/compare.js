// Models side by side, from what the reader of configs says of them: for the gallery and for a file of one's own.
const COMPARED = [["layers"], ["what they do"], ["longest text", "in tokens"], ["base of the rotation", "A larger one turns the slow pairs more slowly."], ["pairs with less than one turn", "Within the longest text, or within a window.", "why they matter"]];
// Where what such pairs do to a long text is shown.
export const LESSON = "notebooks/13_longer_than_trained.html#angles-that-were-never-there";

// Words of the reader that a page explains where they stand.
const MEANS = {
  "its state": "A state is a table of numbers that each token changes. It takes the place of the keys, as in Mamba.",
  "apart": "Columns kept apart: only these columns of a head are turned. The others hold the content.",
  "rule proportional": "The rule proportional turns only the first pairs, each as fast as if all columns of the head were turned.",
  "rule yarn": "YaRN slows down the slow pairs and leaves the fast ones. beta_fast and beta_slow say where it begins and ends.",
  "rule llama3": "This rule slows down pairs of less than low_freq_factor turns, leaves those of more than high_freq_factor, and goes from one to the other in between.",
  "rule linear": "The rule linear slows down all pairs by the factor, as position interpolation does.",
  "window of": "A token in a layer with a window sees only so many tokens before it.",
  "chunks of": "A token in a layer with chunks sees only the tokens of its own piece of the text.",
  "without positions": "Without positions: nothing in such a layer says which word comes where, as in NoPE.",
  "queries and keys times": "This factor of a rule multiplies queries and keys, so a score grows by its square.",
  "compressed": "Compressed: several older tokens share one key.",
};
export const meant = (told) => Object.keys(MEANS).filter((said) => told.includes(said)).map((said) => MEANS[said]).join(" ");

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

// 41721.5 is hard to read.
const commas = (line) => line.replace(/(?<![\d.,])(\d{5,}(\.\d+)?|\d{4}\.\d+)(?![\d,]|e)/g, (digits) => Number(digits).toLocaleString("en", { maximumFractionDigits: 9 }));

// What a line says, fact by fact. Bold is what no other column says: of a sentence that another has with other numbers
// the numbers, else how it begins. Which layers a line is about is no difference.
const KIND = /^(layers? [^:]*:) /;
const NUMBER = /\d[\d,.]*(?<![,.])/g;
// Many layers in uneven steps: the first few and the last. The strip above has them all.
const abridged = (kind) => {
  const all = kind.split(", ");
  return all.length > 8 ? [...all.slice(0, 6), "...", all.at(-1)].join(", ") : kind;
};
const facts_of = (line) => line.replace(KIND, "").split(/(, |; | (?=with base |on all |on \d))/);
const skeleton = (fact) => fact.replace(NUMBER, "#");
function bolder(fact, first, others) {
  if (others.includes(fact)) return [fact];
  const like = others.filter((other) => skeleton(other) === skeleton(fact)).map((other) => other.match(NUMBER) ?? []);
  const end = like.length || !first ? fact.length : fact.search(/[:(]|$/);
  if (!like.length) return [make("b", { textContent: fact.slice(0, end) }), fact.slice(end)];
  const words = fact.split(NUMBER);
  return (fact.match(NUMBER) ?? []).flatMap((number, n) => [words[n], like.some((other) => other[n] === number) ? number : make("b", { textContent: number })]).concat(words.at(-1));
}
function marked(line, lines, columns) {
  const others = columns.filter((other) => other !== lines).flat().flatMap((other) => facts_of(commas(other)));
  const kind = line.match(KIND)?.[1];
  const said = facts_of(commas(line)).map((fact, n) => {
    if (n % 2) return kind ? " " : fact; // what stands between two
    const told = kind || !n || /^\d/.test(fact) || others.some((other) => skeleton(other) === skeleton(fact)) ? bolder(fact, !n, others) : [fact];
    return make("span", { className: kind ? "one-fact" : "" }, ...told);
  });
  return make("div", {}, ...(kind ? [make("span", { className: "one-fact", textContent: abridged(kind), title: abridged(kind) === kind ? "" : kind })] : []), ...said);
}

// Two or more models {name, link, told, facts, strip} as the columns of a table, in which the rows that differ stand out.
export function compared(models) {
  const facts = models.map((one) => filled(one.facts));
  const said = models.map((one) => kinds(one.told));
  const besides = said.map((one) => one.pop());
  const rows = [
    ...COMPARED.map((asked, n) => [asked, facts.map((one) => [one[n]])]),
    ...aligned(said).map((row, n, { length }) => [[length > 1 ? `layers, kind ${n + 1} of ${length}` : "all layers", n ? "" : "Layers that do about the same stand side by side."], models.map((_, m) => row[m] ?? ["no such layers"])]),
    [["besides"], besides.map((one) => (one.length ? one : ["nothing"]))],
  ];
  const table = tabled(["", ...models.map(() => "")], []);
  models.forEach(({ name, link, strip, mark }, n) => {
    const marks = mark && !name.includes(mark) ? [" ", make("mark", { textContent: mark })] : [];
    table.querySelectorAll("th")[n + 1].append(link ? make("a", { href: link, textContent: name }) : name, ...marks, drawn(strip));
  });
  table.querySelector("tbody").append(...rows.map(([[asked, note, why], columns]) => {
    const row = cells("td", [asked, ...models.map(() => "")]);
    if (note) row.firstChild.append(make("small", {}, note, ...(why ? [" ", make("a", { href: LESSON, textContent: why })] : [])));
    columns.forEach((lines, n) => {
      row.children[n + 1].append(...lines.map((line) => marked(line, lines, columns)));
      row.children[n + 1].dataset.of = models[n].name;
    });
    row.classList.toggle("changed", new Set(columns.map((lines) => lines.join("\n"))).size > 1);
    return row;
  }));
  table.classList.add("compared");
  table.classList.toggle("three", models.length > 2);
  const [differs, same] = [".changed", ":not(.changed)"].map((of) => table.querySelectorAll(`tbody tr${of}`).length);
  const apart = differs > 5 * same; // then a tint says nothing
  table.classList.toggle("apart", apart);
  const words = meant(models.map((one) => one.told).join("\n"));
  return [make("p", { textContent: !differs ? "They say the same." : apart ? "Nearly all rows differ." : `Tinted: rows that differ. Bold: ${models.length > 2 ? "what only one of them has" : "what differs in them"}.` }), table, ...(words ? [make("p", { className: "meant", textContent: words })] : [])];
}
