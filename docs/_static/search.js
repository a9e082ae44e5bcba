// Answers while typing, in the field of the menu and on the page of the search: Pagefind, over what build_site.py
// gave it. Words of the glossary count most, and lead to their lesson.
const ROOT = new URL("../", import.meta.url);
let pagefind;

async function ready() {
  const library = await import(new URL("pagefind/pagefind.js", ROOT));
  await library.options({ ranking: { metaWeights: { words: 20 } } });
  return library;
}

const linked = (url, title) => Object.assign(document.createElement("a"), { href: url, textContent: title });

// A page and the part of it that answers best. Of the excerpt only the marks are HTML.
function row(page, words) {
  const part = page.sub_results.find(({ title }) => title?.toLowerCase().includes(words)) ?? page.sub_results[0] ?? page;
  const [item, said] = ["li", "p"].map((tag) => document.createElement(tag));
  item.append(linked(page.url, page.meta.title));
  if (part.url !== page.url) item.append(" › ", linked(part.url, part.title));
  said.innerHTML = part.excerpt.replace(/<mark>([(“"'‘]*)(.*?)([.,:;!?)”"'’…]*)<\/mark>/g, "$1<mark>$2</mark>$3");
  item.append(said);
  return item;
}

for (const form of document.querySelectorAll("form.bd-search")) {
  const [list, status] = ["ol", "p"].map((tag) => document.createElement(tag));
  list.className = "search-answers";
  status.setAttribute("role", "status");
  form.after(status, list);
  const field = form.querySelector("input");
  const answer = async () => {
    const words = field.value.trim().toLowerCase();
    if (words && !list.childElementCount) status.textContent = "Searching …";
    const library = await (pagefind ??= ready()).catch(() => (pagefind = undefined));
    if (!library) return (status.textContent = "The search could not be fetched. Try once more."), 0;
    const found = await library.debouncedSearch(words, {}, 100);
    if (!found) return; // more was typed
    const pages = await Promise.all(found.results.slice(0, 10).map((one) => one.data()));
    const defines = ({ meta }) => Boolean(meta.words?.toLowerCase().split(", ").includes(words));
    pages.sort((one, other) => defines(other) - defines(one)); // the lesson that explains this very word
    if (words !== field.value.trim().toLowerCase()) return;
    list.replaceChildren(...pages.map((page) => row(page, words)));
    const count = found.results.length;
    status.textContent = !words ? "" : count ? `${count} page${count > 1 ? "s" : ""}, the best first` : "Nothing found. Try another word, or its beginning.";
    return pages.length;
  };
  // Enter in the field opens the best answer; the arrows go from the field through the list and back.
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await answer()) list.querySelector("a").click();
  });
  const step = (event) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const places = [field, ...list.querySelectorAll("li > a:first-child")];
    const at = places.indexOf(event.target.closest("li")?.querySelector("a") ?? field);
    places[at + way]?.focus();
  };
  for (const one of [form, list]) one.addEventListener("keydown", step);
  field.addEventListener("focus", () => (pagefind ??= ready()));
  field.addEventListener("input", answer);
  const asked = new URLSearchParams(location.search).get("q");
  if (asked && !form.closest("dialog")) {
    field.value = asked;
    answer();
  }
}
