// Python for the page that reads a config.
import { loadPyodide } from "./python/pyodide.mjs";

const say = (progress) => postMessage({ progress });

async function start() {
  say("Fetching Python (13 MB, kept by your browser) …");
  const [python, course] = await Promise.all([loadPyodide(), fetch("python/pe_lessons.zip").then((answer) => answer.arrayBuffer())]);
  python.unpackArchive(course, "zip");
  say("Python is starting …");
  python.runPython("import sys; sys.path.insert(0, '.')");
  return python.pyimport("pe_lessons.models.in_browser");
}

let starting;
onmessage = async ({ data: { text, other, example } }) => {
  try {
    const reader = await (starting ??= start());
    say("");
    if (text !== undefined) postMessage({ reply: JSON.parse(reader.read(text, other)) });
    else postMessage({ reply: { example: example && reader.example(example) } });
  } catch (error) {
    starting = undefined;
    postMessage({ failed: String(error.message ?? error).trim().split("\n").at(-1) });
  }
};
