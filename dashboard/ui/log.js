// The output of a run's process. It grows while the run does, as long as the page is looked at: the
// worker sends it only while it is read.
import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";

const period = 1000;
const retryPeriod = 5000;
const charactersAtMost = 300_000;

// Colours are dropped; other control characters, and those that turn the direction of text, are
// replaced, since the output is foreign.
export function harmless(text) {
  return text
    .replace(/\x1b\[[0-9;]*m/g, "")
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd")
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

export function logView(id) {
  const place = h("pre.log", { tabindex: "0", role: "region", "aria-label": "Log" });
  const status = h("p.muted");
  let shown = "";
  let attempt = 0;
  let next = -1;
  let timer = 0;
  let closed = false;

  const path = () =>
    next < 0
      ? `/v1/runs/${id}/log?tail=1000${attempt ? `&attempt=${attempt}` : ""}`
      : `/v1/runs/${id}/log?attempt=${attempt}&from=${next}`;

  const add = (text) => {
    if (text === "") return;
    const follows = place.scrollTop + place.clientHeight >= place.scrollHeight - 4;
    shown = (shown + text).slice(-charactersAtMost);
    place.textContent = harmless(shown);
    if (follows) place.scrollTop = place.scrollHeight;
  };

  // Returns whether more may come.
  const take = (part) => {
    attempt = part.attempt;
    if (part.received) {
      const skipped = next >= 0 && part.from > next;
      if (skipped) add("\n[... the run writes faster than its worker sends ...]\n");
      next = part.next;
      add(part.text);
    }
    const left = shown === "" && !part.growing ? "This attempt left no log." : "";
    status.textContent = !part.growing
      ? left
      : part.received
        ? `Attempt ${attempt} on ${part.worker}, followed while this page is open.`
        : `Waiting for ${part.worker} to send the log.`;
    if (part.growing || part.run_ended) return part.growing;
    if (part.attempts > attempt) {
      attempt += 1;
      next = -1;
      add(`\n[attempt ${attempt}]\n`);
    }
    return true;
  };

  const step = async () => {
    let wait = period;
    try {
      if (!document.hidden && !take(await get(path()))) return;
    } catch (trouble) {
      status.textContent = trouble.message;
      wait = retryPeriod;
    }
    if (!closed) timer = setTimeout(step, wait);
  };
  step();
  return {
    element: h("div", {}, status, place),
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
