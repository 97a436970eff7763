// A sweep file in an editor: submitted as another sweep, or as a change of its sweep. The server's
// plan checks the text while it is written.
import { get, list, post, text as readText, requestId } from "../lib/api.js";
import { h, save, toast } from "../lib/dom.js";
import { readExact } from "../lib/exact.js";
import { count, duration, plural } from "../lib/format.js";
import { links } from "../lib/route.js";
import { shortageOf } from "../lib/slots.js";
import { sweepData } from "../lib/sweep.js";
import { changesOf, editOf, lineOf, parseFile, textOf } from "../lib/sweep_file.js";
import { update } from "../lib/update.js";
import { card } from "../ui/card.js";
import { empty, pairs, sweepTabs, table } from "../ui/parts.js";
import { sweepHeading } from "./heading.js";

const handRests = 350; // milliseconds
const fileBytes = 1 << 20; // as `hone submit` reads at most

const drafts = {
  key: (state) => `hone.draft.${state.kind}.${state.data.id}`,
  read: (state) => sessionStorage.getItem(drafts.key(state)),
  keep: (state, text) => sessionStorage.setItem(drafts.key(state), text),
  drop: (state) => sessionStorage.removeItem(drafts.key(state)),
};

// The server's word on a file, as {spec, plan} or {fault}.
async function checked(document, text) {
  try {
    return await post("/v1/plan", document);
  } catch (error) {
    if (error.status !== 400 && error.status !== 422) throw error;
    return { fault: { message: error.message, line: lineOf(text, error.at) } };
  }
}

// What an edit cannot change as one sentence.
const refusedText = (paths) =>
  `A sweep keeps ${paths.join(", ")}: clone it instead. Trials, concurrency, share, slots, by, the ` +
  "command and wider bounds can change.";

function editFault(state, document, text) {
  const { request, refused } = editOf(state.before, document);
  if (refused.length > 0) {
    const pointer = `/${refused[0].replaceAll(".", "/")}`;
    return { fault: { message: refusedText(refused), line: lineOf(text, pointer) } };
  }
  return Object.keys(request).length === 0 ? { unchanged: true } : { request };
}

// Reads the text again, and draws what is known of it.
async function check(state) {
  const text = state.editor.value;
  const turn = ++state.turn;
  const { document, fault } = parseFile(text);
  if (fault) return void show(state, { fault });
  const edit = state.kind === "edit" ? editFault(state, document, text) : {};
  if (edit.fault) return void show(state, edit);
  try {
    const answer = await checked(document, text);
    if (turn === state.turn) show(state, { document, ...edit, ...answer });
  } catch (error) {
    if (turn === state.turn) show(state, { fault: { message: error.message, line: 0 } });
  }
}

function show(state, found) {
  state.found = found;
  const { go, side, editor } = state;
  go.disabled = Boolean(found.fault) || Boolean(found.unchanged);
  editor.setAttribute("aria-invalid", String(Boolean(found.fault)));
  update(side, found.fault ? faultOf(state, found.fault) : planOf(state, found));
}

function selectLine({ editor }, line) {
  const lines = editor.value.split("\n");
  const from = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  editor.focus();
  editor.setSelectionRange(from, from + lines[line - 1].length);
}

const faultOf = (state, { message, line }) =>
  h(
    "p.bad",
    { role: "alert" },
    line > 0
      ? [
          h(
            "button.small",
            { type: "button", onclick: () => selectLine(state, line) },
            `Line ${line}`,
          ),
          " ",
        ]
      : null,
    message,
  );

// Seconds of a unit of the budget in the sweep that the file comes from, while its program is the
// same one.
function pace({ data, before }, spec) {
  const { work, units } = data.summary;
  const isSame = ["trainer", "steps", "command"].every(
    (name) => JSON.stringify(before[name]) === JSON.stringify(spec[name]),
  );
  return isSame && units.trained > 0 ? (work?.run_seconds ?? 0) / units.trained : 0;
}

function timeOf(state, { spec, plan }) {
  const each = pace(state, spec);
  const there = state.workers.filter((one) => one.state === "present");
  const slots = there.reduce((sum, one) => sum + one.cpus, 0);
  if (each <= 0 || slots === 0) return null;
  const needs = Math.max(1, spec.resources?.cpus ?? 1);
  const places = Math.max(1, Math.floor(slots / needs));
  const seconds = (plan.work_expected * each) / places;
  return `about ${duration(seconds)} on ${plural(places, "slot")}, at the pace of ${state.data.id}`;
}

const confirmText = ({ confirm, unit }) =>
  confirm
    ? `${plural(confirm.top, "leader")} on ${plural(confirm.seeds, "new seed")}: ` +
      `${count(confirm.work)} ${unit} more`
    : null;

function planOf(state, found) {
  const { plan, spec, unchanged } = found;
  const { before } = state;
  const after = found.document ?? spec;
  const shortage = shortageOf(spec, state.workers);
  const most = plan.runs_at_most > plan.runs ? `, up to ${plan.runs_at_most}` : "";
  return [
    h("p", { role: "status" }, unchanged ? "Nothing is changed yet." : "The file is valid."),
    pairs(
      [
        ["Trials", count(plan.trials)],
        ["Runs", `${count(plan.runs)}${most}`],
        [
          "Expected",
          `${count(plan.phases_expected)} phases, ${count(plan.work_expected)} ${plan.unit}`,
        ],
        [
          "In 90 % of simulations",
          plan.phases_range ? `${plan.phases_range.map(count).join(" to ")} phases` : null,
        ],
        ["At most", `${count(plan.phases_at_most)} phases, ${count(plan.work_at_most)} ${plan.unit}`],
        ["Takes", timeOf(state, found)],
        ["Confirmation", confirmText(plan)],
      ].filter(([, value]) => value !== null),
    ),
    shortage ? h("p.warn", {}, shortage) : null,
    differencesOf(before, after),
  ];
}

