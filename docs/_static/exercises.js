// Exercises, questions and quizzes of a page. What was answered is kept by this browser alone, as notebooks: the
// form that pe_lessons.lessons.progress reads.

import { progress_in, started, starting } from "./starting.js";

const KEPT = "pe_lessons/";
const LIMIT = 20; // seconds for one check; a loop of Python's own is stopped much earlier, by name
const HEADINGS = { correct: "Correct", "not yet": "Not yet", "not attempted": "Not attempted yet", error: "Error in your code" };
const page = JSON.parse(document.getElementById("lesson")?.textContent ?? "null");
const place_of_answers = page?.lesson ?? "placement";

// --- what is kept ---

function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(KEPT + key));
  } catch {} // no storage, or something else in it
}

function store(key, value) {
  try {
    localStorage.setItem(KEPT + key, JSON.stringify(value));
  } catch {} // a page without storage still checks
}

function notebook(lesson) {
  const found = stored(lesson);
  if (Array.isArray(found?.cells)) return found;
  return { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
}

function cell(id, source, text) {
  const nbgrader = { grade_id: id, grade: id.endsWith("-check"), solution: !id.endsWith("-check"), locked: false, points: 0, schema_version: 3, task: false };
  const output = { output_type: "execute_result", execution_count: null, metadata: {}, data: { "text/plain": text } };
  return { cell_type: "code", id, execution_count: null, metadata: { nbgrader }, source, outputs: text ? [output] : [] };
}

// `more` is what else an editor needs after a reload: the answer that the reply is about, and the one before.
function keep(name, source, check, reply, more) {
  const kept = notebook(place_of_answers);
  const text = reply ? `${reply.title}\n${reply.message}` : kept_text(kept, name);
  const answer = cell(name, source, "");
  if (more) answer.metadata.editor = more;
  if (reply?.status === "correct" || solved(kept, name)) answer.metadata.solved = true; // a later try takes nothing away
  kept.cells = kept.cells.filter((one) => ![name, `${name}-check`].includes(one.id));
  kept.cells.push(answer, cell(`${name}-check`, check, text));
  store(place_of_answers, kept);
  if (reply) tick();
}

const kept_cell = (kept, id) => kept.cells.find((one) => one.id === id);
const solved = (kept, name) => Boolean(kept_cell(kept, name)?.metadata.solved) || status_of(kept_text(kept, name).split("\n")[0]) === "correct";
const kept_text = (kept, name) => kept_cell(kept, `${name}-check`)?.outputs[0]?.data["text/plain"] ?? "";

// --- pieces of a page ---

function make(tag, properties = {}, ...inside) {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...inside);
  return one;
}

const button = (text, act) => make("button", { type: "button", className: "btn btn-sm btn-outline-primary", textContent: text, onclick: act });

// `code` and *buttons* of a message. A lone star is one of Python's.
const worded = (text) =>
  text.split(/(`[^`]+`|\*[A-Z][\w ]*\*)/).map((part, n) => {
    if (n % 2 === 0) return part;
    return make(part[0] === "`" ? "code" : "em", { textContent: part.slice(1, -1) });
  });

const SHOWN = { printed: "Printed:", trial: "Printed by the first trial of the check:", value: "Value of the last line:" };

function show(box, said) {
  box.className = `reply ${said.status.replace(" ", "-")}`;
  const older = make("p", { className: "older", textContent: "To an older version of your answer:" });
  const lines = said.message.split("\n").filter(Boolean).map((line) => make("p", {}, ...worded(line)));
  box.replaceChildren(older, make("strong", { textContent: said.title.replace(/^\w+: /, "") }), ...lines);
  for (const [key, label] of Object.entries(SHOWN)) {
    // What is longer than its box scrolls, by the keyboard too.
    if (said[key]) box.append(make("p", { textContent: label }), make("pre", { textContent: said[key], tabIndex: 0 }));
  }
}

// --- exercises ---

