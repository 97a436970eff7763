import assert from "node:assert/strict";
import test from "node:test";
import { mediaOf, shownBytes } from "../../../dashboard/lib/media.js";

test("images, videos and texts are known by the ends of their names", () => {
  assert.deepEqual(mediaOf("plots/a.PNG", 10), { kind: "image", type: "image/png" });
  assert.deepEqual(mediaOf("episode.webm", 10), { kind: "video", type: "video/webm" });
  assert.deepEqual(mediaOf("a.b/eval.json", 10), { kind: "text", type: "text/plain" });
  assert.deepEqual(mediaOf("page.html", 10), { kind: "text", type: "text/plain" });
});

test("other files, and files beyond the bound, are saved only", () => {
  for (const name of ["model.pt", "png", "a.png/model", ".hidden", "x.constructor", "x.toString"])
    assert.equal(mediaOf(name, 10), null);
  assert.equal(mediaOf("a.png", shownBytes.image + 1), null);
  assert.equal(mediaOf("a.txt", shownBytes.text + 1), null);
});
