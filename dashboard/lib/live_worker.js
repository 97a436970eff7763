// One stream for all tabs of a browser: a browser opens six connections to a host at most.
import { Stream } from "./stream.js";

const ports = new Set();
const awake = new Set();
let stream = null;
let state = ["connecting", "Connecting to the server."];

const tell = (message) => {
  for (const port of ports) port.postMessage(message);
};

function hello(port, message) {
  if (stream === null || stream.token !== message.token) {
    stream?.stop();
    stream = new Stream(message.base, message.token, {
      frame: (frame) => tell({ frame }),
      state: (...now) => {
        state = now;
        tell({ state: now });
      },
    });
  }
  awake.add(port);
  // A tab may be behind the stream: it reads what it missed from the snapshot routes.
  if (stream.after > message.after)
    port.postMessage({ frame: { seq: stream.after, resync: true, sweeps: [], reports: [] } });
  stream.start(message.after);
  port.postMessage({ state });
}

self.onconnect = (event) => {
  const port = event.ports[0];
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data.hello) hello(port, data.hello);
    if (data.sleep || data.close) awake.delete(port);
    if (data.close) ports.delete(port);
    if (awake.size === 0) stream?.stop();
  };
};
