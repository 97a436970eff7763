// Numbers, durations and times as texts. Pure.

// Four significant digits; whole numbers below a billion in full.
export function short(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return words(value); // diverged, not reached
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
    return value
      .toExponential(3)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  }
  return String(Number(value.toPrecision(4)));
}

const units = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];
export function count(value) {
  if (value === null || value === undefined) return "–";
  for (const [size, name] of units) {
    if (Math.abs(value) >= size) return `${Number((value / size).toPrecision(3))} ${name}`;
  }
  return String(Math.round(value * 100) / 100);
}

export function bytes(value) {
  return value < 1000 ? `${value} B` : `${count(value)}B`;
}

// Of memory, by powers of 1,024 as the operating system counts it.
export function memory(value) {
  if (value < 2 ** 20) return `${Math.round(value / 1024)} KiB`;
  const [size, unit] = value < 2 ** 30 ? [2 ** 20, "MiB"] : [2 ** 30, "GiB"];
  return `${Number((value / size).toPrecision(3))} ${unit}`;
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const s = Math.max(0, Math.round(seconds));
  if (s < 60)
    return seconds < 10 && !Number.isInteger(seconds) ? `${seconds.toFixed(1)} s` : `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

const pad = (number) => String(number).padStart(2, "0");
export function time(text) {
  if (!text) return "–";
  const at = new Date(text);
  return (
    `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${pad(at.getHours())}:` +
    `${pad(at.getMinutes())}:${pad(at.getSeconds())}`
  );
}

export function percent(share) {
  return `${(100 * share).toFixed(share < 0.0995 && share > 0 ? 1 : 0)} %`;
}

// How long ago, of an instant of the server; now: the server's clock in milliseconds.
export const ago = (text, now) => `${duration((now - Date.parse(text)) / 1000).split(" ").slice(0, 2).join(" ")} ago`;

export const words = (text) => String(text ?? "").replaceAll("_", " ");
export const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

// A parameter's or a choice's value.
export function param(value) {
  if (value === undefined) return "";
  if (value === null) return "null";
  return typeof value === "object"
    ? JSON.stringify(value)
    : typeof value === "number"
      ? short(value)
      : String(value);
}

// A word for a POSIX shell.
export function shellWord(text) {
  return /^[A-Za-z0-9_./:=,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
