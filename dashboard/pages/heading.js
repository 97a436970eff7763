// The heading of a sweep with its steering: each button tells what it will do before it does it.
import { get, post, requestId } from "../lib/api.js";
import { h, toast } from "../lib/dom.js";
import { plural, time, words } from "../lib/format.js";
import { report } from "../lib/report.js";
import { saveOneFile } from "../lib/one_file.js";
import { links } from "../lib/route.js";
import { objectiveOf } from "../lib/sweep_words.js";
import { ask } from "../ui/dialog.js";
import { markdown } from "../ui/markdown.js";
import { askEnqueue } from "../ui/params.js";
import { heading, link, projectName, stateMark } from "../ui/parts.js";

const verbs = {
  pause: [
    "Pause",
    (n) =>
      `No run is started until you resume. The ${n} in progress train on to the end of their phases.`,
    "paused",
  ],
  resume: ["Resume", () => "Free workers get runs again.", "resumed"],
  stop: [
    "Stop",
    (n) =>
      `No further trial is proposed. The ${n} in progress train to their ends; then the sweep ends.`,
    "stopping",
  ],
  cancel: [
    "Cancel",
    (n) =>
      `The sweep ends now. The ${n} in progress get ten seconds to save a checkpoint. This cannot be undone.`,
    "canceled",
  ],
};

function steer(page, data, verb) {
  const [title, what, said] = verbs[verb];
  const open = data.sweep.runs.running + data.sweep.runs.leased;
  return h(
    verb === "cancel" ? "button.danger" : "button",
    {
      type: "button",
      dataset: { verb },
      onclick: () =>
        ask({
          title: `${title} ${data.sweep.name || data.id}?`,
          text: what(plural(open, "run")),
          yes: title,
          danger: verb === "cancel",
          act: async () => {
            await post(`/v1/sweeps/${data.id}/steer`, { verb });
            page.again();
            return `${data.id} is ${said}.`;
          },
        }),
    },
    title,
  );
}

function buttons(page, data) {
  const { state } = data.sweep;
  const list = [];
  if (state === "running")
    list.push(steer(page, data, "pause"), steer(page, data, "stop"), steer(page, data, "cancel"));
  if (state === "paused")
    list.push(steer(page, data, "resume"), steer(page, data, "stop"), steer(page, data, "cancel"));
  if (state === "stopping") list.push(steer(page, data, "cancel"));
  if (["running", "paused"].includes(state))
    list.push(
      h(
        "button",
        {
          type: "button",
          dataset: { verb: "enqueue" },
          onclick: () => askEnqueue(data.sweep, null),
        },
        "Enqueue",
      ),
    );
  if (state !== "stopping" && !data.sweep.confirms) list.push(fileLink(data, "edit", "Edit"));
  if (!data.sweep.confirms) list.push(fileLink(data, "clone", "Clone"));
  if (data.sweep.ended_at) list.push(archiveButton(page, data));
  list.push(...noteButtons(page, data.id));
  return list;
}

const fileLink = (data, view, text) =>
  h("a.button", { href: links.sweep(data.id, view), dataset: { verb: view } }, text);

// No row of a sweep has whether it is archived: the filter knows.
async function askArchive(page, { id, sweep }) {
  const where = encodeURIComponent(`id = ${id} and archived`);
  const undo = (await get(`/v1/sweeps?limit=1&all=1&where=${where}`)).items.length > 0;
  const [title, text] = undo
    ? ["Take out of the archive", "The list of sweeps shows it again."]
    : ["Archive", "The list of sweeps leaves it out. All of it is kept, and it can be taken back."];
  const act = async () => {
    await post(`/v1/sweeps/${id}/archive`, { archived: !undo });
    page.again();
    return undo ? `${id} is in the list again.` : `${id} is archived.`;
  };
  ask({ title: `${title}: ${sweep.name || id}?`, text, yes: title, act });
}

const archiveButton = (page, data) =>
  h(
    "button",
    {
      type: "button",
      dataset: { verb: "archive" },
      onclick: () => askArchive(page, data).catch((error) => toast(error.message)),
    },
    "Archive",
  );

const fileButton = (id) =>
  h(
    "button",
    {
      type: "button",
      dataset: { share: id },
      title: "The pages of this sweep as one file that opens anywhere",
      onclick: ({ currentTarget }) => {
        currentTarget.disabled = true;
        return saveOneFile(id)
          .catch((error) => toast(error.message))
          .finally(() => (currentTarget.disabled = false));
      },
    },
    "Share as a file",
  );

export function noteButtons(page, id) {
  const note = h(
    "button",
    {
      type: "button",
      onclick: () =>
        ask({
          title: `Note on ${id}`,
          text: "A note is kept permanently and is shown with the object.",
          fields: [{ name: "text", label: "Note", kind: "area" }],
          yes: "Add the note",
          act: async ({ text }) => {
            await post("/v1/notes", { request_id: requestId(), on: id, text });
            page.again();
            return "The note is recorded.";
          },
        }),
    },
    "Note",
  );
  const tag = h(
    "button",
    {
      type: "button",
      onclick: () =>
        ask({
          title: `Tag ${id}`,
          text: "Tags group objects: find them with the filter tag = NAME.",
          fields: [{ name: "tag", label: "Tag" }],
          yes: "Add the tag",
          act: async ({ tag: name }) => {
            await post("/v1/tags", { on: id, add: [name.trim()] });
            page.again();
            return `${id} has the tag ${name}.`;
          },
        }),
    },
    "Tag",
  );
  return [note, tag];
}

// Tags as chips; with the scope for it, a click removes one.
export const tagChips = (page, id, tags = []) =>
  tags.map((tag) =>
    page.can("submit")
      ? h(
          "button.chip.small",
          {
            type: "button",
            title: `Remove the tag ${tag}`,
            dataset: { tag },
            onclick: () =>
              ask({
                title: `Remove the tag ${tag}?`,
                yes: "Remove the tag",
                text: `${id} no longer has the tag. Other objects keep it.`,
                act: async () => {
                  await post("/v1/tags", { on: id, remove: [tag] });
                  page.again();
                  return `${id} no longer has the tag ${tag}.`;
                },
              }),
          },
          tag,
          h("span", { "aria-hidden": "true" }, " ×"),
        )
      : h("span.chip.small", {}, tag),
  );

export const noteLines = (notes = []) =>
  notes.map((note) =>
    h("div.note", {}, markdown(note.text), h("span.muted.small", {}, time(note.at))),
  );

export function sweepHeading(page, data, about = {}) {
  const { sweep } = data;
  const sub = [
    stateMark(
      sweep.state,
      sweep.reason === "none"
        ? words(sweep.state)
        : `${words(sweep.state)}: ${words(sweep.reason)}`,
    ),
    h("span", {}, sweep.id),
    sweep.project ? h("span", {}, projectName(sweep.project)) : null,
    h("span", {}, objectiveOf(sweep).text),
    h("span", {}, `submitted ${time(sweep.submitted_at)}`),
    sweep.confirms ? h("span", {}, "confirms ", link(sweep.confirms)) : null,
    tagChips(page, sweep.id, about.tags),
  ];
  const reads = report
    ? []
    : [h("a.button", { href: links.sweep(sweep.id, "compare") }, "Compare"), fileButton(sweep.id)];
  return heading(sweep.name || sweep.id, sub, [
    page.can("submit") ? buttons(page, data) : [],
    reads,
  ]);
}
