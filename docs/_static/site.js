// Formulas that are wider than the page scroll. The keyboard has to reach them, as the theme sees to for code.
for (const event of ["load", "resize"]) {
  addEventListener(event, () => {
    for (const formula of document.querySelectorAll("mjx-container[display]")) {
      formula.tabIndex = formula.scrollWidth > formula.clientWidth ? 0 : -1;
    }
  });
}

addEventListener("DOMContentLoaded", () => {
  // Every piece of code can be copied.
  for (const code of document.querySelectorAll(".highlight:not(.cm-content)")) {
    const copy = document.createElement("button");
    Object.assign(copy, { type: "button", className: "copy-code", textContent: "Copy" });
    copy.onclick = async () => {
      await navigator.clipboard.writeText(code.querySelector("pre").textContent.trimEnd());
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 2000);
    };
    code.append(copy);
  }

  // A figure opens alone, where it can be enlarged.
  for (const image of document.querySelectorAll(".cell_output figure img")) {
    if (image.closest("a")) continue; // Sphinx links most of them
    const link = document.createElement("a");
    link.href = image.src;
    image.replaceWith(link);
    link.append(image);
  }

  // What comes out after a question stays folded until it is asked for: one by one, or all at once.
  const folded = [...document.querySelectorAll("details.hide.below-input")];
  if (folded.length) {
    const all = document.createElement("button");
    Object.assign(all, { type: "button", className: "btn btn-sm btn-outline-primary mb-3 d-print-none", textContent: "Show all answers" });
    all.onclick = () => {
      const open = folded.some((one) => !one.open);
      folded.forEach((one) => (one.open = open));
      all.textContent = open ? "Fold the answers" : "Show all answers";
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
