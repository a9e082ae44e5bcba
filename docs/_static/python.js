// Pyodide and the course, for the workers. say() is called with what a reader may be told meanwhile.
import { loadPyodide } from "./python/pyodide.mjs";

const fetching = self.fetch;
const STARTING = "Python is starting. That takes about 5 seconds, once on each page.";

export async function start(say, numpy) {
  const all = numpy ? 16 : 13;
  let [got, told] = [0, 0];
  const count = (bytes) => {
    got += bytes;
    const now = Math.round(got / 1e6);
    if (now === told) return;
    told = now;
    say(now < all ? `Fetching Python${numpy ? " and NumPy" : ""}, ${now} of ${all} MB (kept by your browser) …` : STARTING);
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
  say(STARTING);
  python.runPython("import sys; sys.path.insert(0, '.')");
  return python;
}
