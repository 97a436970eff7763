// Boot: token, address -> page, theme, keys, live state.
import {
  forgetToken,
  get,
  isStandby,
  noteServerTime,
  setToken,
  token,
  whenRoleChanges,
} from "./lib/api.js";
import { h, replace } from "./lib/dom.js";
import { time } from "./lib/format.js";
import * as live from "./lib/live.js";
import { report } from "./lib/report.js";
import { current, kept, links } from "./lib/route.js";
import { keepScroll, restoreScroll } from "./lib/scroll.js";
import { redrawAll } from "./chart/plot.js";
import { showKeys } from "./ui/dialog.js";
import { loading, problem } from "./ui/parts.js";
import { loadAll, pages, sweepPages } from "./pages/table.js";

const main = document.getElementById("main");
export const me = { scopes: [] };
const lateTime = 5000;
const leave = [];
let turn = 0;
let path = "";
let away = false; // the page could not be read, as the server did not answer

// What a page gets: where it is, what the token may do, and a place for what must end with it.
function context(ids) {
  return {
    ids,
    me,
    can: (scope) => !isStandby() && me.scopes.includes(scope),
    onLeave: (work) => leave.push(work),
    onFrame: (use) => leave.push(live.subscribe(use)),
    again: () => show(true),
  };
}

function pageOf(parts) {
  if (parts.length === 0) return [pages.sweeps, []];
  const [kind, id, view] = parts;
  if (kind === "sweeps" && id) return [sweepPages[view ?? ""], [id]];
  return [pages[kind], parts.slice(1)];
}

const home = () =>
  h(
    "p",
    {},
    report
      ? h("a", { href: links.sweep(report.about.sweep) }, "The sweep")
      : h("a", { href: "#/" }, "All sweeps"),
  );

// A page that could not be shown has a heading as well.
const showTrouble = (...parts) =>
  replace(main, h("h1.visually-hidden", {}, document.title), ...parts);

