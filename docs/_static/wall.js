// A wall of cards: which of them are shown, what opens below one, and which are compared.
const cards = [...document.querySelectorAll(".wall > li")];
const tags = [...document.querySelectorAll("[data-tag]")];
const single = document.querySelector(".filters[data-single]"); // the clinic: one symptom or one curve at a time
const name = document.querySelector(".filters input");
const count = document.querySelector(".wall-count");
const pressed = (one) => one.getAttribute("aria-pressed") === "true";
const homes = new Map(cards.map((card) => [card, card.parentElement]));
const found = document.createElement("ul"); // what a filter leaves of cards that stand in groups
found.className = "wall";
count.after(found);

// What is told opens below its card, and goes back to its place in the hidden list.
const sections = new Map(cards.map((card) => [card, document.getElementById(card.querySelector("a").hash.slice(1)).closest("section")]));
let opened;
function close() {
  if (!opened) return;
  opened.mark.replaceWith(opened.section);
  opened.place.remove();
  opened.card.classList.remove("open");
  opened.section.classList.add("folded");
  opened = null;
}
function open_at(card) {
  close();
  const [section, mark, place] = [sections.get(card), document.createComment(""), document.createElement("li")];
  section.replaceWith(mark);
  section.classList.remove("folded");
  place.className = "opened";
  place.append(section);
  card.after(place);
  card.classList.add("open");
  opened = { card, section, mark, place };
}

function show() {
  close();
  const wanted = tags.filter(pressed);
  const asked = Boolean(wanted.length || name?.value);
  for (const card of cards) {
    card.hidden = !card.textContent.toLowerCase().includes(name?.value.trim().toLowerCase() ?? "") || !wanted.every((one) => card.dataset.tags.split(" ").includes(one.dataset.tag));
    (asked ? found : homes.get(card)).append(card);
  }
  for (const home of new Set(homes.values())) home.closest("section").hidden = asked;
  const left = cards.filter((card) => !card.hidden);
  const called = single && wanted.length ? `“${(wanted[0].querySelector("b") ?? wanted[0]).textContent}”: ` : "";
  const meant = wanted.map((tag) => tag.title).filter(Boolean).join(" ");
  count.textContent = asked ? `${called}${left.length} of ${cards.length} shown. ${meant}`.trim() : `All ${cards.length} are shown.`;
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

for (const [card, section] of sections) {
  section.classList.add("folded");
  const shut = Object.assign(document.createElement("button"), { type: "button", className: "shut", textContent: "Close" });
  shut.onclick = () => {
    close();
    card.querySelector("a").focus();
  };
  section.append(shut);
  card.addEventListener("click", (event) => {
    if (!event.target.matches("a")) return;
    event.preventDefault();
    history.replaceState(null, "", event.target.hash);
    if (opened?.card === card) return close();
    open_at(card);
    opened.place.scrollIntoView({ block: "nearest" });
  });
}
function open() {
  const card = cards.find((one) => sections.get(one).contains(document.getElementById(location.hash.slice(1))));
  if (!card) return;
  if (card.hidden) press();
  if (opened?.card !== card) open_at(card);
  opened.place.scrollIntoView({ block: "nearest" });
}
addEventListener("hashchange", open);
open();

// Boxes of the cards and choices of the form at the bottom of the window are the same models. Above the choices they
// stand side by side, and the address leads there: gallery.html?compare=gpt-2,bloom.
const form = document.querySelector(".compare");
const boxes = [...document.querySelectorAll(".wall label input")];
if (form) {
  const chosen = [...form.querySelectorAll("select")];
  const [side, told_so, clear] = ["details", "[role=status]", "button"].map((one) => form.querySelector(one));
  const named = (name) => boxes.find((box) => box.value === name).dataset.model;
  const compare = async () => {
    const names = [...new Set(chosen.map((one) => one.value).filter(Boolean))];
    boxes.forEach((box) => (box.checked = names.includes(box.value)));
    clear.hidden = !names.length;
    side.hidden = names.length < 2;
    const address = new URL(location);
    side.hidden ? address.searchParams.delete("compare") : address.searchParams.set("compare", names);
    history.replaceState(null, "", address.href.replaceAll("%2C", ","));
    if (side.hidden) return;
    const { compared, gallery } = await import("./compare.js");
    const known = await gallery();
    if (names.some((name) => !chosen.some((one) => one.value === name))) return; // chosen again in the meantime
    side.querySelector("summary").textContent = `${names.map(named).join(" · ")}: side by side`;
    side.querySelector("div").replaceChildren(...compared(names.map((name) => ({ ...known[name], name: named(name), link: boxes.find((box) => box.value === name).closest("li").querySelector("a").hash }))));
  };
  side.addEventListener("click", ({ target }) => (side.open &&= !target.matches("th a"))); // its details open in the wall
  for (const box of boxes) {
    box.parentElement.hidden = false;
    box.onchange = () => {
      const free = chosen.find((one) => one.value === (box.checked ? "" : box.value));
      told_so.textContent = free ? "" : `Three at a time: ${box.dataset.model} takes the place of ${named(chosen[0].value)}.`;
      if (!free) chosen.forEach((one, n) => (one.value = chosen[n + 1]?.value ?? "")); // the fourth takes the place of the first
      (free ?? chosen.at(-1)).value = box.checked ? box.value : "";
      side.open = true;
      compare();
    };
  }
  form.onchange = compare;
  clear.onclick = () => {
    chosen.forEach((one) => (one.value = ""));
    told_so.textContent = "";
    compare();
  };
  document.querySelector("article > section").append(form);
  form.hidden = false;
  const linked = new URLSearchParams(location.search).get("compare")?.split(",").filter((name) => boxes.some((box) => box.value === name));
  if (linked) chosen.forEach((one, n) => (one.value = linked[n] ?? ""));
  compare(); // browsers keep choices over a reload
}
document.querySelector(".filters")?.classList.add("live-filters");
