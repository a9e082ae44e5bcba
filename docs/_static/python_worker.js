// Python for the exercises of a page: Pyodide and the course, in a worker, so that an endless loop can be ended.
import { start } from "./python.js";

const say = (progress, share) => postMessage({ progress, share });

let [python, has_numpy] = [null, false];
async function load({ lesson, numpy }) {
  [python, has_numpy] = [await start(say, numpy), numpy];
  python.pyimport(`pe_lessons.lessons.${lesson}`);
  return python.pyimport("pe_lessons.exercises.in_browser");
}

// For an answer that imports NumPy on a page that does without it.
async function add_numpy() {
  say("Fetching NumPy, 3 MB (kept by your browser) …", 0.3);
  await python.loadPackage("numpy");
  python.runPython("import numpy"); // the first time takes a while, which is none of the answer's
  has_numpy = true;
}

let starting;
onmessage = async ({ data }) => {
  try {
    const course = await (starting ??= load(data));
    const { lesson, name, answer, check, imports, wants_numpy } = data;
    if (!name) return postMessage({ reply: null }); // it was to start, and no more
    if (wants_numpy && !has_numpy) await add_numpy();
    postMessage({ of: name, started: true });
    const known = new Map(Object.entries(imports));
    const said = check ? course.reply(lesson, name, answer, check, known) : course.run(lesson, name, answer, known);
    postMessage({ of: name, reply: JSON.parse(said) });
  } catch (error) {
    postMessage({ of: data.name, failed: String(error.message ?? error).trim().split("\n").at(-1) });
  }
};
