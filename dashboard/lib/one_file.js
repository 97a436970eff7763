// A sweep as one file of HTML, as `hone export --html` writes it: the pages, and what they ask for.
import { text } from "./api.js";
import { save, toast } from "./dom.js";

const longest = 600000; // of 100,000 trials the server takes half a minute

export async function saveOneFile(id) {
  toast(`Collecting the pages and numbers of ${id} …`);
  const [pages, answers] = await Promise.all([
    text("/ui/report.html"),
    text(`/v1/sweeps/${id}/report`, longest),
  ]);
  const [before, after] = pages.split(/@REPORT[@]/); // the mark itself occurs once in the pages
  save(`${id}.html`, new Blob([before, answers, after], { type: "text/html" }));
  toast(`${id}.html is saved: it needs no server and no network.`);
}
