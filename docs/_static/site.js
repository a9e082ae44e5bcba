// Formulas that are a little wider than the page become smaller. The others scroll, and the keyboard has to reach them, as the theme sees to for code.
for (const event of ["load", "resize"]) {
  addEventListener(event, () => {
    for (const formula of document.querySelectorAll("mjx-container[display]")) {
      formula.style.fontSize = "";
      const fits = formula.clientWidth / formula.scrollWidth;
      if (fits < 1 && fits > 0.7) formula.style.fontSize = `calc(${0.98 * fits} * 1ex / 0.43)`;
      formula.tabIndex = formula.scrollWidth > formula.clientWidth ? 0 : -1;
    }
  });
}

// What scrolls is reached by the keyboard, from the moment at which it scrolls. (The theme looks half a second later.)
const scrolls = new ResizeObserver((all) => all.forEach(({ target }) => target.scrollWidth > target.clientWidth ? (target.tabIndex = 0) : target.removeAttribute("tabindex")));
addEventListener("DOMContentLoaded", () => document.querySelectorAll("article pre, .pst-scrollable-table-container").forEach((one) => scrolls.observe(one)));

// A link to what is folded opens it.
document.addEventListener("click", ({ target }) => {
  const link = target.closest?.('a[href^="#"]');
  for (let at = link && document.getElementById(decodeURIComponent(link.hash.slice(1))); at; at = at.parentElement) if (at.matches("details")) at.open = true;
});

// The theme puts the menu back where it was on the last page, and a phone's at its top. This page's place in it is to be seen.
const show_place = () => document.querySelector(".bd-docs-nav a.current")?.scrollIntoView({ block: "nearest" });
addEventListener("load", show_place);

