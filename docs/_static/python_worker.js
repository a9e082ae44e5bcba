// Python for the exercises of a page: Pyodide and the course, in a worker, so that an endless loop can be ended.
import { loadPyodide } from "./python/pyodide.mjs";

const say = (text) => postMessage({ progress: text });
const fetched = async (url) => {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} could not be fetched (${answer.status})`);
  return answer.arrayBuffer();
};

async function start({ lesson, numpy }) {
  say(`Fetching Python${numpy ? " and NumPy (16" : " (13"} MB, kept by your browser) …`);
  const [python, course] = await Promise.all([loadPyodide(), fetched("python/pe_lessons.zip")]);
  python.unpackArchive(course, "zip");
  if (numpy) await python.loadPackage("numpy");
  say("Python is starting …");
  python.runPython("import sys; sys.path.insert(0, '.')");
  python.pyimport(`pe_lessons.lessons.${lesson}`);
  return python.pyimport("pe_lessons.exercises.in_browser");
}

let starting;
onmessage = async ({ data }) => {
  try {
    const python = await (starting ??= start(data));
    const { lesson, name, answer, check, imports } = data;
    if (!name) return postMessage({ reply: null }); // it was to start, and no more
    postMessage({ of: name, started: true });
    const known = new Map(Object.entries(imports));
    const said = check ? python.reply(lesson, name, answer, check, known) : python.run(lesson, name, answer, known);
    postMessage({ of: name, reply: JSON.parse(said) });
  } catch (error) {
    postMessage({ of: data.name, failed: String(error.message ?? error).trim().split("\n").at(-1) });
  }
};
