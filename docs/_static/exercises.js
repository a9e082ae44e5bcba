// Exercises, questions and quizzes of a page. What was answered is kept by this browser alone, as notebooks: the
// form that pe_lessons.progress reads.

const KEPT = "pe_lessons/";
const LIMIT = 20; // seconds for one check; a loop of Python's own is stopped much earlier, by name
const HEADINGS = { correct: "Correct", "not yet": "Not yet", "not attempted": "Not attempted yet", error: "Error in your code" };
const page = JSON.parse(document.getElementById("lesson")?.textContent ?? "null");

// --- what is kept ---

function notebook(lesson) {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT + lesson));
    if (Array.isArray(found?.cells)) return found;
  } catch {} // no storage, or something else in it
  return { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
}

function cell(id, source, text) {
  const nbgrader = { grade_id: id, grade: id.endsWith("-check"), solution: !id.endsWith("-check"), locked: false, points: 0, schema_version: 3, task: false };
  const output = { output_type: "execute_result", execution_count: null, metadata: {}, data: { "text/plain": text } };
  return { cell_type: "code", id, execution_count: null, metadata: { nbgrader }, source, outputs: text ? [output] : [] };
}

function keep(name, source, check, reply) {
  const kept = notebook(page.lesson);
  const text = reply ? `${reply.title}\n${reply.message}` : kept_text(kept, name);
  kept.cells = kept.cells.filter((one) => ![name, `${name}-check`].includes(one.id));
  kept.cells.push(cell(name, source, ""), cell(`${name}-check`, check, text));
  try {
    localStorage.setItem(KEPT + page.lesson, JSON.stringify(kept));
  } catch {} // a page without storage still checks
}

const kept_cell = (kept, id) => kept.cells.find((one) => one.id === id);
const kept_text = (kept, name) => kept_cell(kept, `${name}-check`)?.outputs[0]?.data["text/plain"] ?? "";

// --- pieces of a page ---

function make(tag, properties = {}, ...inside) {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...inside);
  return one;
}

const button = (text, act) => make("button", { type: "button", className: "btn btn-sm btn-outline-primary", textContent: text, onclick: act });

