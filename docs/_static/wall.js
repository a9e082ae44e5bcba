// A wall of cards: which of them are shown, with what they link to, and which two are compared.
const cards = [...document.querySelectorAll(".wall > li")];
const tags = [...document.querySelectorAll("[data-tag]")];
const single = document.querySelector(".filters[data-single]");
const name = document.querySelector(".filters input");
const count = document.querySelector(".wall-count");
const pressed = (one) => one.getAttribute("aria-pressed") === "true";
const homes = new Map(cards.map((card) => [card, card.parentElement]));
const found = document.createElement("ul"); // what a filter leaves of cards that stand by years
found.className = "wall";
if (!single) count.after(found);
// What is said of a model opens below its card, and goes back to its place in the list.
let opened;
function close() {
  if (!opened) return;
  opened.mark.replaceWith(opened.section);
  opened.place.remove();
  opened.card.classList.remove("open");
  fold(opened.section, true);
  opened = null;
}
function open_at(card) {
  close();
  const [section, mark, place] = [told(card), document.createComment(""), document.createElement("li")];
  section.replaceWith(mark);
  place.className = "opened";
  place.append(section);
  card.after(place);
  card.classList.add("open");
  opened = { card, section, mark, place };
  fold(section, false);
}
const told = (card) => document.getElementById(card.querySelector("a").hash.slice(1)).closest("section");

function show() {
  close();
  const wanted = tags.filter(pressed);
  const asked = Boolean(wanted.length || name?.value);
  document.querySelector("article").classList.toggle("chosen", Boolean(single) && asked);
  for (const card of cards) {
    const fits = (card.textContent.toLowerCase().includes(name?.value.trim().toLowerCase() ?? "")) && wanted.every((one) => card.dataset.tags.split(" ").includes(one.dataset.tag));
    told(card).hidden = !fits;
    card.hidden = !fits || Boolean(single && !asked); // below stand all of them
    (asked && !single ? found : homes.get(card)).append(card);
  }
  for (const section of new Set(cards.flatMap((card) => [homes.get(card).closest("section"), told(card).parentElement]))) {
    if (section.matches("section section")) section.hidden = ![...section.querySelectorAll(".wall > li, section")].some((one) => !one.hidden);
  }
  const left = cards.filter((card) => !card.hidden);
  const numbers = left.map((card) => card.querySelector("a").hash.replace("#case-", "")).join(", ");
  const called = (tag) => (tag.querySelector("b") ?? tag).textContent;
  const some = single && wanted.length ? `“${called(wanted[0])}”: ${left.length} of the ${cards.length} cases, ${left.length > 1 ? "numbers" : "number"} ${numbers}.` : `${left.length} of ${cards.length} shown.`;
  const meant = wanted.map((tag) => tag.title).filter(Boolean).join(" ");
  count.textContent = asked ? `${some} ${meant}`.trim() : (single ? `All ${cards.length} cases are below. A case keeps its number for good, so some numbers are missing.` : `All ${cards.length} are shown.`);
  if (asked) count.append(Object.assign(document.createElement("button"), { type: "button", textContent: "Show all", onclick: () => press() }));
}

function press(tag) {
  if (!tag && name) name.value = "";
  for (const one of tags) {
    if (!tag || one === tag || single) one.setAttribute("aria-pressed", one === tag && !pressed(one));
  }
  show();
}

for (const one of tags) {
  one.setAttribute("role", "button"); // some are links, for readers without scripts
  one.setAttribute("aria-pressed", "false");
  one.onclick = (event) => {
    event.preventDefault();
    press(one);
    if (!single || !pressed(one)) return;
    cards.find((card) => !card.hidden).scrollIntoView({ block: "nearest" }); // the cases may lie beside the screen
    count.focus({ preventScroll: true }); // and are next
  };
  one.onkeydown = (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    one.click();
  };
}

name?.addEventListener("input", show);

// A link may ask for a tag: gallery.html?show=window.
const asked = new URLSearchParams(location.search).get("show");
const first = tags.find((one) => one.dataset.tag === asked);
first ? press(first) : show();

// The sections below the cards are folded, until a card, a link or their own heading opens them.
const sections = cards.map(told);
function fold(section, folded) {
  section.classList.toggle("folded", folded);
  section.querySelector("h3 button").ariaExpanded = !folded;
}
for (const [n, section] of sections.entries()) {
  const [heading, button] = [section.querySelector("h3"), document.createElement("button")];
  button.append(...[...heading.childNodes].filter((one) => !one.matches?.(".headerlink")));
  button.onclick = () => {
    if (opened?.section !== section) return fold(section, !section.classList.contains("folded"));
    const { card } = opened;
    close();
    card.querySelector("a").focus();
  };
  heading.prepend(button);
  // A list of titles says little; with the number and what is seen one finds one's own.
  if (single) heading.append(Object.assign(document.createElement("small"), { className: "seen", textContent: `Case ${cards[n].querySelector("a").hash.slice(6)}. ${cards[n].querySelector("p").firstChild.textContent}` }));
  section.append(Object.assign(document.createElement("a"), { className: "back", href: "#", textContent: single ? "↑ All symptoms" : "↑ All models" }));
  fold(section, true);
}
function open() {
  const section = sections.find((one) => one.contains(document.getElementById(location.hash.slice(1))));
  if (!section) return;
  if (single) fold(section, false);
  else open_at(cards[sections.indexOf(section)]);
  section.scrollIntoView({ block: "nearest" });
}
for (const card of cards) {
  card.addEventListener("click", (event) => {
    if (!event.target.matches("a")) return;
    if (single) return fold(told(card), false);
    event.preventDefault();
    history.replaceState(null, "", event.target.hash);
    if (opened?.card === card) return close();
    open_at(card);
    opened.place.scrollIntoView({ block: "nearest" });
  });
}
addEventListener("hashchange", open);
open();

// Two boxes of the cards are the two choices of the form, which stays at the bottom of the window.
const form = document.querySelector(".compare");
const boxes = [...document.querySelectorAll(".wall label input")];
if (form) {
  const chosen = [...form.querySelectorAll("select")];
  const told_so = Object.assign(document.createElement("p"), { className: "told-so" });
  told_so.setAttribute("role", "status");
  form.append(told_so);
  const mark = () => {
    boxes.forEach((box) => (box.checked = chosen.some((one) => one.value === box.value)));
  };
  for (const box of boxes) {
    box.parentElement.hidden = false;
    box.onchange = () => {
      const place = chosen.find((one) => one.value === (box.checked ? "" : box.value));
      const named = (one) => one.selectedOptions[0].textContent;
      told_so.textContent = place ? "" : `Two at a time: ${box.dataset.model} takes the place of ${named(chosen[0])}.`;
      if (!place) chosen[0].value = chosen[1].value; // the third takes the place of the first
      (place ?? chosen[1]).value = box.checked ? box.value : "";
      mark();
    };
  }
  form.onchange = mark;
  document.querySelector("article > section").append(form);
  mark(); // browsers keep choices over a reload
}
document.querySelector(".filters")?.classList.add("live-filters");
