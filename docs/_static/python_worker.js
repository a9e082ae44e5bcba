// Python for the exercises of a page: Pyodide and the course, in a worker, so that an endless loop can be ended.
import { loadPyodide } from "./python/pyodide.mjs";

const say = (text) => postMessage({ progress: text });
const fetched = async (url) => {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} could not be fetched (${answer.status})`);
  return answer.arrayBuffer();
};

async function start(numpy) {
  say("Fetching Python (13 MB, kept by your browser) …");
  const [python, course] = await Promise.all([loadPyodide(), fetched("python/pe_lessons.zip")]);
  python.unpackArchive(course, "zip");
  if (numpy) {
    say(`Fetching NumPy from ${new URL(numpy, location).host} …`);
    await python.loadPackage(new URL(numpy, new URL("python/", location)).href);
  }
  say("Python is starting …");
  python.runPython("import sys; sys.path.insert(0, '.')");
  return python.pyimport("pe_lessons.exercises.in_browser");
}

let python;
onmessage = async ({ data }) => {
  try {
    python ??= await start(data.numpy);
    postMessage({ started: true });
    const { lesson, name, answer, check, imports } = data;
    const known = new Map(Object.entries(imports));
    const said = check ? python.reply(lesson, name, answer, check, known) : python.run(lesson, name, answer, known);
    postMessage({ reply: JSON.parse(said) });
  } catch (error) {
    postMessage({ failed: String(error.message ?? error).trim().split("\n").at(-1) });
  }
};
