import assert from "node:assert/strict";
import test from "node:test";
import { readViews, viewsAtMost, withView } from "../../../dashboard/lib/views.js";

test("a view has the page and its choices, without what names trials of one sweep", () => {
  const query = new URLSearchParams("y=log&pick=3,4&where=optimizer = adam");
  const views = withView([], " log ", "curves", query);
  assert.deepEqual(views, [
    { name: "log", page: "curves", query: { y: "log", where: "optimizer = adam" } },
  ]);
  assert.deepEqual(readViews(JSON.stringify(views)), views);
});

test("a name is given once, the newest first, and no more than the bound are kept", () => {
  let views = withView([], "a", "curves", []);
  views = withView(views, "b", "", []);
  views = withView(views, "a", "trials", []);
  assert.deepEqual(views.map(({ name, page }) => [name, page]), [["a", "trials"], ["b", ""]]);
  for (let i = 0; i < 2 * viewsAtMost; i++) views = withView(views, `v${i}`, "", []);
  assert.equal(views.length, viewsAtMost);
  assert.equal(withView(views, "   ", "", []), views);
});

test("what is no list of views counts as none", () => {
  for (const text of [null, "", "{", "null", "3", '[{"name": 3}]', '[{"name": "a"}]'])
    assert.deepEqual(readViews(text), []);
});
