// Python for the page that reads a config.
import { start } from "./python.js";

const say = (progress) => postMessage({ progress });
const load = async () => (await start(say)).pyimport("pe_lessons.models.in_browser");

let starting;
onmessage = async ({ data: { text, other, example } }) => {
  try {
    const reader = await (starting ??= load());
    say("");
    if (text !== undefined) postMessage({ reply: JSON.parse(reader.read(text, other)) });
    else postMessage({ reply: { example: example && reader.example(example) } });
  } catch (error) {
    starting = undefined;
    postMessage({ failed: String(error.message ?? error).trim().split("\n").at(-1) });
  }
};
