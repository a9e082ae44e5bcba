// A wall of cards: which of them are shown, what opens below one, and which are compared.
const cards = [...document.querySelectorAll(".wall > li")];
const tags = [...document.querySelectorAll("[data-tag]")];
const single = document.querySelector(".filters[data-single]"); // the clinic: one symptom or one curve at a time
const name = document.querySelector(".filters input");
const count = document.querySelector(".wall-count");
const pressed = (one) => one.getAttribute("aria-pressed") === "true";
const homes = new Map(cards.map((card) => [card, card.parentElement]));
const found = document.createElement("ul"); // what a filter leaves of cards that stand in groups
found.className = cards[0].parentElement.className;
count.after(found);

// What is told opens below its card, and goes back to its place in the hidden list.
const sections = new Map(cards.map((card) => [card, document.getElementById(card.querySelector("a").hash.slice(1)).closest("section")]));
const told = sections.get(cards[0]).parentElement;
let opened;
function close() {
  if (!opened) return;
  opened.mark.replaceWith(opened.section);
  opened.place.remove();
  opened.card.classList.remove("open");
  opened.section.classList.add("folded");
  opened = null;
}
// Below the words of the reader stands what some of them mean.
async function explain(section) {
  const told = section.querySelector(".highlight-text:last-of-type");
  if (!told || section.querySelector(".meant")) return;
  const { make, meant } = await import("./compare.js");
  if (!section.querySelector(".meant")) told.after(make("p", { className: "meant", textContent: meant(told.textContent) }));
}
function open_at(card) {
  close();
  const [section, mark, place] = [sections.get(card), document.createComment(""), document.createElement("li")];
  section.replaceWith(mark);
  explain(section);
  section.classList.remove("folded");
  place.className = "opened";
  place.append(section);
  card.after(place);
  card.classList.add("open");
  opened = { card, section, mark, place };
}

const squeezed = (said) => said.toLowerCase().replace(/[^a-z0-9]/g, ""); // gpt2 is GPT-2
const name_of = (card) => squeezed(card.querySelector("a").textContent);
// Somebody may look for a method: in what the reader says of a model, such as alibi, or in what the words of a card mean, such as rope.
const told_of = (card) => (sections.get(card).querySelector(".highlight-text")?.textContent ?? "").toLowerCase().match(/\w+/g) ?? [];
const meant = (card) => tags.filter((one) => card.dataset.tags.split(" ").includes(one.dataset.tag)).map((one) => `${one.dataset.tag} ${one.title}`);
const method_of = (card) => squeezed(`${card.querySelector("p").textContent} ${meant(card).join(" ")}`);
function show() {
  close();
  const wanted = tags.filter(pressed);
  const asked = Boolean(wanted.length || name?.value);
  const typed = squeezed(name?.value ?? "");
  const by = [name_of, told_of].find((one) => cards.some((card) => one(card).includes(typed))) ?? method_of;
  for (const card of cards) {
    card.hidden = !by(card).includes(typed) || !wanted.every((one) => card.dataset.tags.split(" ").includes(one.dataset.tag));
    (asked ? found : homes.get(card)).append(card);
  }
  for (const home of new Set(homes.values())) home.closest("section").hidden = asked;
  const left = cards.filter((card) => !card.hidden);
  for (const one of single ? [] : tags) { // what would leave nothing
    one.querySelector("small").textContent = left.filter((card) => card.dataset.tags.split(" ").includes(one.dataset.tag)).length;
    one.disabled = !pressed(one) && one.lastChild.textContent === "0";
  }
  told.hidden = !left.length;
  const called = single && wanted.length ? `“${(wanted[0].querySelector("b") ?? wanted[0].firstChild).textContent}”: ` : "";
  const meant = wanted.map((tag) => tag.title).filter(Boolean).join(" ");
  count.textContent = asked ? `${called}${left.length} of ${cards.length} shown. ${meant}`.trim() : `All ${cards.length} are shown.`;
  if (!left.length && typed) {
    const shared = (card) => [...typed].findIndex((letter, n) => letter !== name_of(card)[n]);
    const near = cards.filter((card) => shared(card) > 1).sort((one, other) => shared(other) - shared(one)).slice(0, 3);
    const ask = (textContent) => Object.assign(document.createElement("button"), { type: "button", textContent, onclick: () => press(null, textContent) });
    const reads = Object.assign(document.createElement("a"), { href: "read_a_config.html", textContent: "Read a config" });
    count.append(...(near.length ? [" Do you mean"] : [" No model or method here is called so. ", reads, " takes a file of any model."]), ...near.map((card) => ask(card.querySelector("a").textContent)));
  }
  if (asked) count.append(Object.assign(document.createElement("button"), { type: "button", textContent: "Show all", onclick: () => (history.replaceState(null, "", location.pathname), press()) }));
}

