// Answers while typing, in the field of the menu and on the page of the search: Pagefind, over what build_site.py
// gave it. Where the words hold a term of the glossary, its entry stands first, and then the section that needs it first.
const ROOT = new URL("../", import.meta.url);
let [pagefind, known, names, awaited] = [];

async function ready() {
  const library = await import(new URL("pagefind/pagefind.js", ROOT));
  await library.options({ ranking: { metaWeights: { words: 20 } } });
  return library;
}

const linked = (url, title) => Object.assign(document.createElement("a"), { href: url, textContent: title });

// Where somebody with a question of their own is better served than by a page that has its words.
const SYMPTOM = /\bbad(ly)?\b|poor|differ|degrad|garbage|gibberish|noise|nonsense|repeat|stutter|worse|wrong|broken|breaks?\b|fail|hallucinat|padding|batch|\bloss\b|after \d/;
const AT_WORK = [
  [/\bconfig|_(theta|scaling|parameters|factor|types?|window|embeddings|section)\b/, "read_a_config.html", "Read a config", "tells you what your own file says about positions."],
  [SYMPTOM, "clinic.html", "The clinic", "finds a fault by what you see."],
];
const SUGGESTED = ["rotary", "kv cache", "wavelength", "left padding", "garbage after a long text"];
const KINDS = [["notebooks/", "Lesson"], ["clinic", "Clinic"], ["glossary", "Glossary"], ["gallery", "Models"], ["bibliography", "Source"], ["api/", "Function"], ["teaching/", "Teaching"]];

// How many letters were mistyped: left out, put in, replaced, or exchanged with the next.
function mistyped(one, other) {
  const far = [[...other, ""].map((_, n) => n)];
  for (let i = 1; i <= one.length; i++) {
    far[i] = [i];
    for (let j = 1; j <= other.length; j++) {
      far[i][j] = Math.min(far[i - 1][j] + 1, far[i][j - 1] + 1, far[i - 1][j - 1] + (one[i - 1] !== other[j - 1]));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) far[i][j] = Math.min(far[i][j], far[i - 2][j - 2] + 1);
    }
  }
  return far[one.length][other.length];
}

// Where a word begins that is written a little differently: frequencies, frequency.
const begin = (word) => word.slice(0, Math.max(3, word.length - 3));

// The words that no page has. Pagefind takes ever shorter beginnings of such a word.
async function missing(library, words) {
  const parts = words.split(/\s+/).filter((part) => part.length > 2);
  const found = await Promise.all(parts.map(async (part) => Promise.all((await library.search(part)).results.slice(0, 4).map((one) => one.data()))));
  return parts.filter((part, n) => !found[n].some(({ content, meta }) => `${content} ${meta.title} ${meta.words}`.toLowerCase().includes(begin(part))));
}

// Pages with all the words, then pages with some of them; a rare word says more.
async function search(library, words) {
  const { results } = await library.search(words);
  const parts = words.split(/\s+/);
  const apart = parts.length > 1 ? await Promise.all(parts.map(async (part) => (await library.search(part)).results)) : [results];
  const others = new Map();
  for (const found of apart.filter((_, n) => parts[n].length > 3)) {
    for (const one of found) others.set(one.id, { one, score: (others.get(one.id)?.score ?? 0) + 1 / (found.length + 10) });
  }
  if (results.length > 3 && !SYMPTOM.test(words)) return results; // the case of a symptom may have other words
  results.forEach(({ id }) => others.delete(id));
  return [...results, ...[...others.values()].sort((one, other) => other.score - one.score).map(({ one }) => one)];
}

// One way of writing for words that are written in several.
const ALIKE = [[/\bself[- ]attention\b/g, "attention"], [/\bflash[- ]attention\b/g, "flashattention"], [/^rotary$|(?<!partial )\brotary (position(al)? )?(embedding|encoding)s?\b/g, "rope"]];
const alike = (said) => ALIKE.reduce((now, [one, other]) => now.replace(one, other), said);

