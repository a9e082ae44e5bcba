// Live pictures: knobs made from a list, drawing at every move, the numbers in words. A picture is a module with
// knobs, numbers(values), draw(numbers, values, touched) as SVG, words(numbers, values, touched) as HTML and the height of
// its drawing, or a function that gives it. Where a knob ends may depend on the values of the others. A picture that can be grasped has
// grasp(point, values): null, or a function from a point to values. Every value has a knob too, for the keyboard.
// A picture may have a button, whose name is `button`. It counts the knob `walk` along until the reader stops it.
// Where there is a story below a picture, solved(numbers) says when it may be told. A picture that asks has offers():
// what its buttons say, and do; an act may give back values for knobs, and a button without an act is there to be read. A knob named
// by `sweep` takes a few steps to its value when the picture comes for the first time on a visit.
import { WIDTH, grasp, painted, range, row, spaced } from "./pictures/shared.js";

const PACE = 300; // milliseconds from one step of a walk to the next
const [STEPS, STEP] = [4, 250]; // of a sweep: over before one has read the question
const phone = matchMedia("(max-width: 600px)");

function knob(spec) {
  const label = document.createElement("label");
  const shown = document.createElement("b");
  const input = document.createElement(spec.choices ? "select" : "input");
  if (spec.choices) input.append(...spec.choices.map((choice) => new Option(spec.shown?.(choice) ?? choice, choice)));
  else if (spec.min === undefined) Object.assign(input, { type: "checkbox", checked: spec.value });
  else Object.assign(input, { type: "range", min: spec.min, step: spec.step ?? 1 });
  let before = input.value; // a finger that turns out to scroll changes nothing
  input.addEventListener("pointerdown", () => (before = input.value));
  input.addEventListener("pointercancel", () => {
    input.value = before;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const bound = (values) => {
    if (spec.min !== undefined) input.max = spec.max instanceof Function ? spec.max(values) : spec.max;
  };
  if (!(spec.max instanceof Function)) bound();
  if (spec.min !== undefined || spec.choices) input.value = spec.value;
  label.append(`${spec.label} `, shown, input);
  const read = () => (spec.choices ? input.value : spec.min === undefined ? input.checked : Number(input.value));
  const say = (values) => {
    if (spec.min === undefined) return;
    shown.textContent = spec.shown ? spec.shown(read(), values) : spaced(read());
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  return { label, input, spec, bound, read, say };
}

const made_button = (textContent, onclick = null) =>
  Object.assign(document.createElement("button"), { type: "button", className: "btn btn-sm btn-outline-primary", textContent, onclick });

// The elements of a drawing stay as long as their kinds do, so that they glide to their new places (site.css).
function redraw(drawing, markup) {
  const fresh = drawing.cloneNode();
  fresh.innerHTML = markup;
  const [before, now] = [drawing, fresh].map((one) => [...one.querySelectorAll("*")]);
  if (before.map((one) => one.tagName).join() !== now.map((one) => one.tagName).join()) return drawing.replaceChildren(...fresh.childNodes);
  before.forEach((one, n) => {
    one.getAttributeNames().filter((name) => !now[n].hasAttribute(name)).forEach((name) => one.removeAttribute(name));
    for (const { name, value } of now[n].attributes) if (one.getAttribute(name) !== value) one.setAttribute(name, value);
    if (one.tagName === "text") one.textContent = now[n].textContent;
  });
}

// Whether this visit has seen a sweep; from now on it has.
function swept() {
  try {
    const before = sessionStorage.getItem("swept");
    sessionStorage.setItem("swept", "1");
    return Boolean(before);
  } catch {
    return true; // no storage: it stands still
  }
}

async function mount(box) {
  const picture = await import(`./pictures/${box.dataset.picture}.js`);
  const knobs = Object.fromEntries(picture.knobs.map((spec) => [spec.name, knob(spec)]));
  const controls = document.createElement("div");
  controls.className = "knobs";
  controls.append(...Object.values(knobs).map((one) => one.label));
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawing.setAttribute("aria-hidden", "true");
  const words = document.createElement("p");
  words.setAttribute("role", "status");
  const read = () => Object.fromEntries(Object.entries(knobs).map(([name, one]) => [name, one.read()]));
  const offered = document.createElement("p");
  offered.className = "offered";
  const offer = () => {
    const offers = picture.offers?.() ?? [];
    if (offers.map(([said]) => said).join() === [...offered.children].map((one) => one.textContent).join()) return;
    if (touched) (offers.some(([, act]) => act) ? words : drawing).scrollIntoView({ block: "nearest" }); // what was found out, or what is to be tapped
    offered.replaceChildren(...offers.map(([said, act]) => Object.assign(made_button(said, () => {
      for (const [name, value] of Object.entries(act() ?? {})) knobs[name].input.value = value;
      touch();
      (offered.querySelector(":enabled") ?? controls.querySelector("input")).focus({ preventScroll: true });
    }), { disabled: !act })));
    for (const one of offered.children) one.classList.toggle("right", one.textContent.startsWith("✓"));
  };
  let touched = false;
  const show = () => {
    Object.values(knobs).forEach((one) => one.bound(read()));
    const values = read();
    const numbers = picture.numbers(values);
    drawing.setAttribute("viewBox", `0 0 ${WIDTH} ${picture.height instanceof Function ? picture.height() : picture.height}`);
    redraw(drawing, picture.draw(numbers, values, touched));
    words.innerHTML = picture.words(numbers, values, touched);
    box.classList.toggle("solved", touched && (picture.solved?.(numbers) ?? true));
    offer();
    Object.values(knobs).forEach((one) => one.say(values));
  };
  const touch = () => {
    touched = true;
    show();
  };
  Object.values(knobs).forEach((one) => one.input.addEventListener("input", touch));
  box.querySelector("noscript").before(drawing, controls, words, ...(picture.offers ? [...box.querySelectorAll(".story"), offered] : []));
  show();
  new MutationObserver(show).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  if (picture.sweep && matchMedia("(prefers-reduced-motion: no-preference)").matches && !swept()) {
    const { input } = knobs[picture.sweep];
    const aim = Number(input.value);
    input.value = aim - STEPS;
    words.setAttribute("aria-live", "off");
    show();
    const timer = setInterval(() => {
      if (!touched) input.value = Number(input.value) + 1;
      if (touched || Number(input.value) >= aim) {
        clearInterval(timer);
        words.setAttribute("aria-live", "polite");
      }
      show();
    }, STEP);
  }
  if (picture.grasp) {
    const inside = ({ clientX, clientY }) => {
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(drawing.getScreenCTM().inverse());
      return [x, y];
    };
    grasp(drawing, inside, (begun) => {
      const held = picture.grasp(begun, read());
      return held && ((point) => {
        for (const [name, value] of Object.entries(held(point))) knobs[name].input.value = value;
        drawing.classList.add("held"); // what is held follows at once, without gliding
        touch();
      });
    });
  }
  drawing.addEventListener("pointerup", () => drawing.classList.remove("held"));
  if (picture.walk) {
    const { input } = knobs[picture.walk];
    const button = made_button(picture.button);
    let timer = null;
    const stop = () => {
      timer = clearInterval(timer);
      button.textContent = picture.button;
      words.setAttribute("aria-live", "polite");
    };
    const step = () => {
      input.value = Number(input.value) + Math.max(Number(input.step), Math.round(input.max / 100));
      touch();
      if (input.value === input.max) stop();
    };
    button.onclick = () => {
      if (timer) return stop();
      if (input.value === input.max) input.value = input.min;
      timer = setInterval(step, PACE);
      button.textContent = "Stop";
      words.setAttribute("aria-live", "off"); // nobody wants to hear every step
    };
    for (const event of ["pointerdown", "input"]) box.addEventListener(event, ({ target }) => target !== button && timer && stop(), true);
    controls.append(button);
  }

  // Room for the longest words, so that nothing moves under a finger: each knob at its ends. On a phone a choice from a list makes its own.
  const makeRoom = () => {
    words.style.minHeight = "";
    const [values, tall] = [read(), [words.scrollHeight]];
    const probe = document.createElement("p");
    words.after(probe);
    for (const { input, spec } of Object.values(knobs).filter((one) => !one.spec.choices || !phone.matches)) {
      for (const value of spec.choices ?? (spec.min === undefined ? [false, true] : [spec.min, Number(input.max)])) {
        const tried = { ...values, [spec.name]: value };
        probe.innerHTML = picture.words(picture.numbers(tried), tried, true);
        tall.push(probe.offsetHeight);
      }
    }
    probe.remove();
    words.style.minHeight = `${Math.max(...tall)}px`;
  };
  makeRoom();
  Object.values(knobs).filter(({ spec }) => spec.choices).forEach(({ input }) => input.addEventListener("change", makeRoom));
  addEventListener("resize", () => {
    show();
    makeRoom();
  });
}

const boxes = [...document.querySelectorAll(".live")];
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) {
      seen.unobserve(target);
      mount(target);
    }
  }
}, { rootMargin: document.querySelector(".live.wide") ? "3000px" : "400px" });
boxes.forEach((box) => seen.observe(box));

// Every lesson wears the row of its number in the sinusoidal table.
const ROWS = range(26).map((number) => row(number, 32));
const worn = new Map();
function wear(place, before, rows, said) {
  const strip = Object.assign(document.createElement("div"), { className: "worn", title: said });
  worn.set(strip, rows);
  place.insertBefore(strip, before);
}
const number = location.pathname.match(/notebooks\/(\d\d)_/)?.[1];
const title = document.querySelector("article h1");
if (number && title) wear(title.parentElement, title, [ROWS[Number(number)]], `Row ${Number(number)} of the table that lesson 02 computes`);
for (const one of document.querySelectorAll("[data-row]")) worn.set(one, [ROWS[one.dataset.row]]);
const paint = () => worn.forEach((rows, strip) => (strip.style.backgroundImage = `url(${painted(rows)})`));
paint();
new MutationObserver(paint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
