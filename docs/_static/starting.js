// What a reader sees while Python starts: what is done, a bar, and how long it took this browser the last time.
const KEPT = "pe_lessons/python";
const TAKES = "Python is starting, once on each page.";

export const last_time = () => {
  try {
    return JSON.parse(localStorage.getItem(KEPT));
  } catch {} // no storage
};

export const starting = () => {
  const seconds = Number(last_time());
  return `${TAKES} ${seconds > 1 ? `The last time it took ${seconds} seconds here.` : "The first time takes 5 to 20 seconds."}`;
};

// Returns tell(text, share): a text for the line, and how much of the start is done, from 0 to 1, or nothing when it is.
export function progress_in(line) {
  return (text, share) => {
    line.textContent = text;
    line.classList.toggle("with-bar", share !== undefined);
    if (share === undefined) return;
    line.style.setProperty("--takes", share < 0.6 ? "0.3s" : `${Math.max(4, Number(last_time()) || 10)}s`); // then no news comes for a while
    line.style.setProperty("--share", share < 0.6 ? share : 0.97);
  };
}

// Python has come: for the next time.
export function started(begun) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(Math.max(1, Math.ceil((performance.now() - begun) / 1000))));
  } catch {} // no storage
}
