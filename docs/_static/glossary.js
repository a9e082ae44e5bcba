// Above the glossary: a field that leaves the entries with what is typed, and a letter for each beginning.
const list = document.querySelector("dl.glossary");
const entries = [...list.querySelectorAll(":scope > dt")].map((word) => ({ word, said: word.nextElementSibling }));
const field = Object.assign(document.createElement("input"), { type: "search", placeholder: `filter ${entries.length} terms`, ariaLabel: "Filter the terms" });
const letters = document.createElement("nav");
const count = Object.assign(document.createElement("p"), { hidden: true });
letters.ariaLabel = "Letters";
let last = "";
for (const { word } of entries) {
  const letter = word.textContent.trim()[0].toUpperCase();
  if (letter !== last) letters.append(Object.assign(document.createElement("a"), { href: `#${word.id}`, textContent: letter }), " ");
  last = letter;
}
count.setAttribute("role", "status");
// The term itself, terms that hold what is typed, and those whose entries do.
const rank = (term, wanted) => [term === wanted, term.startsWith(wanted), term.includes(wanted), true].indexOf(true);
field.oninput = () => {
  const wanted = field.value.trim().toLowerCase();
  for (const { word, said } of entries) word.hidden = said.hidden = !`${word.textContent} ${said.textContent}`.toLowerCase().includes(wanted);
  const ranked = entries.map((one) => ({ ...one, at: wanted ? rank(one.word.firstChild.textContent.trim().toLowerCase(), wanted) : 0 })).sort((one, other) => one.at - other.at);
  list.append(...ranked.flatMap(({ word, said }) => [word, said]));
  const left = ranked.filter(({ word }) => !word.hidden);
  const named = left.filter(({ at }) => at < 3).length;
  count.textContent = !left.length ? "No term has this." : `${left.length} of ${entries.length} terms${named && named < left.length ? `: ${named} ${named > 1 ? "are" : "is"} called so, ${left.length - named} ${left.length - named > 1 ? "mention" : "mentions"} it` : ""}.`;
  count.hidden = !wanted;
  letters.hidden = Boolean(wanted);
};
const box = Object.assign(document.createElement("div"), { className: "in-glossary" });
box.append(field, letters, count);
list.before(box);
