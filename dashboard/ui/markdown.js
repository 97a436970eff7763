// Notes as elements.
import { h } from "../lib/dom.js";
import { blocksOf } from "../lib/markdown.js";

const inline = (part) =>
  typeof part === "string"
    ? part
    : part.kind === "a"
      ? h("a", { href: part.href, rel: "noreferrer noopener" }, part.text)
      : h(part.kind, {}, part.text);

// A line of a paragraph ends where it was ended.
const lines = (list) => list.map((line, i) => [i > 0 ? h("br") : null, line.map(inline)]);

function block({ kind, lines: list }) {
  if (kind === "pre") return h("pre", {}, list.flat().join("\n"));
  if (kind === "h") return h("p", {}, h("strong", {}, lines(list)));
  if (kind === "p") return h("p", {}, lines(list));
  return h(
    kind,
    {},
    list.map((item) => h("li", {}, item.map(inline))),
  );
}

export const markdown = (text) => blocksOf(text).map(block);
