// A parameter set as a form, and what it is enqueued as: a new trial, or a fork of a run.
import { post, requestId } from "../lib/api.js";
import { param as shown, plural, short } from "../lib/format.js";
import { spaceOf } from "../lib/sweep_words.js";
import { ask } from "./dialog.js";

// What a value may be, as a remark.
export const boundsOf = (domain) =>
  domain.type === "choice"
    ? `one of ${domain.values.map(choice).join(", ")}`
    : "min" in domain
      ? `${short(domain.min)} to ${short(domain.max)}${domain.scale && domain.scale !== "linear" ? `, ${domain.scale}` : ""}`
      : "";

const choice = (value) => (value === null ? "null" : shown(value));
const choicesOf = (one) => (one.type === "bool" ? [true, false] : one.values);

// Fields of a dialog. An empty one leaves the parameter out.
export const paramFields = (parameters, params, absent) =>
  parameters.map((one) => {
    const value = params[one.name];
    const known = value !== undefined;
    const field = {
      name: one.name,
      label: one.name,
      hint: known ? "" : absent,
      note: [boundsOf(one), one.when ? `only when ${one.when}` : ""].filter(Boolean).join("; "),
    };
    if (!["choice", "bool"].includes(one.type)) return { ...field, value: known ? String(value) : "" };
    const options = choicesOf(one).map((each) => [JSON.stringify(each), choice(each)]);
    return { ...field, options: [["", absent], ...options], value: known ? JSON.stringify(value) : "" };
  });

// The values of those fields. Refuses a text that is no number; bounds are the server's to check.
export function readParams(parameters, values) {
  const params = {};
  for (const one of parameters) {
    const text = (values[one.name] ?? "").trim();
    if (text === "") continue;
    if (["choice", "bool"].includes(one.type)) params[one.name] = JSON.parse(text);
    else if (Number.isFinite(Number(text))) params[one.name] = Number(text);
    else throw new Error(`${one.name}: '${text}' is not a number (${boundsOf(one)})`);
  }
  return params;
}

const waiting = (answer) =>
  `Enqueued: ${plural(answer.waiting, "parameter set")} waiting for a free worker.`;

// trial: the one that it repeats in part, or null.
export function askEnqueue(sweep, trial) {
  const parameters = spaceOf(sweep.spec.parameters);
  return ask({
    title: trial ? `Enqueue like ${trial.id}` : `Enqueue a trial of ${sweep.name || sweep.id}`,
    yes: "Enqueue",
    text: "The next free worker trains this parameter set before the search method is asked. It counts as one of the sweep's trials.",
    fields: paramFields(parameters, trial?.params ?? {}, "drawn by the search"),
    act: async (values) =>
      waiting(
        await post(`/v1/sweeps/${sweep.id}/enqueue`, {
          request_id: requestId(),
          params: readParams(parameters, values),
          from: trial?.id,
        }),
      ),
  });
}

// phases: of the checkpoints that are kept, newest first, from 0. at: the phase to begin with.
export function askFork(sweep, run, trial, phases, at = phases[0]) {
  const parameters = spaceOf(sweep.spec.parameters);
  return ask({
    title: `Fork ${run.id}`,
    yes: "Enqueue the fork",
    text: `A new trial continues ${run.id} from a checkpoint, with the parameters below; ${run.id} itself is not touched. Only parameters that the trainer can change on resume may differ.`,
    fields: [
      {
        name: " phase",
        label: "Continue after phase",
        options: phases.map((phase) => [String(phase), String(phase + 1)]),
        value: String(phases.find((phase) => phase <= at) ?? phases.at(-1)),
      },
      ...paramFields(parameters, trial.params, `as in ${run.id}`),
    ],
    act: async (values) => {
      const given = readParams(parameters, values);
      const changed = Object.entries(given).filter(
        ([name, value]) => JSON.stringify(trial.params[name]) !== JSON.stringify(value),
      );
      return waiting(
        await post(`/v1/sweeps/${sweep.id}/enqueue`, {
          request_id: requestId(),
          params: Object.fromEntries(changed),
          fork: { run: run.id, phase: Number(values[" phase"]) },
        }),
      );
    },
  });
}