const PYTHON = page && { lesson: page.lesson.slice(3), imports: page.imports, numpy: page.needs === "numpy" };
const NUMPY = /^\s*(import\s+numpy\b|from\s+numpy\b.*\bimport\b)/m; // of an answer, where the page may do without it
const NO_NUMPY = "Your code imports `numpy`, and this page doesn't have it. You can solve the exercise without it.";
let [worker, ready, begun] = [null, false, 0];

function ask(question, progress) {
  return new Promise((resolve) => {
    let timer;
    const done = (reply, end) => {
      clearTimeout(timer);
      if (end) {
        worker?.terminate();
        [worker, ready] = [null, false];
      }
      resolve(reply);
    };
    ask.stop = () => done({ failed: "Stopped. Python starts again with the next check or run." }, true);
    lines_of_progress().forEach((one) => progress_in(one)(""));
    if (!ready) progress(starting(), 0.02);
    if (!worker) begun = performance.now();
    worker ??= new Worker(new URL("python_worker.js", import.meta.url), { type: "module" });
    worker.onerror = () => done({ failed: "Python could not be started here." }, true);
    worker.onmessage = ({ data }) => {
      const coming = data.progress !== undefined;
      if (!ready && !coming && !data.failed) {
        ready = true;
        started(begun);
      }
      if (coming) progress(data.progress || starting(), data.share);
      else if (data.of !== question.name) return; // it was asked before
      else if (data.started) {
        progress(question.check ? "Checking …" : "Running …");
        timer = setTimeout(() => done({ failed: `Your code was still running after ${LIMIT} seconds, so it was stopped. Look at its loops.` }, true), LIMIT * 1000);
      } else done(data, Boolean(data.failed));
    };
    worker.postMessage(question);
  });
}

const lines_of_progress = () => document.querySelectorAll(".progress-line");

// Below the code of an exercise that doesn't run on this page: a copy of the code, and where it runs.
function elsewhere(library, box) {
  const links = [...document.querySelectorAll(".dropdown-launch-buttons a")].flatMap((link) => [" or ", make("a", { href: link.href, textContent: link.textContent.trim() })]);
  const how = make("a", { href: new URL("../launch.html", import.meta.url).href, textContent: "your notebook" });
  const published = document.querySelector("meta[property='og:url']").content;
  if (library === "NumPy" && !published.includes("//OWNER.")) links.push(" or ", make("a", { href: `${published}#${box.id}`, textContent: "the published site" }));
  const copy = button("Copy the code", async () => {
    await navigator.clipboard.writeText(box.querySelector(".cell pre").textContent.trimEnd());
    copy.textContent = "Copied";
  });
  return make("p", { className: "elsewhere" }, copy, ` Runs in `, how, ...links, ` (it needs ${library}).`);
}

// An editor is as heavy as half a page, so it comes when the reader is near.
const near = new IntersectionObserver(
  (boxes) => {
    for (const { isIntersecting, target } of boxes) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      exercise(target);
    }
  },
  { rootMargin: "1000px" },
);

function what_is_next(box) {
  const follows = (one) => one.offsetParent && box.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
  const head = [...document.querySelectorAll("article section > :is(h2, h3)")].find(follows);
  const section = head?.parentElement;
  const lesson = document.querySelector("a.right-next");
  if (head) return make("p", {}, "Next on this page: ", make("a", { href: `#${section.querySelector(":scope > .to-answer")?.id ?? section.id}`, textContent: head.firstChild.textContent }));
  return lesson ? make("p", {}, "Next: ", make("a", { href: lesson.href, textContent: lesson.querySelector(".prev-next-title").textContent })) : "";
}

