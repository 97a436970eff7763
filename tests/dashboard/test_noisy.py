"""The pages of a noisy sweep name the trial of which a model expects most, as `hone best` does."""

import random

import world
from test_objectives import rows_of


def noisy_sweep(server):
    """Forty single runs with noise that is larger than what the parameters change."""
    sweep = server.submit(
        world.sweep_of(
            "noisy",
            40,
            terminator={"rule": "none"},
            budget={"unit": "frames", "per_run": 10, "phases": 1},
        )
    )
    worker, draw = server.join(cpus=4), random.Random(1)
    for _ in range(40):
        server.report(server.acquire(worker), 0, draw.gauss(100, 20))
    return sweep


def text_of(page, selector):
    return " ".join(page.wait(f"document.querySelector({selector!r})?.innerText").split())


def test_pages_of_a_noisy_sweep_rank_by_what_is_expected(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = noisy_sweep(server)
    row = server.get(f"/v1/sweeps/{sweep}")
    items = server.get(f"/v1/sweeps/{sweep}/best?limit=10")["items"]
    assert items[0]["value"] < max(one["value"] for one in server.get(
        f"/v1/sweeps/{sweep}/trials?limit=40")["items"])
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}")
    shown = rows_of(page, "[data-best] tbody tr")
    assert [one[1] for one in shown] == [one["id"] for one in items]
    board = text_of(page, "[data-best]")
    assert "Expected" in board and "Spread" in board
    assert f"Noise is {round(100 * row['noise'])} % of the differences between values" in board
    winner = text_of(page, "[data-card=winner]")
    assert items[0]["id"] in winner and "expected in another training" in winner
    assert "ranked by what a model expects" in winner
    page.go(f"#/sweeps/{sweep}/trials")
    page.wait(f"document.body.innerText.includes('Expected') &&"
              f" document.body.innerText.includes('{items[9]['id']}')")
    listed = page.text()
    assert sorted(items, key=lambda one: listed.index(f"{one['id']}\t")) == items
    page.go(f"#/trials/{items[0]['id']}")
    page.wait("document.body.innerText.includes('a model of all trials expects')")
    assert "in another training" in page.text()
    page.go("#/sweeps")
    page.wait("document.body.innerText.includes('~')")
    assert server.stop() == 0
