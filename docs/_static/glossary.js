// Above the glossary: a field that leaves the entries with what is typed, and a letter for each beginning.
const list = document.querySelector("dl.glossary");
const entries = [...list.querySelectorAll(":scope > dt")].map((word) => ({ word, said: word.nextElementSibling }));
const field = Object.assign(document.createElement("input"), { type: "search", placeholder: `filter ${entries.length} terms`, ariaLabel: "Filter the terms" });
const letters = document.createElement("nav");
const none = Object.assign(document.createElement("p"), { textContent: "No term has this.", hidden: true });
letters.ariaLabel = "Letters";
let last = "";
for (const { word } of entries) {
  const letter = word.textContent.trim()[0].toUpperCase();
  if (letter !== last) letters.append(Object.assign(document.createElement("a"), { href: `#${word.id}`, textContent: letter }), " ");
  last = letter;
}
none.setAttribute("role", "status");
field.oninput = () => {
  const wanted = field.value.trim().toLowerCase();
  for (const { word, said } of entries) word.hidden = said.hidden = !`${word.textContent} ${said.textContent}`.toLowerCase().includes(wanted);
  none.hidden = entries.some(({ word }) => !word.hidden);
  letters.hidden = Boolean(wanted);
};
const box = Object.assign(document.createElement("div"), { className: "in-glossary" });
box.append(field, letters, none);
list.before(box);
