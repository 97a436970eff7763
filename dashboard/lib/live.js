// The page's end of the stream: pages subscribe to frames, and get none while the tab is hidden.
import { base, token } from "./api.js";
import { toast, workerUrl } from "./dom.js";
import { Stream } from "./stream.js";

const listeners = new Set();
const hiddenTime = 30000;
let seq = 0;
let port = null;
let own = null;
let state = { kind: "connecting", sentence: "Connecting to the server." };
let onState = () => {};

export const liveState = () => state;

// Calls use(frame) for every frame until the returned function is called.
export function subscribe(use) {
  listeners.add(use);
  return () => listeners.delete(use);
}

function take(frame) {
  seq = Math.max(seq, frame.seq);
  for (const use of [...listeners]) use(frame);
}

function setState(kind, sentence) {
  const back = ["lost", "refused"].includes(state.kind) && kind === "live";
  state = { kind, sentence };
  onState(state);
  // The server may have been replaced meanwhile: everything is read again.
  if (back) take({ seq, resync: true, sweeps: [], reports: [], workers: true });
}

function connect() {
  if (globalThis.SharedWorker) {
    port = new SharedWorker(workerUrl("live_worker.js"), { type: "module", name: "hone" }).port;
    port.onmessage = ({ data }) => (data.frame ? take(data.frame) : setState(...data.state));
    port.start();
  } else {
    own = new Stream(base.href, token(), { frame: take, state: setState });
  }
}

function wake() {
  if (port) port.postMessage({ hello: { base: base.href, token: token(), after: seq } });
  else {
    own.token = token();
    own.start(seq);
  }
}

export function start(after, use) {
  onState = use;
  seq = Math.max(seq, after);
  // Again after another token was given.
  if (port || own) return void wake();
  connect();
  wake();
  let timer = 0;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) wake();
    else
      timer = setTimeout(() => (port ? port.postMessage({ sleep: true }) : own.stop()), hiddenTime);
  });
  addEventListener("pagehide", () => port?.postMessage({ close: true }));
}

// Runs `work` soon after a call, and at most once in `pause` milliseconds; never two at a time.
// It takes a twentieth of the time at most, so that pages of a large sweep do not fill the server.
// spent: of the time that the page has already read for.
export function throttled(pause, work, spent = 0) {
  let last = spent ? performance.now() : 0;
  let rest = Math.max(pause, 20 * spent);
  let timer = 0;
  let busy = false;
  let again = false;
  const run = async () => {
    timer = 0;
    busy = true;
    const began = performance.now();
    try {
      await work();
    } catch (error) {
      // While the server is away, the live mark shows it; the next frame tries again.
      if (error.status !== 0) toast(error.message);
    } finally {
      busy = false;
      last = performance.now();
      rest = Math.max(pause, 20 * (last - began));
      if (again) {
        again = false;
        call();
      }
    }
  };
  const call = () => {
    if (busy) {
      again = true;
      return;
    }
    if (!timer) timer = setTimeout(run, Math.max(0, last + rest - performance.now()));
  };
  call.cancel = () => {
    clearTimeout(timer);
    timer = 0;
    again = false;
  };
  return call;
}

// Runs `work` after changes of a sweep, at most once in `pause`, until the page is left.
export function followSweep(page, sweepOf, pause, work, close = () => {}) {
  const soon = throttled(pause, work);
  page.onFrame((frame) => {
    if (frame.resync || frame.sweeps.includes(sweepOf())) soon();
  });
  page.onLeave(() => {
    soon.cancel();
    close();
  });
}
