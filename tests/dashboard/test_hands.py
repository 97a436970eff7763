"""What the user holds stays while a page is live: focus, selection, selected text, scroll positions."""

import json

import world
from test_curves import started, trained



def test_space_selects_a_row_and_the_arrows_go_on(filled, pages):
    """After a selection the focus was lost, and arrows and Enter were dead."""
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/trials")
    page.wait("document.querySelector('tr.row')")
    page.run("document.querySelector('.virtual').focus()")
    for key in ("ArrowDown", "ArrowDown", " "):
        page.key(key)
    page.wait("document.querySelectorAll('tr.row[aria-selected=true]').length === 1")
    assert page.run("document.activeElement.matches('tr.row[aria-selected=true]')")
    page.key("ArrowDown")
    page.key(" ")
    page.wait("document.querySelectorAll('tr.row[aria-selected=true]').length === 2")
    at = "[...document.querySelectorAll('tr.row')].indexOf(document.activeElement)"
    trial = page.wait(f"{at} >= 0 && document.activeElement.querySelector('td a').innerText")
    page.key("Enter")
    page.wait(f"location.hash === '#/trials/{trial}'")


HELD = """
(() => {
  const cell = [...document.querySelectorAll('%(rows)s')]
    .find((row) => row.innerText.includes('%(trial)s')).querySelector('%(cell)s');
  const range = document.createRange();
  range.selectNodeContents(cell);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  return getSelection().toString();
})()
"""


def test_selected_text_and_focus_survive_new_reports(tmp_path, pages):
    """Copying a parameter set from a running sweep was luck."""
    server = world.start(tmp_path / "data")
    sweep, worker = started(server, 12)
    first = trained(server, worker, 10)
    grant = server.acquire(worker)
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}")
    for turn, (address, rows, cell) in enumerate(
        (
            ("", "[data-best] tbody tr", ".params"),
            ("/trials", "tr.row", "td:nth-child(3)"),
        )
    ):
        page.go(f"#/sweeps/{sweep}{address}")
        there = f"[...document.querySelectorAll('{rows}')]"
        page.wait(f"{there}.some((row) => row.innerText.includes('{first}'))")
        page.wait("document.getElementById('live').dataset.state === 'live'")
        held = page.run(HELD % {"rows": rows, "trial": first, "cell": cell})
        assert held.strip()
        page.run(f"document.querySelector('{rows} a').focus()")
        focused = page.run("document.activeElement.innerText")
        page.run("document.querySelector('main').dataset.before = document.body.innerText")
        # A better trial comes in before it, and moves its row.
        value = 500 + 100 * turn
        for phase in range(2 * turn, 2 * turn + 2):
            server.report(grant, phase, value)
        page.wait(f"document.querySelector('{rows}').innerText.includes('{value}')")
        assert page.run("getSelection().toString()").strip() == held.strip()
        assert page.run("document.activeElement.innerText") == focused
    assert server.stop() == 0


def test_a_page_keeps_the_scroll_position_of_its_tables(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep, worker = started(server, 12)
    trained(server, worker, 10)
    grant = server.acquire(worker)
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}", width=390)
    page.wait("document.querySelector('[data-best] tbody tr')")
    page.wait("document.getElementById('live').dataset.state === 'live'")
    page.run("document.querySelector('[data-best] .scroll').scrollLeft = 60")
    for phase in range(2):
        server.report(grant, phase, 400)
    page.wait("document.querySelectorAll('[data-best] tbody tr').length === 2")
    assert page.run("document.querySelector('[data-best] .scroll').scrollLeft") == 60
    assert server.stop() == 0


UPDATES = """
(async () => {
  const { update } = await import("/ui/dev/lib/update.js");
  const { h } = await import("/ui/dev/lib/dom.js");
  const place = document.body.appendChild(h("div"));
  let clicked = "";
  const item = (name) =>
    h("button", { type: "button", dataset: { key: name }, onclick: () => (clicked = name) }, name);
  let seed = 3;
  const random = (n) => (seed = (seed * 1664525 + 1013904223) >>> 0) % n;
  const wrong = [];
  for (let turn = 0; turn < 200; turn++) {
    const names = [...new Set(Array.from({ length: random(9) }, () => "abcdefgh"[random(8)]))];
    const before = new Map([...place.children].map((one) => [one.dataset.key, one]));
    update(place, names.map((name) => (random(3) ? item(name) : [item(name), " text " + turn])));
    const now = [...place.children];
    if (now.map((one) => one.innerText).join() !== names.join()) wrong.push([turn, "order"]);
    for (const one of now) {
      const had = before.get(one.dataset.key);
      if (had && had !== one) wrong.push([turn, "a new node"]);
      one.click();
      if (clicked !== one.dataset.key) wrong.push([turn, "handler"]);
    }
  }
  place.remove();
  return JSON.stringify(wrong);
})()
"""


def test_updates_of_lists_keep_nodes_and_take_over_handlers(tmp_path, pages, monkeypatch):
    monkeypatch.setenv("HONE_DASHBOARD_DIR", str(world.E2E.parents[1] / "dashboard"))
    server = world.start(tmp_path / "data")
    page = pages(f"http://127.0.0.1:{server.port}/")
    page.wait("document.querySelector('main h1')")
    assert json.loads(page.run(UPDATES)) == []
    assert server.stop() == 0