const leafOf = (value) =>
  value === undefined ? "–" : h("code", {}, JSON.stringify(value));

function differencesOf(before, after) {
  const changes = changesOf(before, after);
  if (changes.length === 0) return null;
  return table(
    [
      ["Changed", (one) => one.path],
      ["Before", (one) => leafOf(one.before)],
      ["Now", (one) => leafOf(one.after)],
    ],
    changes,
    "Changes of the file",
  );
}

// The program's code is that of the sweep that the file comes from.
async function originOf(data) {
  const { workflow, dataset } = data.sweep;
  const known = await get(`/v1/workflows/${workflow}`);
  const same = ["cwd", "git_commit", "git_branch", "patch_sha256", "environment_sha256"];
  const code = Object.fromEntries(same.map((name) => [name, known[name] ?? ""]));
  const isOfUser = dataset && !data.spec.trainer;
  const found = isOfUser ? await get(`/v1/datasets/${dataset}`) : null;
  return {
    workflow: { ...code, command: ["dashboard", "clone", data.id] },
    ...(found
      ? { dataset: { name: found.name, version: found.version ?? "", digest: found.digest ?? "" } }
      : {}),
  };
}

const kinds = {
  clone: {
    title: "Clone",
    yes: "Submit as a new sweep",
    help: "A new sweep with this file, and the code and data of its origin. Nothing starts before you submit it.",
    act: async ({ data, found }) => {
      const origin = await originOf(data);
      const body = { request_id: requestId(), spec: found.document, forked_from: data.id };
      const { sweep } = await post("/v1/sweeps", { ...body, ...origin });
      return [sweep, `${sweep} is submitted.`];
    },
  },
  edit: {
    title: "Edit",
    yes: "Change the sweep",
    help: "What was proposed stays as it is. An ended sweep continues by more trials.",
    act: async ({ data, found }) => {
      const body = { request_id: requestId(), ...found.request };
      await post(`/v1/sweeps/${data.id}/edit`, body);
      return [data.id, `${data.id} is changed.`];
    },
  },
};

async function submit(state) {
  const { go, side } = state;
  go.disabled = true;
  try {
    const [sweep, said] = await kinds[state.kind].act(state);
    drafts.drop(state);
    toast(said);
    location.hash = links.sweep(sweep);
  } catch (error) {
    update(side, faultOf(state, { message: error.message, line: 0 }));
    go.disabled = false;
  }
}

// Tab leaves the editor, as in every field.
function editorOf(state, text) {
  let timer = 0;
  const editor = h("textarea.file.mono", {
    ...{ value: text, spellcheck: "false", rows: "30", maxlength: String(fileBytes) },
    ...{ "aria-label": "The sweep file, as JSON", wrap: "off", autocapitalize: "off" },
    oninput: () => {
      drafts.keep(state, editor.value);
      state.go.disabled = true; // until this text is checked
      clearTimeout(timer);
      timer = setTimeout(() => check(state), handRests);
    },
  });
  return editor;
}

function actions(state) {
  const again = () => {
    drafts.drop(state);
    state.editor.value = textOf(state.before);
    check(state);
  };
  const file = () =>
    save(
      `${state.data.sweep.name || state.data.id}.json`,
      new Blob([`${state.editor.value}\n`], { type: "application/json" }),
    );
  const quiet = (text, onclick) => h("button", { type: "button", onclick }, text);
  return h(
    "div.bar",
    {},
    ...[state.go, quiet("Start again", again), quiet("Save as file", file)],
    h("a", { href: links.sweep(state.data.id) }, "Back to the sweep"),
  );
}

const filePage = (kind) => async (page) => {
  const data = sweepData(page.ids[0]);
  await Promise.all([data.loadSweep(), data.loadSummary()]);
  const head = [sweepHeading(page, data), sweepTabs(data.id, kind)];
  if (!page.can("submit"))
    return [...head, empty("To submit or change sweeps, a token needs the scope submit.")];
  const workers = await list("/v1/workers?limit=1000", 5000).catch(() => []);
  const before = readExact(await readText(`/v1/sweeps/${data.id}`)).spec;
  delete before.confirms;
  const state = { kind, data, workers, before, turn: 0, found: {}, side: h("div.stack") };
  const { title, yes, help } = kinds[kind];
  const onclick = () => submit(state);
  state.go = h("button.primary", { type: "button", disabled: true, onclick }, yes);
  state.editor = editorOf(state, drafts.read(state) ?? textOf(before));
  page.onLeave(() => state.turn++);
  check(state);
  return [
    ...head,
    h(
      "div.grid",
      {},
      card(`${title} ${data.sweep.name || data.id}`, [h("p", {}, help), state.editor, actions(state)], {
        ...{ span: 8, id: "file" },
      }),
      card("Plan", state.side, { span: 4, id: "plan" }),
    ),
  ];
};

export const clonePage = filePage("clone");
export const editPage = filePage("edit");
