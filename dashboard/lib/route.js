// The state of a view is its address: #/sweeps/sw_7/curves?y=log&pick=3,4. A reload, a bookmark and
// the back button restore it.
import { holds, report } from "./report.js";

export function parse(hash) {
  const text = hash.replace(/^#\/?/, "");
  const mark = text.indexOf("?");
  const path = (mark < 0 ? text : text.slice(0, mark))
    .split("/")
    .filter(Boolean)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
  return { path, query: new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1)) };
}

export function address(path, query = {}) {
  const pairs = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== "" && value !== false,
  );
  const text = new URLSearchParams(pairs).toString();
  const place = path.map(encodeURIComponent).join("/").replaceAll("%2C", ",");
  return `#/${place}${text ? `?${text}` : ""}`;
}

export const current = () => parse(location.hash);

// Reads a value of the view's state, and changes it in place: no page is drawn again.
export const param = (name, fallback = "") => current().query.get(name) ?? fallback;
export function setParams(values) {
  const { path, query } = current();
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "" || value === false)
      query.delete(name);
    else query.set(name, String(value));
  }
  history.replaceState(history.state, "", address(path, Object.fromEntries(query)));
}

// What is kept from page to page of one sweep: the filter, the brushes and the selection.
export function kept() {
  const { query } = current();
  const names = ["where", "states", "brush", "pick"];
  return Object.fromEntries(names.map((name) => [name, query.get(name)]));
}

export const links = {
  sweep: (id, page, query) => address(page ? ["sweeps", id, page] : ["sweeps", id], query),
  trial: (id) => address(["trials", id]),
  run: (id) => address(["runs", id]),
  compare: (ids, query) => address(["compare", ids.join(",")], query),
  lineage: (id) => address(["lineage", id]),
  worker: (id) => address(["workers", id]),
  study: (name) => address(["studies", name]),
};

// The page of an id, or nothing for an id without one.
export function linkOf(id) {
  if (report && !holds(id)) return null;
  if (/^sw_\d+$/.test(id)) return links.sweep(id);
  if (/^tr_\d+$/.test(id)) return links.trial(id);
  if (/^rn_\d+\.\d+/.test(id)) return links.run(id.replace(/[#@/].*$/, ""));
  if (/^(md|ds|wf|ev)_\d+$/.test(id)) return links.lineage(id);
  if (/^wk_\d+$/.test(id)) return links.worker(id);
  return null;
}
