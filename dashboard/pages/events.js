// The ledger, newest first.
import { get } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";
import { time, words } from "../lib/format.js";
import { throttled } from "../lib/live.js";
import { param, setParams } from "../lib/route.js";
import { empty, heading, link, sweepTabs, table } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";
import { sweepData } from "../lib/sweep.js";

const shown = 300;
const windows = 20; // of 1,000 events that are searched for those of a sweep or kind

// The newest events up to `end`: their numbers have no gaps, so the page before it is known.
async function readEvents(sweep, end, kind) {
  const found = [];
  for (let to = end, turn = 0; to > 0 && turn < windows && found.length < shown; turn++) {
    const after = Math.max(0, to - (turn === 0 ? shown : 1000));
    const page = await get(`/v1/events?limit=1000&after=${after}${sweep ? `&sweep=${sweep}` : ""}`);
    found.unshift(...page.items.filter((one) => one.seq <= to && (!kind || one.kind === kind)));
    to = after;
  }
  return found.slice(-shown).reverse();
}

function bodyOf(event) {
  const { seq, at, kind, sweep, ...rest } = event;
  const ids = Object.entries(rest).filter(
    ([, value]) => typeof value === "string" && /^[a-z]{2}_\d/.test(value),
  );
  const others = Object.entries(rest).filter(([name]) => !ids.some(([known]) => known === name));
  const text = others
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("  ");
  return [
    ids.map(([, id]) => [link(id), " "]),
    h("span.mono.muted", {}, text.length > 240 ? `${text.slice(0, 240)}…` : text),
  ];
}

export async function eventsPage(page) {
  const sweep = page.ids[0] ?? "";
  const data = sweep ? sweepData(sweep) : null;
  if (data) await data.loadSweep();
  const { seq } = await get("/v1/me");
  const place = h("div.card");
  const end = () => Number(param("at")) || newest;
  let newest = seq;
  const slider = h("input", {
    type: "range",
    min: "1",
    max: String(Math.max(1, seq)),
    value: String(end()),
    "aria-label": "Newest event shown",
  });
  const mark = h("span.muted.num", { role: "status" });
  const kinds = h("select", { "aria-label": "Kind of event" });
  const draw = async () => {
    const events = await readEvents(sweep, end(), param("kind"));
    mark.textContent = `event ${end()} of ${newest}${param("at") ? "" : ", following"}`;
    const names = [...new Set([param("kind"), ...events.map((one) => one.kind)])]
      .filter(Boolean)
      .sort();
    replace(
      kinds,
      h("option", { value: "" }, "all kinds"),
      names.map((name) =>
        h("option", { value: name, selected: name === param("kind") }, words(name)),
      ),
    );
    replace(
      place,
      events.length === 0
        ? empty("No event of this kind up to there.")
        : h(
            "div.body.flush",
            {},
            table(
              [
                ["No", (one) => one.seq, { num: true }],
                ["Time", (one) => h("span.num", {}, time(one.at))],
                ["Event", (one) => h("span.one-line", {}, words(one.kind))],
                sweep ? null : ["Sweep", (one) => (one.sweep ? link(one.sweep) : null)],
                ["What", bodyOf],
              ].filter(Boolean),
              events,
              "Events",
            ),
          ),
    );
  };
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
  return [
    data
      ? [sweepHeading(page, data), sweepTabs(sweep, "events")]
      : heading("Events", ["Every change is an event of one append-only ledger."]),
    h(
      "div.bar",
      {},
      kinds,
      slider,
      mark,
      h(
        "button",
        {
          type: "button",
          onclick: () => {
            setParams({ at: "" });
            slider.value = slider.max;
            draw();
          },
        },
        "Newest",
      ),
    ),
    place,
  ];
}
