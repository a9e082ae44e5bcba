import { LESSON, compared, drawn, gallery, make, meant, tabled } from "./compare.js";
// Reads a config.json with the course's Python, in this browser.
import { progress_in, started, starting } from "./starting.js";

const [config, file, taken, other, status, said, fault] = ["config", "file", "taken", "other", "reading", "said", "fault"].map((id) => document.getElementById(id));
const LARGEST = 1e6; // characters; the longest config.json of the gallery's models has 30,000
const HEADS = ["layers", "rule", "base", "tokens seen", "pairs with less than one turn"];
const TOO_LONG = { error: "This is too long for a config.json. Is it another file?" };
let [worker, ready, begun] = [null, false, 0];
const tell = progress_in(status);
const passed = () => (status.dataset.passed = `${Math.round((performance.now() - begun) / 1000)} s so far`);
let waiting = Promise.resolve();

function ask(question) {
  waiting = waiting.then(
    () =>
      new Promise((resolve) => {
        if (!worker) begun = performance.now();
        worker ??= new Worker(new URL("config_worker.js", import.meta.url), { type: "module" });
        if (!ready) tell(starting(), 0.02);
        const clock = ready ? 0 : setInterval(passed, 1000); // not in the words, which are read aloud whenever they change
        worker.onerror = () => {
          clearInterval(clock);
          resolve({ error: "Python could not be started here." });
        };
        worker.onmessage = ({ data }) => {
          if (data.progress !== undefined) tell(data.progress || starting(), data.share);
          else {
            if (!ready && !data.failed) {
              ready = true;
              started(begun);
            }
            clearInterval(clock);
            tell("");
            resolve(data.reply ?? { error: data.failed });
          }
        };
        worker.postMessage(question);
      }),
  );
  return waiting;
}

// What to do about other warnings, by how they begin.
const DO = [
  [/^mrope_section adds up to (\d+), but (\d+) pairs turn/, (_, sum, turn) => ` Each pair of a head belongs to time, height or width, so the numbers of mrope_section must add up to ${turn}. Either change them (the model's own file has the right ones), or check head_dim${Number(sum) > Number(turn) ? ` and partial_rotary_factor, which may be too small: a head of ${2 * sum} columns has ${sum} pairs` : " and partial_rotary_factor"}.`],
  [/^the trained length \S+ is longer than/, () => " Check which of the two lengths is wrong: the trained length can't be longer than the longest text."],
  [/ without original_max_position_embeddings/, () => " Write the trained length into the rule, as original_max_position_embeddings."],
  [/^(\w+) gives the base /, (_, name) => ` Write the same rope_theta in both places, or keep only the one in ${name}.`],
  [/^rope_parameters and rope_scaling disagree/, () => " Keep one of the two: rope_parameters is the newer name."],
  [/ has \d+ entries for \d+ layers/, () => " Make it as long as num_hidden_layers, or correct num_hidden_layers."],
  [/an odd number: no whole pairs/, () => " Change partial_rotary_factor, so that the number of columns is even."],
];
const what_to_do = (sentence) => DO.map(([sign, said]) => (sentence.match(sign) ? said(...sentence.match(sign)) : "")).join("");

// What a warning means for the file, and what to do.
function advice(sentence) {
  const [, factor, trained, all, given] = sentence.match(/^factor (\S+) times the trained length (\S+) is (\S+), not (\S+)$/) ?? [];
  const number = (said) => Number(said.replaceAll(",", ""));
  if (!factor) return `${sentence.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase())}.${what_to_do(sentence)}`; // a key stays as it is
  if (number(all) > number(given) && number(given) > number(trained)) return `Your file may be right. Its rule stretches ${trained} tokens by ${factor} and reaches ${all}, and its max_position_embeddings promises less, ${given}. For texts up to ${given} tokens nothing has to change.`;
  if (number(all) > number(given)) return `Your file may be right, but it names two lengths. Its rule stretches ${trained} tokens by ${factor} and reaches ${all}. Its max_position_embeddings says ${given}, and the turns below are counted for ${given}. Programs differ in which of the two is their limit. If you want ${all} tokens, write ${all.replaceAll(",", "")} as max_position_embeddings. If ${given} are enough, take the rule out, because it changes short texts too.`;
  return `Your file promises more than its rule reaches. The rule stretches ${trained} tokens by ${factor}, which gives ${all}. But max_position_embeddings says ${given}. Raise the factor to ${number(given) / number(trained)}, or lower max_position_embeddings to ${all.replaceAll(",", "")}.`;
}

const link = (href, textContent) => make("a", { href, textContent });

// The type that no table of the reader has, if the file names such a type.
const UNKNOWN = /^the type '(.+)' is not in this reader's tables/;

