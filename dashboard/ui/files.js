// The files of a run: images, videos and texts are shown, all of them can be saved.
import { blob } from "../lib/api.js";
import { h, replace, save, toast } from "../lib/dom.js";
import { bytes } from "../lib/format.js";
import { mediaOf } from "../lib/media.js";
import { report } from "../lib/report.js";
import { update } from "../lib/update.js";
import { empty, link, problem, table } from "./parts.js";

const atOnce = 6; // images that are shown without a click
const atOnceBytes = 2e6;

async function download(name, sha256) {
  try {
    save(name.split("/").at(-1), await blob(sha256));
  } catch (error) {
    toast(error.message);
  }
}
const saveButton = (name, sha256) =>
  h("button.quiet.small", { type: "button", onclick: () => download(name, sha256) }, "Save");

const elementOf = {
  image: (name, src) => h("img", { src, alt: name, loading: "lazy" }),
  video: (name, src) => h("video", { src, controls: true, loop: true, "aria-label": name }),
};

/** The files of one run. Call close() when the page is left. */
export class Files {
  constructor() {
    this.list = h("div");
    this.shown = h("div.media");
    this.element = h("div", {}, this.list, this.shown);
    this.figures = new Map(); // by digest and name
    this.urls = [];
  }

  close() {
    for (const url of this.urls) URL.revokeObjectURL(url);
  }

  // What was recorded since is added; what is shown stays.
  draw({ artifacts, models }) {
    update(this.list, this.tableOf(artifacts, models));
    if (report || this.begun) return;
    const small = artifacts.filter(
      (one) => mediaOf(one.name, one.bytes)?.kind === "image" && one.bytes <= atOnceBytes,
    );
    this.begun = small.length > 0;
    small.slice(0, atOnce).forEach((one) => this.toggle(one));
  }

  tableOf(artifacts, models) {
    const rows = [
      ...artifacts.map((one) => ({
        ...{ name: one.name, bytes: one.bytes },
        act: report ? null : [this.showButton(one), saveButton(one.name, one.sha256)],
      })),
      ...models.map((one) => ({
        name: [link(one.id), h("span.muted.small", {}, ` phase ${one.phase + 1}`)],
        bytes: one.bytes,
        act: modelAct(one),
      })),
    ];
    return rows.length === 0
      ? empty("The run kept no file.")
      : table(
          [
            ["Name", (one) => one.name],
            ["Size", (one) => bytes(one.bytes), { num: true }],
            ["", (one) => one.act],
          ],
          rows,
          "Files and models",
        );
  }

  showButton(one) {
    if (!mediaOf(one.name, one.bytes)) return null;
    const button = h(
      "button.quiet.small",
      {
        type: "button",
        dataset: { show: one.name },
        "aria-pressed": String(this.figures.has(one.name)),
        onclick: async ({ currentTarget }) => {
          await this.toggle(one);
          currentTarget.setAttribute("aria-pressed", String(this.figures.has(one.name)));
        },
      },
      "Show",
    );
    return button;
  }

  async toggle(one) {
    const there = this.figures.get(one.name);
    if (there) {
      there.remove();
      this.figures.delete(one.name);
      return;
    }
    const place = h("div", {}, h("p.muted", { role: "status" }, "Reading …"));
    const figure = h(
      "figure",
      { dataset: { file: one.name } },
      place,
      h("figcaption.muted.small", {}, one.name),
    );
    this.figures.set(one.name, figure);
    this.shown.append(figure);
    await this.read(one, place);
  }

  // Images run no script, and texts are shown as text.
  async read(one, place) {
    const { kind, type } = mediaOf(one.name, one.bytes);
    try {
      const content = await blob(one.sha256);
      if (kind === "text") {
        const label = `The text of ${one.name}`;
        return void replace(
          place,
          h("pre", { tabindex: "0", role: "region", "aria-label": label }, await content.text()),
        );
      }
      const url = URL.createObjectURL(new Blob([content], { type }));
      this.urls.push(url);
      const element = elementOf[kind](one.name, url);
      element.onerror = () => replace(place, problem({ message: "The browser cannot show it" }));
      return void replace(place, element);
    } catch (error) {
      return void replace(place, problem(error));
    }
  }
}

const modelAct = (one) =>
  one.dropped_at
    ? h("span.muted", {}, "dropped")
    : report
      ? null
      : saveButton(`${one.id}.model`, one.sha256);
