// Events of the ledger as sentences, with links, and as a table.
import { h } from "../lib/dom.js";
import { bytes, count, param, short, time, words } from "../lib/format.js";
import { link, table } from "./parts.js";

const pairsOf = (object) =>
  Object.entries(object ?? {})
    .map(([name, value]) => `${words(name)} ${param(value)}`)
    .join(", ");
const because = ({ reason }) => (reason && reason !== "none" ? `: ${words(reason)}` : "");
const inputsOf = ({ inputs }) => (pairsOf(inputs) ? ` (${pairsOf(inputs)})` : "");
const phaseOf = ({ phase }) => `phase ${phase + 1}`;

const sentences = {
  report_recorded: (one) =>
    `${one.run} ${phaseOf(one)}: ${short(one.value)} after step ${count(one.step)}`,
  verdict_given: (one) =>
    `${one.run} ${phaseOf(one)}: ${one.verdict}${because(one)}${inputsOf(one)}`,
  trial_proposed: (one) =>
    `${one.trial}${one.origin ? `, which continues ${one.origin.run} after phase ${one.origin.phase + 1}` : ""}: ${pairsOf(one.params)}`,
  lease_granted: (one) =>
    `${one.attempt} to ${one.worker}${one.resume ? `, from the checkpoint ${one.resume}` : ""}`,
  run_ended: (one) =>
    `${one.run} ${one.state}${because(one)}${one.detail ? `: ${one.detail}` : ""}`,
  run_returned: (one) => `${one.run} waits again${because(one)}`,
  run_paused: (one) => one.run,
  model_saved: (one) => `${one.model} of ${one.run}, ${phaseOf(one)}, ${bytes(one.bytes)}`,
  artifact_saved: (one) => `${one.name} of ${one.run}, ${bytes(one.bytes)}`,
  sweep_submitted: (one) =>
    `${one.spec.name}: ${one.spec.search.method}, rule ${one.spec.terminator?.rule ?? "none"}`,
  sweep_steered: (one) => `${one.verb}${because(one)}`,
  sweep_ended: (one) => `${one.state}${because(one)}`,
  worker_joined: (one) => `${one.worker} on ${one.host} with ${one.cpus} processors`,
};

const ids = /\b(?:sw|tr|md|wk|ds|wf|ev)_\d+\b|\brn_\d+\.\d+(?:#\d+)?/g;
function linked(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(ids)) {
    parts.push(text.slice(at, found.index), link(found[0]));
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)];
}

// Members that no reader needs: digests of requests and leases.
const hidden = new Set(["seq", "at", "kind", "sweep", "request_id", "lease", "expires_at_us"]);
function sentenceOf(event, runOf) {
  if (event.kind === "run_started" && runOf?.(event.lease)) return runOf(event.lease);
  if (sentences[event.kind]) return sentences[event.kind](event);
  const rest = Object.entries(event).filter(([name]) => !hidden.has(name));
  const text = rest.map(([name, value]) => `${words(name)} ${param(value)}`).join(", ");
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

// runOf(lease): the run of a lease, where it is known.
export const eventTable = (events, sweep, runOf = null) =>
  h(
    "div.scroll.tall",
    { tabindex: "0", role: "region", "aria-label": "Events" },
    table(
      [
        ["No", (one) => one.seq, { num: true }],
        ["Time", (one) => h("span.num", {}, time(one.at))],
        ["Event", (one) => h("span.one-line", {}, words(one.kind))],
        sweep ? null : ["Sweep", (one) => (one.sweep ? link(one.sweep) : null)],
        ["What", (one) => linked(sentenceOf(one, runOf))],
      ].filter(Boolean),
      events,
      "Events",
    ),
  );