export async function show(force = false) {
  const { path: parts } = current();
  const now = parts.join("/");
  if (now === path && !force) return;
  path = now;
  away = false;
  for (const work of leave.splice(0)) work();
  const mine = ++turn;
  const [page, ids] = pageOf(parts);
  document.title = parts.length ? `${parts.slice(1).join(" ") || parts[0]} · hone` : "hone";
  for (const link of document.querySelectorAll(".main-nav a")) {
    const active =
      link.getAttribute("href") ===
      `#/${parts[0] === "workers" || parts[0] === "events" ? parts[0] : ""}`;
    active ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  if (!page) return void showTrouble(problem({ message: `There is no page ${now}` }), home());
  const waiting = loading();
  replace(main, waiting);
  const late = setTimeout(() => {
    waiting.textContent =
      "The server has not answered yet: it may be busy. The page appears with its answer.";
  }, lateTime);
  try {
    const content = await page(context(ids));
    if (mine !== turn) return;
    replace(main, content);
    restoreScroll();
  } catch (error) {
    clearTimeout(late);
    if (mine !== turn) return;
    if (error.status === 401) return void askToken(error.message);
    away = error.status === 0;
    showTrouble(problem(error, report ? null : () => show(true)), home());
    if (error.status === undefined) console.warn(error.stack ?? error.message);
  }
}

function askToken(why) {
  const field = h("input", { type: "password", autocomplete: "off", "aria-label": "Token" });
  const remember = h("input", { type: "checkbox" });
  const tried = token() !== "";
  showLive({ kind: "token", sentence: "The server asks for a token." });
  replace(
    main,
    h(
      "form.card",
      {
        onsubmit: (event) => {
          event.preventDefault();
          forgetToken();
          setToken(field.value.trim(), remember.checked);
          path = "";
          boot();
        },
      },
      h("header", {}, h("h2", {}, "This server asks for a token")),
      h(
        "div.body",
        {},
        h(
          "div.fields",
          {},
          tried
            ? h("p.bad", { role: "alert" }, `The token was refused: ${why.split(";")[0]}.`)
            : null,
          h(
            "p",
            {},
            "An administrator makes one with ",
            h("code", {}, "hone token create --scope submit"),
            "; the first is in the file admin.token of the server's data folder.",
          ),
        ),
        h(
          "p.bar",
          {},
          field,
          h("label", {}, remember, "Remember it in this browser"),
          h("button.primary", { type: "submit" }, "Continue"),
        ),
      ),
    ),
  );
  field.focus();
}

function readFragmentToken() {
  const found = /^#token=([^&]+)&?(.*)$/.exec(location.hash);
  if (!found) return;
  setToken(decodeURIComponent(found[1]), false);
  history.replaceState(null, "", found[2].startsWith("/") ? `#${found[2]}` : "#/");
}

function setTheme(next) {
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
  next ? localStorage.setItem("hone.theme", next) : localStorage.removeItem("hone.theme");
  redrawAll();
}

const liveWords = {
  live: "live",
  lost: "server away",
  refused: "refused",
  token: "token needed",
};

function showLive({ kind, sentence }) {
  const mark = document.getElementById("live");
  mark.dataset.state = kind;
  mark.textContent = liveWords[kind] ?? "connecting";
  mark.title = sentence;
  mark.setAttribute("aria-label", sentence);
  if (kind === "live" && away) show(true);
}

// A standby answers reads only: what would change something is not offered there.
async function showRole(standby) {
  const place = document.getElementById("role");
  if (path) show(true);
  if (!standby) return void replace(place);
  const { follows } = await get("/healthz").catch(() => ({}));
  const url = /^https?:/.test(follows ?? "") ? h("a", { href: follows }, follows) : follows;
  replace(
    place,
    h(
      "p.warn",
      { role: "note" },
      "This server is a standby: it shows a copy of the ledger, and nothing can be changed here. ",
      url ? ["Steer the sweeps at its primary, ", url, "."] : "Steer the sweeps at its primary.",
    ),
  );
}

let chord = "";
function keyPressed(event) {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.target.closest("input, textarea, select, dialog")
  )
    return;
  const { path: parts } = current();
  const sweep = parts[0] === "sweeps" ? parts[1] : null;
  const go = (hash) => {
    event.preventDefault();
    location.hash = hash;
  };
  const jumps = { s: "#/", w: "#/workers", e: "#/events" };
  if (chord === "g" && jumps[event.key]) {
    chord = "";
    return go(jumps[event.key]);
  }
  chord = event.key === "g" ? "g" : "";
  if (event.key === "?") return showKeys();
  if (event.key === "/") {
    const field = document.querySelector("input[type=search]");
    if (field) {
      event.preventDefault();
      field.focus();
    }
  }
  if (event.key === "b") document.querySelector("[data-best] a")?.click();
  const view = Object.keys(sweepPages)[Number(event.key) - 1];
  if (sweep && view !== undefined && event.target.tagName !== "TR")
    go(links.sweep(sweep, view, kept()));
}

// A report shows one sweep as it was: nothing is followed and nothing can be steered.
function bootReport() {
  document.querySelector(".main-nav").remove();
  document.querySelector(".brand").href = links.sweep(report.about.sweep);
  const mark = document.getElementById("live");
  mark.dataset.state = "report";
  mark.textContent = `report of ${time(report.about.at)}`;
  if (current().path.length === 0) history.replaceState(null, "", links.sweep(report.about.sweep));
  show();
}

async function boot() {
  if (report) return bootReport();
  // In parallel with the first request.
  pageOf(current().path)[0]
    ?.load()
    .catch(() => {});
  try {
    Object.assign(me, await get("/v1/me"));
    noteServerTime(me.now);
  } catch (error) {
    if (error.status === 401) return askToken(error.message);
    showLive({ kind: "lost", sentence: error.message });
    showTrouble(problem(error, () => boot()));
    return;
  }
  live.start(me.seq ?? 0, showLive);
  await show(true);
  setTimeout(loadAll, 1000);
}

whenRoleChanges(showRole);
keepScroll();
readFragmentToken();
const theme = localStorage.getItem("hone.theme");
if (theme) document.documentElement.dataset.theme = theme;
document.getElementById("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
  setTheme(dark ? "light" : "dark");
});
document.getElementById("keys").addEventListener("click", showKeys);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) {
    readFragmentToken();
    path = "";
    boot();
  } else show();
});
addEventListener("keydown", keyPressed);
if (!globalThis.honeTooOld) boot();