async function exercise(box) {
  const { name, check } = box.dataset;
  const details = box.querySelector("details");
  const { open } = await import("./editor.js");
  const frame = box.querySelector(".cell pre").textContent.trimEnd();
  const kept = notebook(place_of_answers);
  const answer = kept_cell(kept, name);
  // `judged` is the answer that the reply is about; `before` is the one that Start again took away.
  const more = { judged: answer?.source, before: null, ...answer?.metadata.editor };
  const status = make("p", { className: "progress-line", role: "status" });
  const ran = make("div", { className: "reply", role: "status" });
  const reply = make("div", { className: "reply", role: "status" });
  let run_text = null;

  function changed() {
    reply.classList.toggle("stale", more.judged !== editor.text());
    ran.classList.toggle("stale", run_text !== editor.text());
    back.hidden = more.before === null || more.before === editor.text();
    keep(name, editor.text(), check, null, more);
  }

  // Nothing that was written is lost: the two versions change places, except for the frame.
  function replace(text) {
    if (editor.text() !== frame) more.before = editor.text();
    editor.replace(text);
    changed();
    editor.focus();
  }

  async function ask_python(checking) {
    if (check_button.disabled) return;
    const buttons = document.querySelectorAll(".exercise :is(.check, .run)");
    buttons.forEach((one) => (one.disabled = true));
    stop.hidden = false;
    for (const one of checking ? [ran, reply] : [ran]) {
      one.replaceChildren();
      one.className = "reply";
    }
    const [start, text] = [performance.now(), editor.text()];
    const wants_numpy = NUMPY.test(text);
    const question = { ...PYTHON, name, answer: text, check: checking && check, wants_numpy };
    const got = wants_numpy && !page.numpy ? { failed: NO_NUMPY } : await ask(question, progress_in(status)); // it is no use to start Python
    const title = checking ? `${name}: ${HEADINGS.error}.` : `${HEADINGS.error}.`;
    const said = got.reply ?? { status: "error", title, message: got.failed };
    const [, lost] = said.message.match(/'(sin|cos|tan|exp|log|sqrt|pi)' is not defined/) ?? [];
    const library = ["math", "np"].find((name) => page.imports[name]);
    if (lost && library) said.message += `\nWrite \`${library}.${lost}\`.`;
    const [, line] = said.status === "error" ? said.message.match(/\bline (\d+)/) ?? [] : [];
    if (line && editor.text() === text) editor.mark(Number(line));
    progress_in(status)("");
    box.dataset.seconds = ((performance.now() - start) / 1000).toFixed(2);
    if (checking) more.judged = text;
    else run_text = text;
    show(checking ? reply : ran, said);
    if (checking && said.status === "correct") reply.append(what_is_next(box));
    const { top, bottom } = work.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight) (checking ? reply : ran).scrollIntoView({ block: "nearest" }); // who has gone elsewhere stays there
    if (checking) keep(name, editor.text(), check, said, more);
    changed();
    stop.hidden = true;
    buttons.forEach((one) => (one.disabled = false));
  }

  const check_button = button("Check", () => ask_python(true));
  check_button.className = "btn btn-sm btn-primary check";
  const run_button = button("Run", () => ask_python(false));
  run_button.classList.add("run");
  const stop = button("Stop", () => ask.stop());
  const again = button("Start again", () => replace(frame));
  again.className = "again"; // a link: it takes an answer away
  const back = button("Previous answer", () => replace(more.before));
  stop.hidden = true;
  const help = make("p", { id: `help-${name}`, className: "editor-help" }, page.lesson.startsWith("00") ? "Check tries your code, and says what is wrong. " : "", make("span", { className: "keys", textContent: "Shift + Enter checks, Alt + Enter runs, Tab indents. Escape, then Tab, leaves the editor." }));
  const place = make("div", { className: "editor" });
  // Python comes while the reader is still writing.
  const fetch_python = async () => {
    if (worker) return;
    await ask(PYTHON, progress_in(status));
    progress_in(status)("");
  };
  const work = make("div", { className: "work" }, place, help, make("p", { className: "buttons" }, check_button, run_button, stop, back, again), status, ran, reply);
  const editor = open({
    parent: place,
    text: answer?.source ?? frame,
    attributes: { "aria-label": `Your answer: ${name}`, "aria-describedby": help.id, tabindex: "0" },
    changed,
    check: () => ask_python(true),
    run: () => ask_python(false),
  });
  for (const event of ["pointerenter", "focusin"]) work.addEventListener(event, fetch_python);
  // A link led to this exercise, or an earlier answer has left Python in the browser's cache.
  if (!worker && (box.matches(":target, :target > *") || stored("python"))) ask(PYTHON, () => {});
  box.querySelector(".cell").classList.add("d-none", "d-print-block");
  details.before(work);
  const said = kept_text(kept, name);
  if (said) {
    const [title, ...message] = said.split("\n");
    show(reply, { status: status_of(title), title, message: message.join("\n") });
    if (status_of(title) === "correct") reply.append(what_is_next(box));
  }
  reply.classList.toggle("stale", more.judged !== editor.text());
  back.hidden = more.before === null || more.before === editor.text();
}

