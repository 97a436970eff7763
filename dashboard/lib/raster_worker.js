// Draws densities away from the page's thread.
import { raster } from "./raster.js";

let cells = null;
self.onmessage = ({ data }) => {
  if (data.cells) cells = data.cells;
  if (!data.request) return;
  const counts = raster({ ...data.request, cells });
  self.postMessage({ turn: data.turn, counts }, [counts.buffer]);
};
