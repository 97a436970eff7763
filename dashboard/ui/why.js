// The reason for a run's state: what was decided, the last line of an error, the verdicts;
// placement is folded.
import { h } from "../lib/dom.js";
import { short, words } from "../lib/format.js";
import { inputNames, lastLine, parted } from "../lib/why.js";
import { rankText } from "../lib/verdicts.js";
import { table } from "./parts.js";

export const verdictTable = (verdicts) =>
  table(
    [
      ["Phase", (one) => one.phase + 1, { num: true }],
      ["Value", (one) => short(one.value), { num: true }],
      ["Verdict", (one) => `${one.verdict}${one.reason ? `: ${words(one.reason)}` : ""}`],
      ["Rank", (one) => rankText(one.inputs ?? {}), { num: true, optional: true }],
      ...inputNames(verdicts).map((name) => [
        words(name),
        (one) => (name in (one.inputs ?? {}) ? short(one.inputs[name]) : null),
        { num: true },
      ]),
    ],
    verdicts,
    "Verdicts",
  );

const folded = (title, text) =>
  h("details", {}, h("summary", {}, title), h("pre", {}, text));

// run: of a failed run its failure, detail and the end of its log. verdicts: with their table.
export function whyParts(why, run = null, verdicts = true) {
  if (!why) return [h("p.muted", {}, "Nothing has been decided yet.")];
  const { lead, placement } = parted(why.text);
  const failed = run !== null && run.failure !== "none";
  const line = failed ? lastLine(run.log_tail ?? "") : "";
  const cause = failed
    ? `Failed: ${words(run.failure)}${run.detail ? `: ${run.detail}` : ""}`
    : lead;
  return [
    h("p", {}, h("strong", {}, cause)),
    line ? h("p", {}, h("code.bad", {}, line)) : null,
    failed ? folded("In full", lead) : null,
    verdicts && why.verdicts?.length > 0 ? verdictTable(why.verdicts) : null,
    placement ? folded("Where it ran", placement) : null,
  ];
}
