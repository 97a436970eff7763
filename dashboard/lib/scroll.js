// Keeps in the browser's history how far a page, and each element with data-scroll, was scrolled:
// Back finds it again.
const writtenAfter = 150;
const restoredFor = 3000;

let tops = {};
let timer = 0;
let restoring = 0; // until when

const elementOf = (name) =>
  name === "page" ? document.scrollingElement : document.querySelector(`[data-scroll=${name}]`);

function write() {
  clearTimeout(timer);
  if (timer) history.replaceState({ ...history.state, scroll: tops }, "");
  timer = 0;
}

function scrolled({ target }) {
  const name = target === document ? "page" : target.dataset?.scroll;
  if (!name || performance.now() < restoring) return;
  tops = { ...tops, [name]: (target === document ? target.scrollingElement : target).scrollTop };
  timer ||= setTimeout(write, writtenAfter);
}

export function keepScroll() {
  history.scrollRestoration = "manual";
  document.addEventListener("scroll", scrolled, { capture: true, passive: true });
  // Before what may lead to another page; what the user moves is no longer restored.
  for (const event of ["pointerdown", "keydown", "click", "wheel"])
    addEventListener(event, letGo, { capture: true, passive: true });
}

function letGo() {
  restoring = 0;
  write();
}

// For a page that was just drawn: parts of it, and their height, may come later.
export function restoreScroll() {
  clearTimeout(timer);
  timer = 0;
  restoring = 0; // what was restored on the page before this one ends with it
  tops = history.state?.scroll ?? {};
  const wanted = Object.entries(tops).filter(([, top]) => top > 0);
  if (wanted.length === 0) return;
  const end = performance.now() + restoredFor;
  restoring = end;
  const step = () => {
    if (restoring !== end) return;
    const missing = wanted.filter(([name, top]) => {
      const element = elementOf(name);
      if (element) element.scrollTop = top;
      return !element || Math.abs(element.scrollTop - top) > 1;
    });
    if (missing.length > 0 && performance.now() < end) requestAnimationFrame(step);
    else setTimeout(() => restoring === end && (restoring = 0), writtenAfter);
  };
  step();
}
