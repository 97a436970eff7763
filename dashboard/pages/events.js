// The ledger of all sweeps, newest first.
import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { update } from "../lib/update.js";
import { words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { param, setParams } from "../lib/route.js";
import { card } from "../ui/card.js";
import { empty, heading } from "../ui/parts.js";
import { eventTable } from "../ui/event.js";

const shown = 300;
const windows = 20; // of 1,000 events that are searched for those of a kind

// The newest events up to `end`: their numbers have no gaps, so the page before it is known.
async function readEvents(end, kind) {
  const found = [];
  for (let to = end, turn = 0; to > 0 && turn < windows && found.length < shown; turn++) {
    const after = Math.max(0, to - (turn === 0 ? shown : 1000));
    const page = await get(`/v1/events?limit=1000&after=${after}`);
    found.unshift(...page.items.filter((one) => one.seq <= to && (!kind || one.kind === kind)));
    to = after;
  }
  return found.slice(-shown).reverse();
}

function kindOptions(events) {
  const names = [...new Set([param("kind"), ...events.map((one) => one.kind)])];
  return [
    h("option", { value: "" }, "all kinds"),
    names
      .filter(Boolean)
      .sort()
      .map((name) => h("option", { value: name, selected: name === param("kind") }, words(name))),
  ];
}

export async function eventsPage(page) {
  const { seq } = await get("/v1/me");
  const place = h("div");
  let newest = seq;
  const end = () => Number(param("at")) || newest;
  const slider = h("input.wide", {
    type: "range",
    min: "1",
    max: String(Math.max(1, seq)),
    "aria-label": "Newest event shown",
  });
  slider.value = String(end());
  const mark = h("output.num");
  const kinds = h("select", { "aria-label": "Kind of event" });
  const label = () => {
    mark.textContent = `event ${slider.value} of ${newest}${param("at") ? "" : ", following"}`;
  };
  const draw = async () => {
    label();
    const events = await readEvents(end(), param("kind"));
    update(kinds, kindOptions(events));
    update(
      place,
      events.length === 0 ? empty("No event of this kind up to there.") : eventTable(events, ""),
    );
  };
  slider.addEventListener("input", label);
  slider.addEventListener("change", () => {
    setParams({ at: Number(slider.value) >= newest ? "" : slider.value });
    draw();
  });
  kinds.addEventListener("change", () => {
    setParams({ kind: kinds.value });
    draw();
  });
  await draw();
  const soon = throttled(1000, draw);
  page.onFrame((frame) => {
    newest = Math.max(newest, frame.seq);
    slider.max = String(newest);
    if (!param("at")) {
      slider.value = String(newest);
      soon();
    }
  });
  page.onLeave(soon.cancel);
  const toNewest = () => {
    setParams({ at: "" });
    slider.value = slider.max;
    draw();
  };
  return [
    heading("Events", [
      "Every change is an event of one append-only ledger. The Events of a sweep show the sweep as of each of them.",
    ]),
    h("div.bar", {}, h("button", { type: "button", onclick: toNewest }, "Newest"), slider, mark),
    card("Newest first", place, { flush: true, end: kinds, id: "events" }),
  ];
}