// Words that say nothing about what is looked for.
const SMALL = new Set("a an the i my our your we it is are was be do does did can could should to of in on at for from with by as and or not no if when why how what which where who that this there than then so into about me us you its have has get gets work works explain explained mean means use used using tell".split(" "));
const content = (words) => words.replace(/[?!.,;:“”"()]+/g, " ").split(/\s+/).filter((word) => word && !SMALL.has(word) && !/^\d$/.test(word)).join(" ");
const singular = (words) => words.split(" ").map((word) => (/[^su]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word)).join(" ");

// The longest term in the words: all of them, or several of them side by side, as in "breaks on long texts".
function term_in(terms, words) {
  const [all, bare] = [singular(words), singular(content(words))];
  const found = Object.keys(terms).map((term) => [term, singular(term)]);
  const inside = (said) => ([, one]) => said === one || (/[ _]/.test(one) && ` ${said} `.includes(` ${one} `));
  const held = found.filter((one) => inside(all)(one) || inside(bare)(one));
  return held.sort(([one], [other]) => other.length - one.length)[0]?.[0];
}

// What is known of a term, as rows: its entry in the glossary, and where its lesson uses it first.
function pinned({ word, at, said, in: place, title, under, first, asks }) {
  const entry = at && item("Glossary", at, word, said);
  const lesson = place && item("Lesson", place, under ? `${title} › ${under}` : title, first?.length > 24 ? first : asks ?? "This lesson is about it.");
  return [entry, lesson].filter(Boolean);
}

// Models and papers that are called so: the beginning of a model's name, a title or three words of it.
function called(all, asked) {
  const squeezed = (said) => said.toLowerCase().replace(/[\s“”"'?!,_-]+/g, "");
  const one = squeezed(asked);
  const letters = [...one].map((letter) => letter.replace(/\W/, "\\$&"));
  const begins = new RegExp(`^${letters.join("[\\s_-]*")}${/\d$/.test(one) ? "(?![\\d.])" : ""}`, "i"); // Qwen3 is not Qwen3.5
  const same = (title) => squeezed(title) === one || (asked.split(/\s+/).length > 2 && squeezed(title).includes(one));
  const fits = ([kind, title]) => (kind === "Source" ? same : (name) => begins.test(name))(title);
  const apart = ([, title]) => title.toLowerCase().startsWith(`${asked} `); // Qwen3 8B before Qwen3-Next
  return one.length < 3 ? [] : all.filter(fits).sort((a, b) => apart(b) - apart(a)).slice(0, 4).map(([kind, title, at, said]) => item(kind, at, title, kind === "Source" ? `${said}. The bibliography says what we cite it for.` : said));
}

function item(kind, place, title, said) {
  const [one, words] = ["li", "p"].map((tag) => document.createElement(tag));
  one.dataset.kind = kind;
  words.textContent = said;
  one.append(linked(new URL(place, ROOT).href, title), words);
  return one;
}

const LAST = /\/(teaching|api|evidence)\/|\/(index|bibliography|README|CONTRIBUTING|TUTOR)\.html|\/$/;

// How well a part of a page answers: all the words in its heading, some of them there, its matches.
function fit({ title, locations }, words) {
  const heading = title?.toLowerCase() ?? "";
  const there = words.split(/\s+/).filter((word) => word.length > 3 && heading.includes(word)).length;
  return 1000 * heading.includes(words) + 100 * there + (locations?.length ?? 0);
}

// The sentences of a part of a page: where each begins and ends among its words. A heading is none.
const headings = (page) => page.anchors.filter(({ element, text }) => /^h\d$/i.test(element) && text.trim());
function sentences(page, from, until, all) {
  const heads = new Set(headings(page).flatMap(({ location, text }) => text.trim().split(/\s+/).map((_, n) => location + n)));
  const found = [];
  let begun = from;
  for (let at = from; at < until; at++) {
    const last = at + 1 === until || heads.has(at + 1) || (/[.?!]["”’)]*$/.test(all[at]) && !/^(al|vs|e\.g|i\.e)\.$/.test(all[at]));
    if (heads.has(at)) begun = at + 1;
    else if (last) [found[found.length], begun] = [[begun, at + 1], at + 1];
  }
  const label = (said) => said === "You will be able to." || said === `${page.meta.title}.`;
  return found.filter(([a, b]) => b - a > 4 && !label(all.slice(a, b).join(" ")));
}

// What a part says of the words: whole sentences, with marks. Only the marks are HTML.
const LONGEST = 42; // words
function snippet(page, part) {
  const all = page.raw_content.split(/\s+/);
  const from = part.anchor?.location ?? 0;
  const until = Math.min(...headings(page).map(({ location }) => location).filter((one) => part.anchor && one > from), all.length);
  const hits = new Set(part.locations.filter((one) => one >= from && one < until));
  const said = sentences(page, from, until, all);
  if (!said.length) return "";
  const held = said.map(([a, b]) => range(a, b).filter((one) => hits.has(one)).length);
  const best = held.indexOf(Math.max(...held));
  let [a, b] = said[best];
  if (/^(This|That|It|They|These|Those|So|But)$/.test(all[a]) && said[best - 1]?.[1] === a) a = said[best - 1][0]; // what it speaks of
  else if (b - a < 14 && said[best + 1]?.[0] === b) b = said[best + 1][1]; // not too short
  let [before, after] = ["", ""];
  if (b - a > LONGEST) {
    const hit = range(a, b).find((one) => hits.has(one)) ?? a;
    if (hit - a > LONGEST / 2) [a, before] = [hit - 8, "… "];
    if (b - a > LONGEST) [b, after] = [a + LONGEST, " …"];
  }
  const marked = range(a, b).map((one) => (hits.has(one) ? all[one].replace(/^([(“"'‘]*)(.*?)([.,:;!?)”"'’…]*)$/s, "$1<mark>$2</mark>$3") : all[one])).join(" ");
  return before + marked.replace(/^(<mark>)?[a-z](?=[a-z’-]*[ ,])/, (one) => (before ? one : one.replace(/[a-z]$/, (letter) => letter.toUpperCase()))).replace(/[,;:]\.$/, ".").replace(/(^|[.?!] ), | ,(?= )/g, "$1") + after; // a cell of a row may be empty
}
const range = (from, until) => Array.from({ length: until - from }, (_, n) => from + n);

// A page at the part of it that answers best: one link.
function row(page, words) {
  const parts = page.sub_results.filter(({ title }) => !/^quiz/i.test(title) || /quiz/.test(words)); // they name what a lesson explains
  const part = parts.reduce((best, one) => (best === page || fit(one, words) > fit(best, words) ? one : best), page);
  const kind = KINDS.find(([place]) => page.url.startsWith(new URL(place, ROOT).pathname) || page.url.startsWith(new URL(place, ROOT).href))?.[1] ?? "Page";
  const one = item(kind, part.url, part.url === page.url ? page.meta.title : `${page.meta.title} › ${part.title}`, "");
  one.lastChild.innerHTML = snippet(page, part);
  return one;
}

for (const form of document.querySelectorAll("form.bd-search")) {
  const [list, status] = ["ol", "p"].map((tag) => document.createElement(tag));
  list.className = "search-answers";
  status.setAttribute("role", "status");
  form.after(status, list);
  const field = form.querySelector("input");
  const dialog = form.closest("dialog");
  if (dialog) field.autofocus = true; // and not the button before it
  if (dialog) form.before(Object.assign(document.createElement("button"), { type: "button", className: "shut-search", textContent: "✕", ariaLabel: "Close", onclick: () => dialog.close() }));
  const asking = (textContent, asked = textContent) => {
    const onclick = () => {
      field.value = asked;
      field.focus();
      answer();
    };
    return Object.assign(document.createElement("button"), { type: "button", textContent, onclick });
  };
  const old = (is) => {
    list.classList.toggle("old", is); // the answers to what was typed before are no answers now
    list.inert = is;
  };
  const answer = async () => {
    const typed = field.value.trim().toLowerCase();
    old(Boolean(list.childElementCount));
    if (typed) status.textContent = "Searching …";
    const library = await (pagefind ??= ready()).catch(() => (pagefind = undefined));
    if (!library) return (status.textContent = "The search could not be fetched. Try once more."), 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (typed !== field.value.trim().toLowerCase()) return; // more was typed
    const got = (name) => fetch(new URL(`_static/${name}.json`, ROOT)).then((one) => one.json());
    const [terms, all] = await Promise.all([(known ??= got("terms")), (names ??= got("names"))]);
    const key = typed.replace(/ +/g, "_");
    const whole = terms[key] && !term_in(terms, typed) ? key : typed; // rope theta is written rope_theta
    const every = alike(content(whole) || whole);
    const lost = await missing(library, every);
    const without = (said) => said.split(/\s+/).filter((word) => !lost.includes(word)).join(" ");
    const [asked, words] = [without(whole) || whole, without(every) || every]; // of two words the one that there is
    const found = lost.length && !without(every) ? [] : await search(library, words); // of a word that is nowhere only what begins like it would be found
    const pages = await Promise.all(found.slice(0, 20).map((one) => one.data()));
    const near = words.split(/\s+/).filter((word) => word.length > 2).map(begin);
    if (words === "alibi") pages.splice(0, pages.length, ...pages.filter(({ content, meta }) => /ALiBi/.test(`${content} ${meta.title}`)));
    const has = ({ content, meta }) => !near.length || near.some((begin) => `${content} ${meta.title} ${meta.words}`.toLowerCase().includes(begin));
    pages.splice(0, 20, ...pages.filter(has));
    for (const page of pages) if (page.meta.to) Object.assign(page, { url: new URL(page.meta.to, ROOT).href, sub_results: [] }); // a part of a page
    // Cases that begin so; then what is written for somebody who learns.
    const told = SYMPTOM.test(words) ? ({ meta }) => Boolean(meta.to) : () => false;
    const titled = ({ url, meta }) => url.includes("/notebooks/") && ` ${meta.title.toLowerCase()} `.includes(` ${words} `);
    pages.sort((one, other) => told(other) - told(one) || titled(other) - titled(one) || LAST.test(one.url) - LAST.test(other.url));
    const term = (words === "rope" && words) || (term_in(terms, asked) ?? term_in(terms, alike(asked)));
    const first = term ? pinned(terms[term]) : [];
    const places = first.map((one) => new URL(one.firstChild.href).pathname);
    const best = term && !terms[term].at && pages.find(({ url }) => places.includes(new URL(url, ROOT).pathname));
    if (best) first.splice(0, 1, row(best, words)); // at its best part
    first.push(...called(all, asked));
    places.push(...first.map((one) => new URL(one.firstChild.href).pathname));
    const others = pages.filter(({ url }) => !places.includes(new URL(url, ROOT).pathname));
    if (typed !== field.value.trim().toLowerCase()) return;
    const rows = others.map((page) => row(page, words));
    const cases = rows.filter((one) => one.dataset.kind === "Clinic");
    // A whole question that names a symptom is for the clinic first, and a term that is all of it for the glossary.
    const sick = SYMPTOM.test(words) && term !== singular(words) && term !== words;
    if (sick && cases.length) rows.splice(0, rows.length, cases[0], ...first, ...rows.filter((one) => one !== cases[0]));
    else rows.unshift(...first);
    // No entry is for all the words: those for one of them come after the best pages.
    const entries = term ? [] : words.split(" ").map((word) => terms[term_in(terms, word)]).filter((one) => one?.at && one.word.length > 3);
    if (entries.length) rows.splice(0, rows.length, ...rows.filter((one) => one.dataset.kind !== "Glossary"));
    rows.splice(2, 0, ...[...new Set(entries)].slice(0, 2).flatMap((one) => pinned({ ...one, in: null })));
    const count = rows.length;
    list.replaceChildren(...rows.slice(0, 10));
    old(false);
    status.textContent = !asked ? "Try " : count ? `${count > 9 ? "The ten best" : `${count} page${count > 1 ? "s" : ""}`}, the best first.` : `Nothing found for “${typed}”.`;
    if (asked && count) for (const word of lost) status.prepend(`No page has “${word}”. `);
    if (!asked) SUGGESTED.forEach((one, n) => status.append(...(n ? [", "] : []), asking(one)));
    const spelt = Object.keys(terms).flatMap((term) => [term, ...term.split(" ").filter((part) => part.length > 3)]);
    let meant = every;
    const corrected = [];
    for (const word of every.split(/\s+/)) {
      if (word.length < 4 || (!lost.includes(word) && pages.some(({ content }) => content.toLowerCase().includes(word)))) continue;
      const [best] = spelt.filter((term) => term[0] === word[0]).map((term) => [mistyped(word, term), term]).sort(([one], [other]) => one - other);
      if (!best?.[0] || best[0] > (word.length > 7 ? 2 : 1)) continue;
      meant = meant.replace(word, best[1]);
      corrected.push(best[1]);
    }
    if (corrected.length) status.append(" Did you mean ", asking(corrected.length > 1 ? meant : corrected[0], meant), "?");
    if (asked && !count) status.append(" Look among the words of the ", linked(new URL("glossary.html", ROOT), "glossary"), ", or if your model is wrong, in the ", linked(new URL("clinic.html", ROOT), "clinic"), ".");
    const way = AT_WORK.find(([one]) => one.test(asked));
    if (way) status.append(" ", linked(new URL(way[1], ROOT), way[2]), ` ${way[3]}`);
    const entered = awaited?.trim().toLowerCase() === typed;
    if (entered && meant !== every) { // Enter takes what was meant, and shows what it finds
      field.value = meant;
      awaited = null;
      return answer();
    }
    if (count && entered) list.querySelector("li > a").click();
    awaited = null;
    return count;
  };
  // Enter in the field opens the best answer, at its part; the arrows go from the field through the list and back.
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    awaited = field.value; // it may still be searching
    await answer();
  });
  const step = (event) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const places = [field, ...list.querySelectorAll("li > a")];
    const at = places.indexOf(event.target.closest("li")?.querySelector("a") ?? field);
    if (list.inert) return;
    (places[at + way + (!at && places.length > 2)] ?? places[at]).focus(); // the first is marked already
  };
  for (const one of [form, list]) one.addEventListener("keydown", step);
  field.addEventListener("focus", () => (field.value ? field.select() : answer())); // what is typed next takes the place of the old
  field.addEventListener("input", () => ((awaited = null), answer()));
  const asked = new URLSearchParams(location.search).get("q");
  if (asked && !form.closest("dialog")) {
    field.value = asked;
    answer();
  }
}
