// Elements. Text only ever becomes a text node: nothing that comes from a sweep is parsed as HTML.

// h("a.button", {href, onclick, dataset: {...}}, child, ...): children are elements or texts.
export function h(kind, given = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(given)) setField(element, name, value);
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

function setField(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) setHandler(element, name, value);
  else if (name === "style")
    for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (name === "value") element.value = value;
  else element.setAttribute(name, value === true ? "" : value);
}

// As a property, which update() can take over from one element to another.
function setHandler(element, name, use) {
  if (!(name in element)) return element.addEventListener(name.slice(2), use);
  element[name] = use;
  (element.handlers ??= []).push(name);
  return undefined;
}

export function replace(parent, ...children) {
  parent.replaceChildren(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false),
  );
  return parent;
}

// Scripts of workers come from the folder lib/ next to app.js only.
const scriptOf = (name) =>
  new URL(`lib/${name}`, document.querySelector("script[type=module]").src).href;
const policy = globalThis.trustedTypes?.createPolicy("hone", { createScriptURL: scriptOf });
export const workerUrl = (name) => (policy ?? { createScriptURL: scriptOf }).createScriptURL(name);

let toastTimer = 0;
export function toast(text) {
  const place = document.getElementById("toast");
  place.textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    place.textContent = "";
  }, 6000);
}

export async function copyText(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    toast(text); // without a secure context there is no clipboard
  }
}

// Saves text under a name, through the browser's downloads.
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// A spreadsheet runs a text that begins like a formula: it gets an apostrophe in front.
const isFormula = (text) =>
  /^[=+\-@\t\r\n]/.test(text) && Number.isNaN(Number(text.trim() || NaN));

export function csvText(header, rows) {
  const cell = (value) => {
    const given = value === null || value === undefined ? "" : String(value);
    const text = isFormula(given) ? `'${given}` : given;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}
