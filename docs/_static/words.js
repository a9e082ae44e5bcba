// What a dotted word means, beside it: for a mouse, for the keyboard, and at the first tap of a finger.
const WORD = '.bd-article a[href*="glossary.html#term-"]';
const box = Object.assign(document.createElement("div"), { id: "word-told", hidden: true });
box.setAttribute("role", "tooltip");
document.body.append(box);
let [known, at, timer] = [];

function hide() {
  clearTimeout(timer);
  at?.removeAttribute("aria-describedby");
  [at, box.hidden] = [null, true];
}

async function show(link) {
  hide();
  at = link;
  known ??= fetch(new URL("terms.json", import.meta.url)).then((got) => got.json());
  const place = Object.values(await known.catch(() => ({}))).find((one) => one.at?.endsWith(link.hash));
  if (!place || at !== link) return;
  const make = (tag, textContent, href) => Object.assign(document.createElement(tag), { textContent }, href && { href: new URL(`../${href}`, import.meta.url).href });
  const [, said, lessons] = place.said.match(/^(.*?)( Lessons? \d\d.*)?$/);
  const lesson = place.in && new URL(`../${place.in}`, import.meta.url).pathname !== location.pathname ? make("a", lessons?.trim(), place.in) : "";
  box.replaceChildren(make("strong", place.word), `: ${said} `, lesson || "");
  box.append(" ", make("a", "Glossary", place.at));
  box.hidden = false;
  link.setAttribute("aria-describedby", box.id);
  const [word, own] = [link.getClientRects()[0], box.getBoundingClientRect()];
  box.style.left = `${Math.max(8, Math.min(word.left, innerWidth - own.width - 8))}px`;
  box.style.top = `${word.bottom + own.height + 8 < innerHeight ? word.bottom + 4 : word.top - own.height - 4}px`;
}

document.addEventListener("pointerover", ({ target, pointerType }) => {
  if (pointerType !== "mouse") return;
  const link = target.closest?.(WORD);
  if (box.contains(target) || (link && link === at)) return clearTimeout(timer);
  clearTimeout(timer);
  if (link) timer = setTimeout(() => show(link), 150);
  else if (at) timer = setTimeout(hide, 300);
});
document.addEventListener("focusin", ({ target }) => {
  const link = target.closest?.(WORD);
  if (link?.matches(":focus-visible")) show(link);
  else if (!box.contains(target)) hide();
});
document.addEventListener("click", (event) => {
  const link = event.target.closest?.(WORD);
  if (link && at !== link && matchMedia("(hover: none)").matches) {
    event.preventDefault();
    show(link);
  } else if (!box.contains(event.target)) hide();
});
document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
addEventListener("scroll", hide, { passive: true });