// What the rule of a row is given besides its name: the words have it below the same layers.
function settings(told, [layers, rule]) {
  const lines = told.split("\n");
  const at = lines.findIndex((line) => new RegExp(`^layers? ${layers}:`).test(line));
  const next = lines.slice(at + 1).findIndex((line) => !line.startsWith("  "));
  const [, given] = lines.slice(at, next < 0 ? undefined : at + 1 + next).join("\n").match(/^ +rule \S+: (.*)$/m) ?? [];
  return given ? `${rule.replace(/, factor .*/, "")}, ${given}` : rule; // it has the factor as well
}

// What stands where a row has no number: only layers that rotate have a base and turns, and those without keys see no tokens.
const absent = (row, n) => (n !== 3 && !row[2] ? "no rotation" : n === 3 && /state|without attention/.test(row[1]) ? "no keys" : "not given");

// What the file says in so many words, while Python starts. Python takes the place of it.
function plainly(text) {
  const all = JSON.parse(bare_numbers(text)) ?? {};
  const file = { ...all, ...all.text_config };
  const first = (...names) => names.map((name) => file[name]).find((one) => typeof one === "number" && one > 0)?.toLocaleString("en", { maximumFractionDigits: 9 });
  const ropes = [file, file.rope_parameters, ...Object.values(file.rope_parameters ?? {})];
  const bases = [...new Set(ropes.flatMap((one) => [one?.rope_theta, one?.rotary_emb_base]).filter((one) => typeof one === "number"))];
  const facts = [
    ["type", typeof file.model_type === "string" && file.model_type.slice(0, 60)],
    ["layers", first("num_hidden_layers", "n_layer", "n_layers", "num_layers")],
    ["base of the rotation", bases.map((one) => one.toLocaleString("en")).join(" and ")],
    ["longest text, in tokens", first("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")],
  ].filter(([, said]) => said);
  if (!facts.length) return said.replaceChildren();
  const told = facts.map(([name, value]) => `${name}: ${value}`).join("; ");
  said.replaceChildren(make("p", { className: "meanwhile", textContent: `Your file says: ${told}. What each layer does follows when Python has started.` }));
}

// The keys of a strip's colours, as far as it has them.
const KEYS = { rotation: "with a rotation", added: "after an added table", bias: "with a bias", state: "with a state", none: "without positions", convolution: "with a convolution", alone: "without attention", unknown: "not understood", window: "with a window (half as high)" };
function legend(strip) {
  const has = (words) => strip.getAttribute("aria-label").includes(words.replace(/ \(.*/, ""));
  const keys = Object.entries(KEYS).filter(([, words]) => has(words)).map(([key, words]) => make("span", {}, make("i", { className: key }), words));
  return make("p", { className: "legend" }, "A piece is a layer, the first on the left.", ...keys);
}

// First what the model does, then what to check in the file, then the numbers.
function show(reply, theirs) {
  fault.textContent = reply.error ?? "";
  if (reply.error) return said.replaceChildren();
  const strip = drawn(reply.strip);
  const first = strip.getAttribute("aria-label").replace(/^(\d+) layers: \1 /, "$1 layers, all ");
  const unknown = reply.warnings.map((one) => one.match(UNKNOWN)?.[1]).find(Boolean);
  const summary = make("p", { className: "summary" }, make("strong", { textContent: `This model has ${first}.` }));
  if (unknown) summary.append(" This page doesn't know the type ", make("code", { textContent: unknown }), ". It read the keys of the file, and the model's code may do something else.");
  else if (!reply.understood) summary.append(" Something in this file is not understood. It is named below, and what depends on it may be wrong.");
  const names = [taken, other].map((one) => (one.value ? one.selectedOptions[0].textContent : "this file"));
  said.replaceChildren(summary);
  if (theirs) said.prepend(make("h2", { textContent: `Compared with ${names[1]}` }), ...compared([{ name: names[0], ...reply }, { name: names[1], ...theirs }]), make("h2", { textContent: `All of ${names[0]}` }));
  if (!theirs) said.append(strip, legend(strip));
  const checks = reply.warnings.filter((one) => !UNKNOWN.test(one)).map(advice);
  if (checks.length) {
    said.append(make("section", { className: "checks" }, make("h3", { textContent: checks.length > 1 ? `Check these ${checks.length} things in the file` : "Check this in the file" }), make("ul", {}, ...checks.map((textContent) => make("li", { textContent })))));
  }
  const table = tabled(HEADS, reply.table.map((row) => row.map((one, n) => (n === 1 && settings(reply.told, row)) || one || absent(row, n))));
  table.firstChild.classList.add("stacks"); // on a phone
  for (const { children } of table.querySelectorAll("tbody tr")) HEADS.forEach((said, n) => children[n].prepend(make("span", { className: "cell-head" }, n < 4 ? said : link(LESSON, said))));
  table.querySelector("th:last-child").replaceChildren(link(LESSON, HEADS.at(-1)));
  said.append(table);
  const beyond = reply.told.split("\n").find((line) => line.startsWith("beyond "));
  if (beyond) {
    const fact = make("p", { className: "fact" }, `B${beyond.slice(1).replace(/, if this is the length after stretching.*/, "")}. `, link(LESSON, "Lesson 13"), " shows what that does, and what helps.");
    if (/^ +rule (linear|dynamic|ntk): factor/m.test(reply.told) && !config.value.includes("original_max_position_embeddings")) fact.append(" That is so if the length in the file is the one in training. The file has a factor, and doesn't say whether its length is meant before or after it.");
    said.append(fact);
  }
  const notes = make("p", { className: "notes" });
  if (reply.table.some((row) => row[4])) notes.append("Each pair is rotated further at every position, and a full circle is one turn. Turns are counted within the tokens seen. ");
  if (reply.told.includes("queries and keys times")) notes.append("“Queries and keys times” is a factor of the rule. It multiplies both, so a score grows by its square. ", link(LESSON, "Lesson 13"), " explains it.");
  said.append(notes, make("details", {}, make("summary", { textContent: "The same in words" }), make("pre", { className: "told", textContent: reply.told, tabIndex: 0 }), make("p", { className: "meant", textContent: meant(reply.told) })));
  if (reply.unread.length) said.append(make("details", { open: reply.unread.length < 4 }, make("summary", { textContent: `${reply.unread.length} key${reply.unread.length > 1 ? "s" : ""} skipped` }), make("p", { className: "unread", textContent: `Skipped: ${reply.unread.join(", ")}. The page doesn't know these keys as settings of positions. Most such keys have nothing to do with position, as num_key_value_heads.` })));
}

// What helps: the comma to take out, the end that is missing, or the quotes.
function remedy(text, said) {
  const bare = text.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
  const [, left] = bare.match(/,\s*([}\]])/) ?? [];
  const count = (signs) => bare.match(signs)?.length ?? 0;
  if (left) return ` Remove the comma before the ${left}.`;
  if (count(/[{[]/g) > count(/[}\]]/g)) return " The end is missing: there are more opening brackets than closing ones. Copy the whole file.";
  return /property name/i.test(said) ? " Put double quotes around names." : "";
}