// `code` of a message, set as code.
const worded = (text) => text.split(/`([^`]+)`/).map((part, n) => (n % 2 ? make("code", { textContent: part }) : part));

function show(box, { status, title, message, printed }) {
  box.className = `reply ${status.replace(" ", "-")}`;
  const lines = message.split("\n").map((line) => make("p", {}, ...worded(line)));
  box.replaceChildren(make("strong", { textContent: title }), ...lines);
  if (printed) box.append(make("p", { textContent: "Printed:" }), make("pre", { textContent: printed }));
}

// --- exercises ---

let worker = null;

function ask(question, progress) {
  return new Promise((resolve) => {
    let timer;
    const done = (reply, end) => {
      clearTimeout(timer);
      if (end) {
        worker?.terminate();
        worker = null;
      }
      resolve(reply);
    };
    ask.stop = () => done({ failed: "Stopped. The next check starts Python anew." }, true);
    worker ??= new Worker(new URL("python_worker.js", import.meta.url), { type: "module" });
    worker.onerror = () => done({ failed: "Python could not be started here." }, true);
    worker.onmessage = ({ data }) => {
      if (data.progress) progress(data.progress);
      else if (data.checking) {
        progress("Checking …");
        timer = setTimeout(() => done({ failed: `After ${LIMIT} seconds your code had not come to an end, and was stopped. Look at its loops.` }, true), LIMIT * 1000);
      } else done(data, Boolean(data.failed));
    };
    worker.postMessage(question);
  });
}

function elsewhere(library) {
  const box = make("p", { className: "elsewhere" });
  const links = [...document.querySelectorAll(".dropdown-launch-buttons a")].flatMap((link) => [make("a", { href: link.href, textContent: link.textContent.trim() }), ", "]);
  box.append(`This exercise needs ${library}, which this page does not have. Answer it on `, ...links, "or on your computer: ", make("code", { textContent: "git clone" }), " the course, then ", make("code", { textContent: "python course.py lab" }), ".");
  return box;
}

// Enter keeps the indentation, Tab indents until Escape lets it go.
function indent(event) {
  const { target, key } = event;
  if (key === "Escape") target.dataset.free = "1";
  const before = target.value.slice(0, target.selectionStart);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  let text = "";
  if (key === "Tab" && !event.shiftKey && !target.dataset.free) text = " ".repeat(4 - (line.length % 4));
  else if (key === "Enter" && !event.shiftKey && !event.ctrlKey) text = "\n" + line.match(/^ */)[0] + (/:\s*$/.test(line) ? "    " : "");
  if (!text) return;
  event.preventDefault();
  target.setRangeText(text, target.selectionStart, target.selectionEnd, "end");
  target.dispatchEvent(new Event("input"));
}

function exercise(box) {
  const { name, check } = box.dataset;
  const kept = notebook(page.lesson);
  const frame = box.querySelector(".cell pre");
  const details = box.querySelector("details");
  if (page.needs === "torch" || (page.needs && !page.numpy)) {
    details.before(elsewhere(page.needs === "torch" ? "PyTorch" : "NumPy"));
    return;
  }
  const frame_text = frame.textContent.trimEnd();
  const editor = make("textarea", { value: kept_cell(kept, name)?.source ?? frame_text, spellcheck: false, autocapitalize: "off", autocomplete: "off" });
  editor.setAttribute("aria-label", `Your answer: ${name}`);
  const help = make("p", { id: `help-${name}`, className: "editor-help", textContent: "Ctrl + Enter checks. Tab indents; after Escape it moves on." });
  editor.setAttribute("aria-describedby", help.id);
  const fit = () => (editor.rows = Math.max(3, editor.value.split("\n").length + 1));
  const status = make("p", { className: "progress-line", role: "status" });
  const reply = make("div", { className: "reply", role: "status" });
  const run = button("Check", async () => {
    if (!run.disabled) await checked();
  });
  const stop = button("Stop", () => ask.stop());
  const again = button("Start again", () => {
    editor.value = frame_text;
    editor.dispatchEvent(new Event("input"));
    editor.focus();
  });
  stop.hidden = true;

  async function checked() {
    document.querySelectorAll(".exercise .check").forEach((one) => (one.disabled = true));
    stop.hidden = false;
    reply.replaceChildren();
    reply.className = "reply";
    const [start, answer] = [performance.now(), editor.value];
    const question = { lesson: `lesson_${page.lesson.slice(0, 2)}`, name, answer, check, imports: page.imports, numpy: page.needs && page.numpy };
    const got = await ask(question, (text) => (status.textContent = text));
    const said = got.reply ?? { status: "error", title: `${name}: ${HEADINGS.error}.`, message: got.failed };
    status.textContent = "";
    box.dataset.seconds = ((performance.now() - start) / 1000).toFixed(2);
    show(reply, said);
    keep(name, answer, check, said);
    stop.hidden = true;
    document.querySelectorAll(".exercise .check").forEach((one) => (one.disabled = false));
  }

  run.classList.replace("btn-outline-primary", "btn-primary");
  run.classList.add("check");
  editor.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.ctrlKey) run.click();
    else indent(event);
  });
  editor.addEventListener("blur", () => delete editor.dataset.free);
  editor.addEventListener("input", () => {
    fit();
    keep(name, editor.value, check);
  });
  fit();
  const work = make("div", { className: "work" }, editor, help, make("p", { className: "buttons" }, run, stop, again), status, reply);
  box.querySelector(".cell").classList.add("d-none", "d-print-block");
  details.before(work);
  const before = kept_text(kept, name);
  if (before) {
    const [title, ...message] = before.split("\n");
    show(reply, { status: status_of(title), title, message: message.join("\n") });
  }
}

const status_of = (title) => Object.keys(HEADINGS).find((key) => title.endsWith(`: ${HEADINGS[key]}.`)) ?? "not attempted";

// --- questions and quizzes ---

// What Question.diagnose and Quiz.diagnose say, of letters; held to them by a test.
export function judgeQuestion(name, rights, reasons, letters) {
  const said = (status, message) => ({ status, title: `${name}: ${HEADINGS[status]}.`, message });
  if (!letters.length) return said("not attempted", "Choose one or several, then check.");
  const all = [...rights.keys()].map((n) => "abcdefgh"[n]);
  const right = all.filter((_, n) => rights[n]);
  const wrong = letters.filter((letter) => !right.includes(letter));
  const missed = right.filter((letter) => !letters.includes(letter)).length;
  if (!wrong.length && !missed) return said("correct", right.map((letter) => `${letter}: ${reasons[all.indexOf(letter)]}`).join("\n"));
  const lines = wrong.map((letter) => `${letter} (chosen): ${reasons[all.indexOf(letter)]}`);
  if (missed) lines.push(missed === 1 ? "One right choice is missing." : `${missed} right choices are missing.`);
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
  const record = (reply) => page && keep(name, source(), `${name}.check(${quiz ? "my_letters" : "my_answer"})`, reply);
  const before = [...((page && kept_cell(notebook(page.lesson), name))?.source ?? "").matchAll(/"([a-h])"|\.\.\./g)].map((one) => one[1]);

  groups.forEach((group, n) => {
    const prompt = group.querySelector(".prompt");
    prompt.id = `${name}-${n + 1}`;
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", prompt.id);
    const list = group.querySelector("ol");
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
        const text = kept_text(notebook(page.lesson), name);
        const [title, ...message] = text.split("\n");
        if (text) show(reply, { status: status_of(title), title, message: message.join("\n") });
      }
    }
  });
}

if (page) {
  document.querySelectorAll(".to-answer.exercise").forEach(exercise);
  document.querySelectorAll(".to-answer:not(.exercise)").forEach(question);
}

// --- the page that finds a reader's place ---

// The lessons whose questions were missed, as pe_lessons.placement has it.
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
  const lessons = Object.keys(localStorage).filter((key) => key.startsWith(KEPT)).map((key) => key.slice(KEPT.length)).sort();
  const fill = () => {
    let done = 0;
    const rows = [...table.querySelectorAll("[data-name]")];
    for (const row of rows) {
      const status = status_of(kept_text(notebook(row.dataset.lesson), row.dataset.name).split("\n")[0]);
      row.querySelector(".outcome").textContent = HEADINGS[status];
      row.className = status.replace(" ", "-");
      done += status === "correct";
    }
    document.getElementById("progress-count").textContent = `${done} of ${rows.length} done.`;
  };
  const whole = () => {
    const cells = lessons.flatMap((lesson) => {
      const answers = notebook(lesson).cells;
      const names = answers.map((one) => one.id).filter((id) => !id.endsWith("-check"));
      const line = `from pe_lessons.exercises.lesson_${lesson.slice(0, 2)} import ${names.join(", ")}`;
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
    lessons.splice(0).forEach((lesson) => localStorage.removeItem(KEPT + lesson));
    fill();
  };
  document.getElementById("progress-buttons").append(button("Export", save), " ", button("Forget", forget));
  fill();
}