addEventListener("DOMContentLoaded", () => {
  document.querySelector(".primary-toggle")?.addEventListener("click", () => setTimeout(show_place));

  // Every piece of code can be copied.
  for (const code of document.querySelectorAll(".highlight:not(.cm-content, .cell_output *)")) {
    const copy = document.createElement("button");
    Object.assign(copy, { type: "button", className: "copy-code", textContent: "Copy" });
    copy.onclick = async () => {
      await navigator.clipboard.writeText(code.querySelector("pre").textContent.trimEnd());
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 2000);
    };
    code.append(copy);
  }

  // A figure opens over the lesson at its full size, and as a file where a new tab is asked for.
  for (const image of document.querySelectorAll(".cell_output figure img")) {
    if (image.closest("a")) continue; // Sphinx links most of them
    const link = document.createElement("a");
    link.href = image.src;
    image.replaceWith(link);
    link.append(image);
  }
  // On a phone its panels stand below each other, as pieces of the one picture. They stay so: where there is room they go side by side.
  const phone = matchMedia("(max-width: 600px)");
  const stack = () => {
    for (const { dataset, parentElement } of document.querySelectorAll("img[data-cuts]")) {
      const places = dataset.cuts.split(" ").map(Number);
      const [all, bar] = [places.at(-1), Number(dataset.bar)]; // a bar of colours from here on, for each piece
      if (bar) places[places.length - 1] = bar;
      const widest = Math.max(...places.slice(1).map((end, n) => end - places[n])) + all - (bar || all); // all pieces have one scale
      for (const image of parentElement.closest("figure").querySelectorAll("img")) {
        const cut = (from, end, said) => {
          const [piece, copy] = [document.createElement("span"), image.cloneNode()];
          copy.removeAttribute("data-cuts");
          if (!said) copy.alt = ""; // it has been said
          piece.className = "piece";
          piece.style.cssText = `--from: ${from}; --part: ${end - from}; --all: ${all}; --widest: ${widest}`;
          piece.append(copy);
          return piece;
        };
        image.replaceWith(...places.slice(1).flatMap((end, n) => [cut(places[n], end, !n), ...(bar ? [cut(bar, all)] : [])]));
      }
    }
  };
  // What a phone needs stays so.
  const on_phones = (act) => (phone.matches ? act() : phone.addEventListener("change", act, { once: true }));
  on_phones(stack);
  // Sentences that come out are broken like others. Columns of words or numbers stay columns.
  for (const code of document.querySelectorAll(".cell_output pre")) code.classList.toggle("prose", !/\S {2,}\S/.test(code.textContent) && code.textContent.split("\n").every((line) => line.length < 50 || /[a-z]{3}[^|\[\]]*[.:?!]$/.test(line)) && /^.{70}/m.test(code.textContent));
  // A table that is wider than the text leaves its column. In one of words each cell knows its head, for a phone.
  for (const box of document.querySelectorAll("article .pst-scrollable-table-container")) {
    const inside = box.querySelector("table");
    box.classList.toggle("breaks-out", box.scrollWidth > box.clientWidth + 1);
    const heads = [...box.querySelectorAll("thead th, thead td")];
    const rows = [...box.querySelectorAll("tbody tr")];
    if (heads.length < 3) continue;
    if (!rows.some(({ children }) => [...children].some((cell, n) => n && /[a-z]+ \S+ [a-z]/i.test(cell.textContent)))) {
      inside.classList.add("numbers");
      continue;
    }
    inside.classList.add("stacks");
    for (const { children } of rows) {
      [...children].forEach((cell, n) => {
        if (!cell.textContent.trim() && !cell.firstElementChild) return;
        const head = document.createElement("span");
        head.className = "cell-head";
        head.append(...[...heads[n].childNodes].map((one) => one.cloneNode(true)));
        const said = document.createElement("span");
        said.append(...cell.childNodes);
        cell.append(head, said);
      });
    }
  }
  // A long line of code goes on further in, and breaks outside its innermost brackets, its strings and its numbers.
  const unbroken = (line) => {
    let begun = null;
    for (const one of [...line.childNodes]) {
      if (/^("[^"]{0,30}"|\d\S*)$/.test(one.textContent)) one.classList?.add("whole");
      if (begun && /^[^([{]*[)\]}]/.test(one.textContent)) {
        const [whole, inside] = [document.createElement("span"), [begun]];
        while (inside.at(-1) !== one) inside.push(inside.at(-1).nextSibling);
        whole.className = "whole";
        if (inside.reduce((count, { textContent }) => count + textContent.length, 0) <= 40) {
          begun.before(whole);
          whole.append(...inside);
        }
        begun = null;
      }
      if (/[([{][^)\]}]*$/.test(one.textContent) && one.parentNode === line) begun = one;
    }
  };
  for (const code of document.querySelectorAll(".cell_input .highlight > pre, .highlight-python > .highlight > pre, .highlight-pycon > .highlight > pre, .solution > pre")) {
    const lines = [[]];
    for (const node of code.childNodes) {
      for (const part of node.textContent.split(/(?<=\n)/)) {
        const piece = node.cloneNode();
        piece.textContent = part;
        lines.at(-1).push(piece);
        if (phone.matches && /[([{]$/.test(part)) lines.at(-1).push(document.createElement("wbr"));
        if (part.endsWith("\n")) lines.push([]);
      }
    }
    code.replaceChildren(...lines.filter((line) => line.length).map((line) => {
      const one = document.createElement("span");
      one.className = "code-line";
      one.append(...line);
      unbroken(one);
      one.style.setProperty("--in", one.textContent.search(/\S|$/));
      return one;
    }));
  }
  // What is told after a question opens with the answer above it.
  for (const told of document.querySelectorAll(".told-after, .tag_told-after")) {
    let above = told.previousElementSibling;
    while (above && !above.matches(".cell")) above = above.previousElementSibling;
    above?.querySelector("details.below-input")?.append(told);
  }
  // The list of contents marks the section that is read. The theme sees only a heading that passes slowly.
  const contents = [...document.querySelectorAll("#pst-page-toc-nav a")];
  const heads = contents.map(({ hash }) => document.getElementById(hash.slice(1))?.querySelector("h2, h3, h4"));
  let waits;
  const mark = () => {
    waits = null;
    const tops = heads.map((head) => (head?.offsetParent ? head.getBoundingClientRect().top : NaN)); // some are folded
    const chosen = contents.findIndex(({ hash }, n) => hash === location.hash && tops[n] >= 0 && tops[n] < 140);
    const now = chosen < 0 ? tops.findLastIndex((top) => top < 0.3 * innerHeight) : chosen;
    contents.forEach((one, n) => {
      one.classList.toggle("active", n === now);
      n === now ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current");
    });
    for (const one of document.querySelectorAll("#pst-page-toc-nav .toc-entry")) one.classList.toggle("active", one.contains(contents[now] ?? null));
  };
  if (contents.length) for (const event of ["scroll", "resize"]) addEventListener(event, () => (waits ??= setTimeout(mark, 80)), { passive: true });

  const enlarged = document.createElement("dialog");
  enlarged.className = "enlarged";
  enlarged.ariaLabel = "Enlarged picture";
  enlarged.setAttribute("closedby", "any");
  enlarged.innerHTML = '<div tabindex="0" role="group" aria-label="Picture"></div><form method="dialog"><button autofocus aria-label="Close">✕</button></form>';
  document.querySelector("article")?.append(enlarged); // there the theme's rules for dark pictures hold
  for (const link of document.querySelectorAll(".cell_output figure > a")) {
    link.addEventListener("click", (event) => {
      const image = link.querySelector("img");
      if (!image || event.ctrlKey || event.metaKey || event.shiftKey || !enlarged.showModal) return;
      event.preventDefault();
      const alone = image.cloneNode();
      alone.style.width = `${image.naturalWidth}px`;
      alone.onclick = () => alone.classList.toggle("whole"); // a narrow screen shows a part of it, or all
      alone.classList.toggle("whole", matchMedia("(max-width: 767px)").matches);
      enlarged.firstChild.replaceChildren(alone);
      enlarged.showModal();
    });
  }

  // What is open is not offered to be shown.
  document.addEventListener("toggle", ({ target }) => {
    const words = target.matches?.("details.hide") && target.querySelector("summary");
    if (words) words.textContent = words.textContent.replace(/^(Show|Hide)/, target.open ? "Hide" : "Show");
  }, true);

  // What comes out after a question stays folded until it is asked for: one by one, or all at once.
  const folded = [...document.querySelectorAll("details.hide.below-input")];
  if (folded.length) {
    const all = document.createElement("button");
    Object.assign(all, { type: "button", className: "btn btn-sm btn-outline-primary mb-3 d-print-none", textContent: "Show all answers" });
    all.onclick = () => {
      const open = folded.some((one) => !one.open);
      folded.forEach((one) => (one.open = open));
      all.textContent = open ? "Hide all answers" : "Show all answers";
    };
    document.querySelector("article h1").parentElement.append(all); // those who read for the first time come here last
  }
});

// Paper is light, and cannot be unfolded.
let theme, closed;
addEventListener("beforeprint", () => {
  theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  closed = [...document.querySelectorAll("details.hide.below-input:not([open])")];
  closed.forEach((one) => (one.open = true));
});
addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = theme;
  closed.forEach((one) => (one.open = false));
});
