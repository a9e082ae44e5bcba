// Reads a config.json with the course's Python, in this browser.
const [config, file, taken, other, status, said, fault] = ["config", "file", "taken", "other", "reading", "said", "fault"].map((id) => document.getElementById(id));
const LARGEST = 1e6; // characters; the longest config.json of the gallery's models has 30,000
const COMPARED = ["layers", "what they do", "longest text", "base of the rotation", "pairs that never turn"];
const HEADS = ["layers", "rule", "base", "tokens seen", "pairs that never turn"];
const TOO_LONG = { error: "This is too long for a config.json. Is it another file?" };
const STARTING = "Python is starting. That takes about 5 seconds, once on each page.";
let [worker, ready] = [null, false];
let waiting = Promise.resolve();

function ask(question) {
  waiting = waiting.then(
    () =>
      new Promise((resolve) => {
        worker ??= new Worker(new URL("config_worker.js", import.meta.url), { type: "module" });
        if (!ready) status.textContent = STARTING;
        worker.onerror = () => resolve({ error: "Python could not be started here." });
        worker.onmessage = ({ data }) => {
          if (data.progress !== undefined) status.textContent = data.progress;
          else {
            ready ||= !data.failed;
            status.textContent = "";
            resolve(data.reply ?? { error: data.failed });
          }
        };
        worker.postMessage(question);
      }),
  );
  return waiting;
}

function make(tag, properties = {}, ...inside) {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...inside);
  return one;
}

const drawn = (svg) => new DOMParser().parseFromString(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '), "image/svg+xml").documentElement;
const sentence = (text) => make("p", { className: "sentence", textContent: text });

const cells = (tag, row) => make("tr", {}, ...row.map((text) => make(tag, { textContent: text })));
const tabled = (heads, rows) => make("div", { className: "pst-scrollable-table-container", tabIndex: 0 },
  make("table", { className: "table" }, make("thead", {}, cells("th", heads)), make("tbody", {}, ...rows.map((row) => cells("td", row)))));

// Side by side: the strips of two models, what they have, and the lines that only one of them has.
function compared(reply) {
  const [mine, theirs] = [taken, other].map((one) => (one.value ? one.selectedOptions[0].textContent : "this file"));
  const [here, there] = reply.both;
  const parts = [make("h2", { textContent: `Compared with ${theirs}` }), make("p", { textContent: mine }), drawn(reply.strip), make("p", { textContent: theirs }), drawn(reply.theirs)];
  parts.push(tabled(["", mine, theirs], COMPARED.map((asked, n) => [asked, here[n], there[n]])));
  if (!reply.diff.length) return [...parts, make("p", { textContent: "They say the same." })];
  const lines = reply.diff.map((line) => make("span", { className: line[0] === "-" ? "gone" : "came", textContent: line }));
  return [...parts, make("p", { textContent: `With − what only ${mine} says, with + what only ${theirs} says.` }), make("pre", { className: "differing", tabIndex: 0 }, ...lines), make("h2", { textContent: `All of ${mine}` })];
}

function show(reply) {
  fault.textContent = reply.error ?? "";
  if (reply.error) return said.replaceChildren();
  const strip = drawn(reply.strip);
  const first = strip.getAttribute("aria-label").replace(/^(\d+) layers: \1 /, "$1 layers, all ");
  said.replaceChildren(...(reply.diff ? compared(reply) : []), make("p", {}, make("strong", { textContent: `This model has ${first}.` })));
  if (!reply.diff) said.append(strip);
  if (!reply.understood) said.append(sentence("Something in this file is not understood. It is named below. What depends on it may be wrong."));
  const warning = reply.told.split("\n").find((line) => line.startsWith("beyond "));
  if (warning) {
    const lesson = make("a", { href: "notebooks/13_longer_than_trained.html", textContent: "Lesson 13" });
    said.append(make("p", { className: "sentence" }, `B${warning.slice(1)}. `, lesson, " shows what that does, and what helps."));
  }
  said.append(tabled(HEADS, reply.table), make("pre", { className: "told", textContent: reply.told, tabIndex: 0 }));
  if (reply.unread.length) said.append(make("p", { className: "unread", textContent: `Not read: ${reply.unread.join(", ")}.` }));
}

// What JSON.parse finds wrong, before Python starts. Python's own files may hold NaN and Infinity.
function wrong(text) {
  try {
    JSON.parse(text.replace(/\b(NaN|Infinity)\b/g, "0"));
  } catch ({ message }) {
    const [, line, column] = message.match(/line (\d+) column (\d+)/) ?? [];
    const said = message.replace(/^JSON\.parse: |^JSON Parse error: /, "").replace(/,? (in JSON )?at (position|line) \d.*$/, "");
    return `This is not JSON: ${line ? `in line ${line}, column ${column} ` : ""}your browser says “${said}”.`;
  }
}

let asked = 0;
async function read() {
  const mine = ++asked;
  fault.textContent = "";
  if (!config.value.trim()) return said.replaceChildren();
  if (config.value.length > LARGEST) return show(TOO_LONG);
  const error = wrong(config.value);
  if (error) return show({ error });
  const begun = performance.now();
  const reply = await ask({ text: config.value, other: other.value });
  if (mine !== asked) return; // something newer was asked for
  show(reply);
  status.textContent = "";
  said.dataset.seconds = ((performance.now() - begun) / 1000).toFixed(2);
}

async function open(blob) {
  taken.value = "";
  if (blob.size > LARGEST) return show(TOO_LONG);
  config.value = await blob.text();
  read();
}

let typing;
config.oninput = ({ inputType }) => {
  taken.value = "";
  clearTimeout(typing);
  typing = setTimeout(read, inputType === "insertFromPaste" ? 0 : 400);
};
file.onchange = () => file.files[0] && open(file.files[0]);
other.onchange = read;
taken.onchange = async () => {
  const name = taken.value;
  const { example } = await ask({ example: name });
  if (taken.value !== name) return; // in the meantime somebody typed, or took another one
  config.value = example ?? "";
  return read();
};
const box = document.getElementById("reader");
// Python starts while the reader looks for the file.
for (const event of ["pointerenter", "focusin"]) box.addEventListener(event, () => worker ?? ask({}));
box.addEventListener("dragover", (event) => {
  event.preventDefault();
  config.classList.add("over");
});
box.addEventListener("dragleave", () => config.classList.remove("over"));
box.addEventListener("drop", (event) => {
  event.preventDefault();
  config.classList.remove("over");
  const [dropped] = event.dataTransfer.files;
  if (dropped) open(dropped);
  else if (event.dataTransfer.getData("text")) open(new Blob([event.dataTransfer.getData("text")]));
});
box.hidden = false;

// The gallery asks for two: read_a_config.html?read=gpt-2&with=bloom.
const wanted = new URLSearchParams(location.search);
const known = (name) => [...other.options].some((one) => one.value === name);
if (known(wanted.get("with"))) other.value = wanted.get("with");
if (known(wanted.get("read"))) {
  taken.value = wanted.get("read");
  taken.onchange().then(() => other.value && said.scrollIntoView());
}