const status_of = (title) => Object.keys(HEADINGS).find((key) => title.endsWith(`: ${HEADINGS[key]}.`)) ?? "not attempted";

// --- what is done, in the menu and on the cards ---

const names_of = fetch(new URL("lessons.json", import.meta.url)).then((answer) => answer.json());

async function tick() {
  const lessons = await names_of;
  document.querySelectorAll("a > .done").forEach((one) => one.remove());
  for (const link of document.querySelectorAll(".bd-sidebar-primary .bd-links a, ul.lesson-map a")) {
    const lesson = link.pathname.match(/notebooks\/(\w+)\.html$/)?.[1];
    const [names, kept] = [lessons[lesson] ?? [], notebook(lesson)];
    const counted = (of_code, what, several) => { // exercises are counted by themselves everywhere
      const all = names.filter((name) => lessons.code.includes(name) === of_code);
      const done = all.filter((name) => solved(kept, name)).length;
      return done && `${done} of ${all.length} ${all.length > 1 ? several : what}`;
    };
    const said = [counted(true, "exercise", "exercises"), counted(false, "quiz", "quizzes")].filter(Boolean);
    if (said.length) link.append(make("span", { className: "done", textContent: `${names.every((name) => solved(kept, name)) ? " ✓" : ""} ${said.join(", ")}` }));
  }
}
tick();
names_of.then(({ here }) => {
  for (const link of document.querySelectorAll("ul.lesson-map a")) {
    const count = here.filter((lesson) => link.pathname.endsWith(`/${lesson}.html`)).length;
    if (count) link.closest("li").append(make("p", { className: "here", textContent: `${count} exercise${count > 1 ? "s" : ""} to run on the page` }));
  }
});

// --- questions and quizzes ---

// What Question.diagnose and Quiz.diagnose say, of letters; held to them by a test.
export function judgeQuestion(name, rights, reasons, letters) {
  const said = (status, message) => ({ status, title: `${name}: ${HEADINGS[status]}.`, message });
  if (!letters.length) return said("not attempted", "Choose one or several, then check.");
  const all = [...rights.keys()].map((n) => "abcdefgh"[n]);
  const right = all.filter((_, n) => rights[n]);
  const wrong = letters.filter((letter) => !right.includes(letter));
  const hits = right.filter((letter) => letters.includes(letter));
  if (!wrong.length && hits.length === right.length) return said("correct", right.map((letter) => `${letter}: ${reasons[all.indexOf(letter)]}`).join("\n"));
  const lines = hits.length ? [`${hits.join(" and ")} ${hits.length === 1 ? "is" : "are"} right.`] : [];
  lines.push(...wrong.map((letter) => `${letter} (chosen): ${reasons[all.indexOf(letter)]}`));
  if (hits.length < right.length) lines.push(hits.length ? "There is more to choose." : "No right choice is chosen yet.");
  return said("not yet", lines.join("\n"));
}

