// Python for the page that reads a config.
import { start } from "./python.js";

const say = (progress, share) => postMessage({ progress, share });
const load = async () => (await start(say)).pyimport("pe_lessons.models.in_browser");

let starting;
onmessage = async ({ data: { text } }) => {
  try {
    const reader = await (starting ??= load());
    postMessage({ reply: text === undefined ? {} : JSON.parse(reader.read(text)) });
  } catch (error) {
    starting = undefined;
    postMessage({ failed: String(error.message ?? error).trim().split("\n").at(-1) });
  }
};
