// What the search does in place of Sphinx's ways; language_data.js ends with it, on the page of the search alone.

// Lessons and the glossary come before other pages, and these before functions.
Scorer.score = ([page, , , , score]) =>
  /^(notebooks\/|glossary$)/.test(page) ? score + 100 : /^(api\/|_modules\/)/.test(page) ? score - 100 : score;

// Sphinx parts "t-SNE" at its hyphen and would then mark every letter t. Words are marked as they were typed.
const parseQuery = Search._parseQuery;
Search._parseQuery = (query) => {
  const [asked, terms, excluded, , objects] = parseQuery(query);
  const words = query.toLowerCase().split(/\s+/).map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""));
  const marked = new Set(words.filter((word) => word.length > 1 && !stopwords.has(word)));
  localStorage.setItem("sphinx_highlight_terms", [...marked].join(" "));
  return [asked, terms, excluded, marked, objects];
};

// Excerpts are taken from the article, not from the buttons and menus around it.
Search.htmlToText = (text, anchor) => {
  const page = new DOMParser().parseFromString(text, "text/html");
  const article = page.querySelector("article");
  article.querySelectorAll(".headerlink, script, style, .btn").forEach((one) => one.remove());
  const part = (anchor && page.getElementById(anchor.slice(1))) || article;
  return part.textContent.replace(/\s+/g, " ").trim();
};
