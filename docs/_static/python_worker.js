// Python for the exercises of a page: Pyodide and the course, in a worker, so that an endless loop can be ended.
import { start } from "./python.js";

const say = (progress, share) => postMessage({ progress, share });

async function load({ lesson, numpy }) {
  const python = await start(say, numpy);
  python.pyimport(`pe_lessons.lessons.${lesson}`);
  return python.pyimport("pe_lessons.exercises.in_browser");
}

let starting;
onmessage = async ({ data }) => {
  try {
    const python = await (starting ??= load(data));
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