export function judgeQuiz(name, rights, reasons, letters) {
  const replies = letters.map((letter, n) => {
    if (!letter) return ["not attempted", `${n + 1}: not answered yet.`];
    const at = "abcdefgh".indexOf(letter);
    const right = rights[n][at];
    return [right ? "correct" : "not yet", `${n + 1} ${letter}, ${right ? "yes" : "no"}: ${reasons[n][at]}`];
  });
  const all = new Set(replies.map(([status]) => status));
  const status = all.size === 1 ? replies[0][0] : "not yet";
  return { status, title: `${name}: ${HEADINGS[status]}.`, message: replies.map(([, said]) => said).join("\n") };
}

const marked = (node) => [...node.childNodes].map((one) => (one.nodeName === "CODE" ? `\`${one.textContent}\`` : one.textContent)).join("");

function question(box) {
  const { name } = box.dataset;
  const quiz = box.classList.contains("quiz");
  const groups = [...box.querySelectorAll(".choices")];
  const parts = groups.map((group) => [...group.querySelectorAll("details li")]);
  const rights = parts.map((part) => part.map((one) => one.dataset.right === "1"));
  const reasons = parts.map((part) => part.map((one) => marked(one).replace(/^(Yes|No): /, "")));
  const chosen = groups.map(() => []);
  const source = () => {
    const written = chosen.map((letters) => (letters.length ? `"${letters[0]}"` : "..."));
    return quiz ? `my_letters = [${written.join(", ")}]` : `my_answer = [${chosen[0].map((letter) => `"${letter}"`).join(", ")}]`;
  };
  const record = (reply) => keep(name, source(), `${name}.check(${quiz ? "my_letters" : "my_answer"})`, reply);
  const before = [...(kept_cell(notebook(place_of_answers), name)?.source ?? "").matchAll(/"([a-h])"|\.\.\./g)].map((one) => one[1]);

  groups.forEach((group, n) => {
    const prompt = group.querySelector(".prompt");
    prompt.id = `${name}-${n + 1}`;
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", prompt.id);
    const list = group.querySelector("ol");
    if (!quiz) prompt.after(make("p", { className: "all-that-apply", textContent: "Choose all that apply, then check." }));
    const reply = make("div", { className: "reply", role: "status" });
    const choices = [...list.children].map((item, at) => {
      const letter = "abcdefgh"[at];
      const one = make("button", { type: "button", className: "choice" }, ...item.childNodes);
      one.setAttribute("aria-pressed", "false");
      one.onclick = () => {
        if (quiz) chosen[n] = [letter];
        else chosen[n] = chosen[n].includes(letter) ? chosen[n].filter((other) => other !== letter) : [...chosen[n], letter].sort();
        press();
        if (quiz) answered(at);
        else record();
      };
      item.append(one);
      return one;
    });
    const press = () => choices.forEach((one, at) => one.setAttribute("aria-pressed", chosen[n].includes("abcdefgh"[at])));
    const answered = (at, keeping = true) => {
      const right = rights[n][at];
      choices.forEach((one, other) => (one.dataset.verdict = other === at ? (right ? "✓" : "✗") : ""));
      show(reply, { status: right ? "correct" : "not yet", title: right ? "Yes." : "No.", message: reasons[n][at] });
      box.dispatchEvent(new CustomEvent("answered", { detail: chosen.map((letters) => letters[0]) }));
      if (keeping) record(judgeQuiz(name, rights, reasons, chosen.map((letters) => letters[0])));
    };
    list.after(reply);
    if (quiz) {
      if (before[n]) {
        chosen[n] = [before[n]];
        press();
        answered("abcdefgh".indexOf(before[n]), false);
      }
    } else {
      const check = () => {
        const said = judgeQuestion(name, rights[0], reasons[0], chosen[0]);
        show(reply, said);
        record(said);
      };
      list.after(make("p", { className: "buttons" }, button("Check", check)));
      if (before.length) {
        chosen[0] = before.filter(Boolean);
        press();
        const text = kept_text(notebook(place_of_answers), name);
        const [title, ...message] = text.split("\n");
        if (text) show(reply, { status: status_of(title), title, message: message.join("\n") });
      }
    }
  });
}

