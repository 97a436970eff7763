// Brings the children of an element to a wanted state with the fewest changes: what is equal stays
// the same node, and keeps its focus, its scroll position and the selection of its text. A library
// would need other templates in every page; these are the elements of h().

const listOf = (children) =>
  children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false);
const keyOf = (node) => node.dataset?.key;
const kindOf = (node) => (typeof node === "string" ? "#text" : node.nodeName);

/**
 * As replace(), without the loss of nodes. Rows of tables are found again by data-key; elements
 * with the property `keep`, as charts, are moved as they are.
 * @param {Element} parent @param {...unknown} children
 */
export function update(parent, ...children) {
  const active = document.activeElement;
  const inside = active !== parent && parent.contains(active);
  reconcile(
    parent,
    listOf(children).map((child) => (child instanceof Node ? child : String(child))),
  );
  if (inside && active.isConnected && document.activeElement !== active)
    active.focus({ preventScroll: true });
  return parent;
}

function reconcile(parent, wanted) {
  const take = finder(parent, wanted);
  const nodes = wanted.map((want) => {
    const had = take(want);
    return had ? patched(had, want) : nodeOf(want);
  });
  const kept = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!kept.has(node)) node.remove();
  let cursor = parent.firstChild;
  for (const node of nodes)
    if (node === cursor) cursor = cursor.nextSibling;
    else place(parent, node, cursor);
}

const nodeOf = (want) => (typeof want === "string" ? document.createTextNode(want) : want);

// moveBefore keeps focus and scroll positions; not every browser has it.
function place(parent, node, before) {
  if (parent.moveBefore && node.isConnected && parent.isConnected) parent.moveBefore(node, before);
  else parent.insertBefore(node, before);
}

// Finds the node of before for each wanted one: by key, else the next one of its kind.
function finder(parent, wanted) {
  const own = new Set(wanted);
  const keyed = new Map();
  const loose = new Map();
  for (const node of parent.childNodes) {
    if (own.has(node) || node.keep) continue;
    const key = keyOf(node);
    if (key !== undefined && !keyed.has(key)) keyed.set(key, node);
    else if (key === undefined) loose.set(kindOf(node), [...(loose.get(kindOf(node)) ?? []), node]);
  }
  return (want) => {
    if (want.keep || want.parentNode === parent) return null;
    const key = keyOf(want);
    if (key === undefined) return loose.get(kindOf(want))?.shift() ?? null;
    const had = keyed.get(key);
    keyed.delete(key);
    return had && kindOf(had) === kindOf(want) ? had : null;
  };
}

function patched(had, want) {
  if (had.nodeType === Node.TEXT_NODE) {
    const text = typeof want === "string" ? want : want.data;
    if (had.data !== text) had.data = text;
    return had;
  }
  // A drawing is that of its mark.
  if (had.nodeName === "CANVAS") return had.dataset.mark === want.dataset.mark ? had : want;
  patchAttributes(had, want);
  patchHandlers(had, want);
  const { value } = want; // of a select, before its options are moved
  reconcile(had, [...want.childNodes]);
  patchValue(had, value);
  if (had.type === "checkbox" && had.checked !== want.checked) had.checked = want.checked;
  return had;
}

function patchAttributes(had, want) {
  const isOwn = (name) => name === "open" && had.nodeName === "DETAILS"; // the user's
  for (const { name } of [...had.attributes])
    if (!want.hasAttribute(name) && !isOwn(name)) had.removeAttribute(name);
  for (const { name, value } of want.attributes)
    if (name !== "style" && had.getAttribute(name) !== value) had.setAttribute(name, value);
  // The content policy refuses the attribute.
  if (had.style && had.style.cssText !== want.style.cssText)
    had.style.cssText = want.style.cssText;
}

function patchHandlers(had, want) {
  for (const name of had.handlers ?? []) had[name] = null;
  for (const name of want.handlers ?? []) had[name] = want[name];
  had.handlers = want.handlers;
}

// What the user is about to change stays.
function patchValue(had, value) {
  if (!("value" in had) || had === document.activeElement || had.nodeName === "LI") return;
  if (had.value !== value) had.value = value;
}
