// Requests to the server. The token, if the server asks for one, is kept in this tab alone unless
// the user lets the browser remember it.
import { cellsOf } from "./cells.js";
import { matrixBytes, recorded, report } from "./report.js";

const key = "hone.token";
export const base = new URL(".", document.baseURI);

export class ApiError extends Error {
  constructor(status, body) {
    super(body.detail ?? `the server answered ${status}`);
    this.status = status;
    this.code = body.code ?? "";
    this.at = body.at ?? "";
  }
}

export const token = () => sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? "";
export function setToken(text, remember) {
  sessionStorage.setItem(key, text);
  if (remember) localStorage.setItem(key, text);
}
export function forgetToken() {
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
}

export function headers(more = {}) {
  const text = token();
  return text ? { ...more, Authorization: `Bearer ${text}` } : more;
}

// Whether the server is a standby, as its answers tell. use(standby) is called on a change.
let standby = false;
export const isStandby = () => standby;
let onRole = () => {};
export const whenRoleChanges = (use) => {
  onRole = use;
};
function noteRole(response) {
  if (!response.ok || standby === response.headers.has("Hone-Follower")) return;
  standby = !standby;
  onRole(standby);
}

// How far the server's clock is ahead of this one, in milliseconds.
let clockAhead = 0;
export const serverNow = () => Date.now() + clockAhead;
export function noteServerTime(text) {
  if (text) clockAhead = Date.parse(text) - Date.now();
}

// The server itself gives up on an answer that takes longer.
const answerTime = 60000;
const limit = (time = answerTime) => AbortSignal.timeout?.(time);

async function send(path, options = {}) {
  let response;
  try {
    response = await fetch(new URL(path.replace(/^\//, ""), base), {
      cache: "no-store",
      credentials: "omit",
      ...options,
      headers: headers(options.headers),
    });
  } catch (trouble) {
    if (trouble.name === "TimeoutError")
      throw new ApiError(0, {
        code: "unreachable",
        detail: `The server at ${base.host} did not answer within ${answerTime / 1000} seconds.`,
      });
    throw new ApiError(0, {
      code: "unreachable",
      detail: `The server at ${base.host} does not answer. The page continues when it is back.`,
    });
  }
  noteRole(response);
  if (response.ok) return response;
  throw new ApiError(response.status, await response.json().catch(() => ({})));
}

export async function get(path) {
  return report ? recorded(path) : (await send(path, { signal: limit() })).json();
}

export async function text(path, time = answerTime) {
  return (await send(path, { signal: limit(time) })).text();
}

export async function post(path, body) {
  const response = await send(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
  });
  return response.json();
}

// All pages of a list, at most `most` items.
export async function list(path, most = 1000) {
  const items = [];
  let after = "";
  do {
    const mark = path.includes("?") ? "&" : "?";
    const page = await get(after ? `${path}${mark}after=${encodeURIComponent(after)}` : path);
    items.push(...page.items);
    after = page.next;
  } while (after && items.length < most);
  return items;
}

// GET .../curves/matrix: {...header, cells: Float32Array}.
export async function matrix(sweep, points = 500) {
  if (report) return unpack(matrixBytes());
  const path = `/v1/sweeps/${sweep}/curves/matrix?points=${points}`;
  return unpack(await (await send(path)).arrayBuffer());
}

export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  // The header ends at a multiple of 8.
  for (const name of ["trial", "replicate", "number"])
    header[name] = cellsOf(header[name], header.rows);
  header.cells = new Float32Array(buffer, 4 + length, header.rows * header.points);
  return header;
}

export const blobUrl = (sha256) => `/v1/blobs/${sha256}`;
export async function blob(sha256) {
  return (await send(blobUrl(sha256))).blob();
}

export function requestId() {
  return (
    crypto.randomUUID?.() ??
    [...crypto.getRandomValues(new Uint8Array(16))]
      .map((b) => b.toString(16).padStart(2, "0"))
      .join("")
  );
}
