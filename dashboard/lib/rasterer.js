// Where densities are drawn: in a worker; in a report, which is one file, in the page.
import { workerUrl } from "./dom.js";
import { raster } from "./raster.js";
import { report } from "./report.js";

// Returns {postMessage({cells, request, turn}), terminate()}; use({turn, counts}) takes the result.
export function rasterer(use) {
  if (report) return inPage(use);
  const worker = new Worker(workerUrl("raster_worker.js"), { type: "module" });
  worker.onmessage = ({ data }) => use(data);
  return worker;
}

function inPage(use) {
  let cells = null;
  let timer = 0;
  return {
    postMessage(data) {
      if (data.cells) cells = data.cells;
      clearTimeout(timer);
      timer = setTimeout(() =>
        use({ turn: data.turn, counts: raster({ ...data.request, cells }) }),
      );
    },
    terminate: () => clearTimeout(timer),
  };
}
