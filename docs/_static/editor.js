// The editor of a page's exercises: CodeMirror. build_site.py makes one file of this and of what it imports.
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";

// The classes of Pygments, so that an answer has the colours of the page's other code, in light and in dark.
const colours = tagHighlighter([
  { tag: [tags.keyword, tags.bool, tags.null, tags.self], class: "k" },
  { tag: [tags.operator, tags.operatorKeyword], class: "o" },
  { tag: [tags.string, tags.special(tags.string)], class: "s2" },
  { tag: tags.number, class: "mi" },
  { tag: tags.comment, class: "c1" },
  { tag: tags.function(tags.definition(tags.variableName)), class: "nf" },
  { tag: tags.definition(tags.className), class: "nc" },
]);

// At the cursor Tab fills up to the next step of four columns; selected lines it moves as a whole.
function tab(view) {
  const { main } = view.state.selection;
  if (!main.empty) return indentMore(view);
  const column = main.head - view.state.doc.lineAt(main.head).from;
  view.dispatch(view.state.replaceSelection(" ".repeat(4 - (column % 4))), { scrollIntoView: true, userEvent: "input.indent" });
  return true;
}

// Tab belongs to the editor until Escape lets the next one go on to the buttons.
function letGo(view) {
  view.setTabFocusMode(Infinity);
  return true;
}

// The line with an error, until the answer changes.
const wrong = StateEffect.define();
const wrong_line = StateField.define({
  create: () => Decoration.none,
  update: (marks, { docChanged, effects, state }) => {
    const [told] = effects.filter((one) => one.is(wrong));
    if (told) return Decoration.set([Decoration.line({ class: "wrong" }).range(state.doc.line(told.value).from)]);
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// Words wrap wherever the editor ends, and so does the head of a function. Other code does so on a phone only, by site.css: a break
// inside a string looks like a part of it.
const wrapped = EditorView.decorations.compute(["doc"], ({ doc }) => {
  const text = doc.toString();
  const spans = [...text.matchAll(/("""|''')[^]*?(?:\1|$(?![^]))|^ *(?:#|def ).*/gm)].map((found) => [found.index, found.index + found[0].length]);
  const lines = spans.flatMap(([start, end]) => {
    const [first, last] = [start, end].map((at) => doc.lineAt(at).number);
    return Array.from({ length: last - first + 1 }, (_, n) => doc.line(first + n).from);
  });
  const wraps = new Set(lines); // each goes on four columns further in than it begins
  return Decoration.set(Array.from({ length: doc.lines }, (_, n) => doc.line(n + 1)).map(({ from, text }) =>
    Decoration.line({ class: wraps.has(from) ? "words" : "", attributes: { style: `--in: ${text.search(/\S|$/)}` } }).range(from)));
});

export function open({ parent, text, attributes, changed, check, run }) {
  const act = (what) => () => {
    what();
    return true;
  };
  const keys = [
    ...["Shift-Enter", "Ctrl-Enter", "Meta-Enter"].map((key) => ({ key, run: act(check) })),
    { key: "Alt-Enter", run: act(run) },
    { key: "Tab", run: tab, shift: indentLess },
    { key: "Escape", run: letGo },
  ];
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      keymap.of([...keys, ...historyKeymap, ...defaultKeymap]),
      history(),
      wrong_line,
      lineNumbers(),
      highlightSpecialChars(),
      EditorView.lineWrapping,
      wrapped,
      pythonLanguage,
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      bracketMatching(),
      syntaxHighlighting(colours),
      EditorView.contentAttributes.of({ class: "highlight", ...attributes }),
      EditorView.domEventHandlers({ blur: (_, view) => view.setTabFocusMode(false) }),
      EditorView.updateListener.of((update) => update.docChanged && changed()),
    ],
  });
  return {
    focus: () => view.focus(),
    mark: (line) => line <= view.state.doc.lines && view.dispatch({ effects: wrong.of(line) }),
    text: () => view.state.doc.toString(),
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "input.replace" }),
  };
}
