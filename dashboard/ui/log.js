// The output of a run's process. It grows while the run does, as long as the page is looked at: the
// worker sends it only while it is read.
import { get } from "../lib/api.js";
import { h, save } from "../lib/dom.js";
import { placesOf } from "../lib/find.js";
import { plural } from "../lib/format.js";

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

// A search field over the text of an element, which marks what it finds; Enter shows the next one.
function finder(place) {
  const said = h("span.muted.small", { role: "status" });
  let found = [];
  let now = -1;
  const rangeAt = (at, length) => {
    const range = new Range();
    range.setStart(place.firstChild, at);
    range.setEnd(place.firstChild, at + length);
    return range;
  };
  const mark = (name, ranges) =>
    ranges.length
      ? CSS.highlights?.set(name, new Highlight(...ranges))
      : CSS.highlights?.delete(name);
  const draw = () => {
    const { length } = field.value;
    mark(
      "found",
      found.map((at) => rangeAt(at, length)),
    );
    mark("found-now", now < 0 ? [] : [rangeAt(found[now], length)]);
    said.textContent = field.value === "" ? "" : `${now + 1} of ${plural(found.length, "place")}`;
  };
  const search = () => {
    found = placesOf(place.textContent, field.value);
    now = Math.min(now, found.length - 1);
    draw();
  };
  const step = (by) => {
    if (found.length === 0) return;
    now = (now + by + found.length) % found.length;
    const box = rangeAt(found[now], field.value.length).getBoundingClientRect();
    place.scrollTop += box.top - place.getBoundingClientRect().top - place.clientHeight / 2;
    draw();
  };
  const field = h("input", {
    ...{ type: "search", placeholder: "Find in the log", "aria-label": "Find in the log" },
    oninput: () => {
      now = -1;
      search();
      step(1);
    },
    onkeydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    },
  });
  const clear = () => ["found", "found-now"].forEach((name) => CSS.highlights?.delete(name));
  return { parts: [field, said], search, clear };
}

function toolbar(id, place, find, text) {
  const wrap = h(
    "button.small",
    {
      type: "button",
      "aria-pressed": "true",
      onclick: () => {
        const off = place.classList.toggle("unwrapped");
        wrap.setAttribute("aria-pressed", String(!off));
      },
    },
    "Wrap",
  );
  const name = `${id}.log`;
  const store = () => save(name, new Blob([text()], { type: "text/plain" }));
  const title = "Save what is shown, the last 300,000 characters at most";
  return h(
    "div.bar.before",
    {},
    find.parts,
    h("div.end", {}, wrap, h("button.small", { type: "button", title, onclick: store }, "Save")),
  );
}

function pathOf(id, attempt, next) {
  if (next >= 0) return `/v1/runs/${id}/log?attempt=${attempt}&from=${next}`;
  return `/v1/runs/${id}/log?tail=1000${attempt ? `&attempt=${attempt}` : ""}`;
}

function statusOf({ attempt, growing, received, worker }, isEmpty) {
  if (!growing) return isEmpty ? "This attempt left no log." : "";
  return received
    ? `Attempt ${attempt} on ${worker}, followed while this page is open.`
    : `Waiting for ${worker} to send the log.`;
}

export function logView(id) {
  const place = h("pre.log", { tabindex: "0", role: "region", "aria-label": "Output" });
  const find = finder(place);
  const status = h("p.muted");
  let shown = "";
  let attempt = 0;
  let [next, timer, closed] = [-1, 0, false];

  const add = (text) => {
    if (text === "") return;
    const follows = place.scrollTop + place.clientHeight >= place.scrollHeight - 4;
    shown = (shown + text).slice(-charactersAtMost);
    place.textContent = harmless(shown);
    find.search();
    tools.hidden = false;
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
    status.textContent = statusOf(part, shown === "");
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
      if (!document.hidden && !take(await get(pathOf(id, attempt, next)))) return;
    } catch (trouble) {
      status.textContent = trouble.message;
      wait = retryPeriod;
    }
    if (!closed) timer = setTimeout(step, wait);
  };
  const tools = toolbar(id, place, find, () => place.textContent);
  tools.hidden = true;
  step();
  return {
    element: h("div", {}, tools, status, place),
    close() {
      closed = true;
      find.clear();
      clearTimeout(timer);
    },
  };
}
