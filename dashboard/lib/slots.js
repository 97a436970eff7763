// What a run occupies on a worker, and which part of the slots a sweep gets. Pure.
import { duration, memory, plural, time } from "./format.js";

// Of a run what it takes of each GPU, of a worker the largest of its GPUs.
const gpuText = (gpus, bytes) => {
  const size = Array.isArray(bytes) ? Math.max(0, ...bytes) : bytes;
  return gpus ? plural(gpus, "GPU") + (size ? ` of ${memory(size)}` : "") : "";
};

const resources = ({ cpus, gpus, gpu_memory, memory: bytes, labels = [] }) =>
  [
    plural(Math.max(1, cpus ?? 1), "slot"),
    gpuText(gpus, gpu_memory),
    bytes ? memory(bytes) : "",
    ...labels,
  ]
    .filter(Boolean)
    .join(", ");

const needsOf = (spec) =>
  (spec.steps ?? [{}]).map((step) => ({ name: step.name, ...spec.resources, ...step.resources }));

// "2 slots, 1 GPU, 4 GiB, zone=a"; of a pipeline, by step.
export const resourcesOf = (spec) =>
  needsOf(spec)
    .map((need) => (need.name ? `${need.name}: ${resources(need)}` : resources(need)))
    .join("; ");

// `by` is a time, or seconds or a duration since the submission.
const deadline = (by) =>
  typeof by === "number"
    ? `done ${duration(by)} after its submission`
    : /^[\d.]+[smhd]$/.test(by)
      ? `done ${by} after its submission`
      : `done by ${time(by)}`;

// "weight 3, at least 2, at most 8, done by 2026-11-23 18:00:00"
export function shareOf({ share = 1, slots, by }) {
  const { min = 0, max } = slots ?? {};
  return [
    `weight ${share}`,
    min ? `at least ${min}` : "",
    max ? `at most ${max}` : "",
    by ? deadline(by) : "",
  ]
    .filter(Boolean)
    .join(", ");
}

const gpusFor = (worker, need) =>
  need.gpu_memory
    ? (worker.gpu_memory ?? []).filter((bytes) => bytes >= need.gpu_memory).length
    : worker.gpus;

const holds = (worker, need) =>
  worker.cpus >= Math.max(1, need.cpus ?? 1) &&
  gpusFor(worker, need) >= (need.gpus ?? 0) &&
  (worker.memory ?? 0) >= (need.memory ?? 0) &&
  (need.labels ?? []).every((label) => (worker.labels ?? []).includes(label));

// Why no connected worker can train a run of the sweep; "" where one can. The server's word for a
// worker's state is the one that the command line prints.
export function shortageOf(spec, workers) {
  const there = workers.filter(
    (one) => one.cpus > 0 && ["present", "quarantined"].includes(one.state),
  );
  for (const need of needsOf(spec)) {
    if (there.some((one) => holds(one, need))) continue;
    const what = `${need.name ? `the step ${need.name}` : "a run"} needs ${resources(need)}`;
    if (there.length === 0)
      return `No worker is connected: ${what}. Start one with: hone worker --server ${location.origin}`;
    const list = there.slice(0, 3).map((one) => `${one.id} with ${resources(one)}`);
    return `No worker can train it: ${what}; connected: ${list.join("; ")}${there.length > 3 ? " and others" : ""}.`;
  }
  return "";
}