// Python's own files may hold NaN and Infinity.
const bare_numbers = (text) => text.replace(/\b(NaN|Infinity)\b/g, "0");

// What JSON.parse finds wrong, before Python starts.
function wrong(text) {
  try {
    JSON.parse(bare_numbers(text));
  } catch ({ message }) {
    const [, line, column] = message.match(/line (\d+) column (\d+)/) ?? [];
    const said = message.replace(/^JSON\.parse: |^JSON Parse error: /, "").replace(/,? (in JSON )?at (position|line) \d.*$/, "");
    return `This is not JSON: ${line ? `in line ${line}, column ${column} ` : ""}your browser says “${said}”.${remedy(text, said)}`;
  }
}

let asked = 0;
async function read(typed) {
  const mine = ++asked;
  fault.textContent = "";
  if (!config.value.trim()) return said.replaceChildren();
  if (config.value.length > LARGEST) return show(TOO_LONG);
  const error = wrong(config.value);
  if (error) return show({ error });
  const begun = performance.now();
  if (!taken.value && !ready) plainly(config.value);
  const reply = taken.value ? (await gallery())[taken.value] : await ask({ text: config.value });
  const theirs = other.value && (await gallery())[other.value];
  if (mine !== asked) return; // something newer was asked for
  show(reply, theirs);
  tell("");
  if (typed !== true && said.getBoundingClientRect().top > 0.6 * innerHeight) said.scrollIntoView(); // a phone has the form only
  said.dataset.seconds = ((performance.now() - begun) / 1000).toFixed(2);
}

async function open(blob) {
  taken.value = "";
  if (blob.size > LARGEST) return show(TOO_LONG);
  config.value = await blob.text();
  read();
}

let [typing, long] = [null, 0];
config.oninput = ({ inputType }) => {
  taken.value = "";
  clearTimeout(typing);
  const pasted = inputType === "insertFromPaste" || config.value.length > long + 20; // by a program, or a keyboard of a phone
  long = config.value.length;
  typing = setTimeout(read, pasted ? 0 : 400, !pasted);
};
file.onchange = () => file.files[0] && open(file.files[0]);
other.onchange = read;
taken.onchange = async () => {
  const name = taken.value;
  const known = await gallery();
  if (taken.value !== name) return; // in the meantime somebody typed, or took another one
  config.value = known[name]?.text ?? "";
  return read();
};
const box = document.getElementById("reader");
ask({}); // Python starts while the reader looks for the file
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

// An address may ask for two: read_a_config.html?read=gpt-2&with=bloom.
const wanted = new URLSearchParams(location.search);
const known = (name) => [...other.options].some((one) => one.value === name);
if (known(wanted.get("with"))) other.value = wanted.get("with");
if (known(wanted.get("read"))) {
  taken.value = wanted.get("read");
  taken.onchange().then(() => other.value && said.scrollIntoView());
}
