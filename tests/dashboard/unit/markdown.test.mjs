// The Markdown of notes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { blocksOf, inlines } from "../../../dashboard/lib/markdown.js";

test("emphasis, code and links within a line", () => {
  assert.deepEqual(inlines("a **b** `*c*` and *d e* 2*3*4"), [
    "a ",
    { kind: "strong", text: "b" },
    " ",
    { kind: "code", text: "*c*" },
    " and ",
    { kind: "em", text: "d e" },
    " 2*3*4",
  ]);
  assert.deepEqual(inlines("see [the paper](https://a.org/x_(1)) or https://b.org/y."), [
    "see ",
    { kind: "a", text: "the paper", href: "https://a.org/x_(1" },
    ") or ",
    { kind: "a", text: "https://b.org/y", href: "https://b.org/y" },
    ".",
  ]);
});

test("no link leads anywhere but to the web, and tags of HTML are text", () => {
  for (const text of [
    "[x](javascript:alert(1))",
    "[x](data:text/html,hi)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
  ])
    assert.deepEqual(inlines(text), [text]);
});

test("paragraphs, headings, lists and code", () => {
  const kinds = blocksOf("# Why\nfirst\nsecond\n\n- a\n- b\n1. c\n```\n# *no*\n\n  deep\n```\nend");
  assert.deepEqual(
    kinds.map(({ kind, lines }) => [kind, lines.length]),
    [
      ["h", 1],
      ["p", 2],
      ["ul", 2],
      ["ol", 1],
      ["pre", 3],
      ["p", 1],
    ],
  );
  assert.deepEqual(kinds[4].lines.flat(), ["# *no*", "", "  deep"]);
  assert.deepEqual(blocksOf(""), []);
  assert.deepEqual(blocksOf("```\nnever closed"), [{ kind: "pre", lines: [["never closed"]] }]);
});

test("a long line of marks takes no longer than its length", () => {
  for (const text of ["*".repeat(20000), "`*".repeat(10000), "[".repeat(20000), "**a".repeat(7000)])
    assert.equal(
      inlines(text)
        .map((one) => (typeof one === "string" ? one : one.text))
        .join("").length > 0,
      true,
    );
});