function press(tag, wanted = "") {
  if (!tag && name) name.value = wanted;
  for (const one of tags) {
    if (!tag || one === tag || single) one.setAttribute("aria-pressed", one === tag && !pressed(one));
  }
  show();
}

for (const one of tags) {
  one.setAttribute("role", "button"); // some are links, for readers without scripts
  one.setAttribute("aria-pressed", "false");
  if (one.matches("button")) one.append(" ", document.createElement("small"));
  if (single && one.matches("button")) one.lastChild.textContent = cards.filter((card) => card.dataset.tags.split(" ").includes(one.dataset.tag)).length;
  one.onclick = (event) => {
    event.preventDefault();
    press(one);
    history.replaceState(null, "", location.pathname + (pressed(one) ? `?show=${encodeURIComponent(one.dataset.tag)}` : ""));
    if (!single || !pressed(one)) return;
    one.closest(".filters, .curves").after(count, found); // what is left stands below what was chosen
    for (const it of [cards.find((card) => !card.hidden), one]) it.scrollIntoView({ block: "nearest" });
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
addEventListener("click", ({ target }) => {
  if (!target.matches(".to-cause")) return;
  const cause = target.closest("section").querySelector(".cause");
  cause.open = true;
  cause.scrollIntoView({ block: "nearest" });
  cause.querySelector("summary").focus({ preventScroll: true });
});

// Ticked cards and the choices above the table are the same models. A bar at the bottom says which, and leads to the
// table above the cards, and so does an address: gallery.html?compare=gpt-2,bloom.
const [bar, side] = [document.querySelector(".compare"), document.querySelector(".side")];
if (side) found.before(side); // above what a filter leaves
if (bar) {
  const boxes = [...document.querySelectorAll(".wall label input")];
  const chosen = [...side.querySelectorAll("select")];
  const [both, clear] = bar.querySelectorAll("button");
  const named = (name) => boxes.find((box) => box.value === name).dataset.model;
  const compare = async (instead = "") => {
    const names = [...new Set(chosen.map((one) => one.value).filter(Boolean))];
    boxes.forEach((box) => (box.checked = names.includes(box.value)));
    bar.hidden = !names.length;
    both.hidden = names.length < 2;
    bar.querySelector("p").textContent = names.map(named).join(" · ") + (names.length < 2 ? ": tick another to compare." : instead);
    if (both.hidden) side.hidden = true;
    const address = new URL(location);
    side.hidden ? address.searchParams.delete("compare") : address.searchParams.set("compare", names);
    history.replaceState(null, "", address.href.replaceAll("%2C", ","));
    if (side.hidden) return;
    const { compared, gallery } = await import("./compare.js");
    const known = await gallery();
    if (names.some((name) => !chosen.some((one) => one.value === name))) return; // chosen again in the meantime
    side.querySelector("div").replaceChildren(...compared(names.map((name) => ({ ...known[name], name: named(name), link: boxes.find((box) => box.value === name).closest("li").querySelector("a").hash }))));
  };
  for (const box of boxes) {
    box.parentElement.hidden = false;
    box.onchange = () => {
      const free = chosen.find((one) => one.value === (box.checked ? "" : box.value));
      const instead = free ? "" : `. Three at a time: ${box.dataset.model} takes the place of ${named(chosen[0].value)}.`;
      if (!free) chosen.forEach((one, n) => (one.value = chosen[n + 1]?.value ?? "")); // the fourth takes the place of the first
      (free ?? chosen.at(-1)).value = box.checked ? box.value : "";
      compare(instead);
    };
  }
  side.onchange = () => compare();
  const shown = async (is) => {
    side.hidden = !is;
    await compare();
    if (is) side.querySelector("h2").focus();
    (is ? side : count).scrollIntoView();
  };
  both.onclick = () => shown(true);
  side.querySelector(".shut").onclick = () => shown(false);
  clear.onclick = () => {
    chosen.forEach((one) => (one.value = ""));
    compare();
  };
  document.querySelector("article > section").append(bar);
  new IntersectionObserver(([{ isIntersecting }]) => bar.classList.toggle("away", isIntersecting)).observe(side); // it would lie on the table
  const linked = new URLSearchParams(location.search).get("compare")?.split(",").filter((name) => boxes.some((box) => box.value === name));
  if (linked) chosen.forEach((one, n) => (one.value = linked[n] ?? ""));
  linked ? shown(true) : compare(); // browsers keep choices over a reload
}
document.querySelector(".filters")?.classList.add("live-filters");
