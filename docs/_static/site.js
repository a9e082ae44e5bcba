// Formulas that are wider than the page scroll. The keyboard has to reach them, as the theme sees to for code.
addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  for (const formula of document.querySelectorAll("mjx-container[display]")) {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
  }
});

// Paper is light.
let theme;
addEventListener("beforeprint", () => {
  theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = theme;
});