if (page) {
  const missing = page.needs === "torch" ? "PyTorch" : page.needs && !page.numpy ? "NumPy" : "";
  for (const box of document.querySelectorAll(".to-answer.exercise")) {
    if (missing) {
      box.classList.add("in-notebook");
      box.querySelector(".cell").after(elsewhere(missing, box));
    } else near.observe(box);
  }
  document.querySelectorAll(".to-answer:not(.exercise)").forEach(question);
}

// --- the page that finds a reader's place ---

// The lessons whose questions were missed, as pe_lessons.lessons.placement has it.
function place({ asked, last }, rights, letters) {
  const missed = asked.filter((_, n) => !rights[n]["abcdefgh".indexOf(letters[n])]);
  if (missed[0] === asked[0]) missed.unshift(0);
  return missed.length ? missed : [last];
}

const placement = JSON.parse(document.getElementById("placement")?.textContent ?? "null");
if (placement) {
  const box = document.getElementById("answer-placement");
  const rights = [...box.querySelectorAll(".choices")].map((group) => [...group.querySelectorAll("details li")].map((one) => one.dataset.right === "1"));
  const end = make("p", { className: "place" });
  end.setAttribute("role", "status");
  box.append(end);
  box.addEventListener("answered", ({ detail: letters }) => {
    const left = letters.filter((letter) => !letter).length;
    if (left) return end.replaceChildren(`${left} more, and you are told where to begin.`);
    const links = place(placement, rights, letters).map((lesson) => make("a", { href: placement.lessons[lesson][0], textContent: placement.lessons[lesson][1] }));
    const [first, ...others] = links;
    end.replaceChildren("Begin at ", first, ".");
    if (others.length) end.append(" Then: ", ...others.flatMap((link) => [link, "; "]).slice(0, -1), ". The others you may leave out.");
  });
  question(box);
}

// --- the page that shows the progress ---

const table = document.getElementById("progress");
if (table) {
  const kept = Object.keys(localStorage).filter((key) => key.startsWith(KEPT));
  const lessons = kept.map((key) => key.slice(KEPT.length)).filter((lesson) => /^\d\d_/.test(lesson)).sort();
  const fill = () => {
    let done = 0;
    const rows = [...table.querySelectorAll("[data-name]")];
    for (const row of rows) {
      const kept = notebook(row.dataset.lesson);
      const status = solved(kept, row.dataset.name) ? "correct" : status_of(kept_text(kept, row.dataset.name).split("\n")[0]);
      row.querySelector(".outcome").textContent = HEADINGS[status];
      row.className = status.replace(" ", "-");
      done += status === "correct";
    }
    document.getElementById("progress-count").textContent = `${done} of ${rows.length} exercises and quizzes done.`;
  };
  const whole = () => {
    const cells = lessons.flatMap((lesson) => {
      const answers = notebook(lesson).cells;
      const names = answers.map((one) => one.id).filter((id) => !id.endsWith("-check"));
      const line = `from pe_lessons.lessons.${lesson.slice(3)} import ${names.join(", ")}`;
      return [{ cell_type: "markdown", id: `lesson-${lesson.slice(0, 2)}`, metadata: {}, source: `## ${lesson}` }, cell(`imports-${lesson.slice(0, 2)}`, line, ""), ...answers];
    });
    return JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1);
  };
  const save = () => {
    const link = make("a", { href: URL.createObjectURL(new Blob([whole()], { type: "application/json" })), download: "my_answers.ipynb" });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const forget = () => {
    if (!confirm("Forget all answers that this browser keeps of the course?")) return;
    kept.forEach((key) => localStorage.removeItem(key));
    lessons.length = 0;
    fill();
    tick();
  };
  document.getElementById("progress-buttons").append(button("Export", save), " ", button("Forget", forget));
  fill();
}
