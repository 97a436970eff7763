// The end of a worker's quarantine, which an administrator decides.
import { post } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { ask } from "../ui/dialog.js";

export function allowButton(page, worker) {
  return h(
    "button",
    {
      type: "button",
      onclick: () =>
        ask({
          title: `Allow ${worker.id} again?`,
          yes: "Allow",
          text: "The quarantine ends now: the worker gets runs again.",
          act: async () => {
            await post(`/v1/workers/${worker.id}/allow`, {});
            page.again();
            return `${worker.id} gets runs again.`;
          },
        }),
    },
    "Allow",
  );
}
