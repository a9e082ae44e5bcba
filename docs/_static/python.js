// Pyodide and the course, for the workers. say() is called with what a reader may be told meanwhile, and how much
// of the start is done. Nothing to tell stands for the sentence of starting.js, which knows the browser.
import { loadPyodide } from "./python/pyodide.mjs";

const fetching = self.fetch;

export async function start(say, numpy) {
  const all = numpy ? 16 : 13;
  let [got, told] = [0, 0];
  const count = (bytes) => {
    got += bytes;
    const now = Math.round(got / 1e6);
    if (now === told) return;
    told = now;
    if (now < all) say(`Fetching Python${numpy ? " and NumPy" : ""}, ${now} of ${all} MB (kept by your browser) …`, (0.6 * now) / all);
    else say("", 0.6);
  };
  self.fetch = async (...asked) => {
    const answer = await fetching(...asked);
    if (!answer.ok) throw new Error(`${answer.url} could not be fetched (${answer.status})`);
    const counted = new TransformStream({
      transform(piece, out) {
        count(piece.length);
        out.enqueue(piece);
      },
    });
    return new Response(answer.body.pipeThrough(counted), answer);
  };
  const [python, course] = await Promise.all([loadPyodide(), fetch("python/pe_lessons.zip").then((answer) => answer.arrayBuffer())]);
  python.unpackArchive(course, "zip");
  if (numpy) await python.loadPackage("numpy");
  self.fetch = fetching;
  say("", 0.6);
  python.runPython("import sys; sys.path.insert(0, '.')");
  return python;
}
