// Views that the user named: a page of a sweep with its filter, axes and choices. They are kept in
// this browser and open for any sweep. Pure.

/** @typedef {{name: string, page: string, query: Record<string, string>}} View */

export const viewsAtMost = 50;
const nameAtMost = 60;
const ofOneSweep = new Set(["pick", "at", "hide"]); // name trials or events

/**
 * @param {string | null} text as kept; what is no list of views counts as none @returns {View[]}
 */
export function readViews(text) {
  try {
    const list = JSON.parse(text ?? "[]");
    return list.filter(
      (/** @type {any} */ one) => typeof one.name === "string" && typeof one.page === "string",
    );
  } catch {
    return [];
  }
}

/**
 * The view of an address; one of the same name is replaced.
 * @param {View[]} views @param {string} name @param {string} page
 * @param {Iterable<[string, string]>} query
 * @returns {View[]}
 */
export function withView(views, name, page, query) {
  const kept = [...query].filter(([key]) => !ofOneSweep.has(key));
  const view = { name: name.trim().slice(0, nameAtMost), page, query: Object.fromEntries(kept) };
  if (view.name === "") return views;
  return [view, ...views.filter((one) => one.name !== view.name)].slice(0, viewsAtMost);
}
