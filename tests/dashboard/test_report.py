"""`hone export --html`: one file that opens from disk, with the numbers of the server and nothing of the network."""

import json
import os
import pathlib
import subprocess

import pytest

import world

HOSTILE = "</script><script>window.ran = 1</script><img src=x onerror=alert(1)><!--"
BIN = pathlib.Path(os.environ["HONE_BIN"])


def export(server, sweep, file, *more):
    address = f"http://127.0.0.1:{server.port}"
    command = [BIN / "hone", "--server", address, "export", "--html", sweep, "-o", file, *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def reports(filled, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    made = {}
    for name in ("ended", "seeds", "running", "population"):
        sweep = getattr(filled, name)
        made[name] = folder / f"{sweep}.html"
        done = export(filled.server, sweep, made[name])
        assert done.returncode == 0, done.stderr
    return made


def rows_of(page, selector):
    found = page.wait(
        f"JSON.stringify([...document.querySelectorAll({selector!r})]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText))).replace(/^\\[\\]$/, '')"
    )
    return json.loads(found)


def pages_of(filled, name):
    """Every page that a report has: its address, and an element of the complete page."""
    sweep = getattr(filled, name)
    best, second = filled.server.get(f"/v1/sweeps/{sweep}/best")["items"][:2]
    at = f"#/sweeps/{sweep}"
    drawn = "canvas[data-drawn]"
    addresses = {
        "overview": (at, "[data-card=best] tbody tr"),
        "trials": (f"{at}/trials", "tr.row"),
        "curves": (f"{at}/curves", f"[data-card=curves] {drawn}"),
        "phases": (f"{at}/phases", f"[data-card=flow] {drawn}"),
        "parameters": (f"{at}/parameters", f"[data-card=parallel] {drawn}"),
        "pareto": (f"{at}/pareto", f"[data-card=pareto] {drawn}"),
        "trial": (f"#/trials/{best['id']}", f"[data-card=band] {drawn}"),
        "run": (f"#/runs/{best['run']}", f"[data-card=curve] {drawn}"),
        "compare": (f"#/compare/{best['id']},{second['id']}", f"[data-card=compare] {drawn}"),
        "lineage": (f"#/lineage/{best['id']}", f"[data-card=lineage] {drawn}"),
        "lineage of all": (f"#/lineage/{sweep}", f"[data-card=lineage] {drawn}"),
    }
    if name == "population":
        addresses["population"] = (f"{at}/population", f"[data-card=places] {drawn}")
    if name == "seeds":
        addresses["confirm"] = (f"{at}/confirm", f"[data-card=confirm] {drawn}")
    return addresses


@pytest.mark.parametrize("name", ["ended", "seeds", "running", "population"])
def test_every_page_opens_from_disk_and_asks_nothing(name, filled, reports, pages):
    page = pages(reports[name].as_uri())
    page.wait("document.querySelector('main h1')")
    for address, element in pages_of(filled, name).values():
        page.go(address)
        page.wait(f"document.querySelector({element!r})")
        assert page.run("[...document.querySelectorAll('[role=alert]')].map(e => e.innerText)") in (
            [],
            [""],
        )
        assert not page.run("document.querySelector('[data-verb], main input[type=search]')")
    outside = [url for url in page.urls if not url.startswith(("file://", "data:", "blob:"))]
    assert outside == []
    assert len([url for url in page.urls if url.startswith("file://")]) == 1


def test_a_population_shows_its_forks_and_a_sweep_without_forks_has_no_such_tab(
    filled, reports, pages
):
    page = pages(f"{reports['population'].as_uri()}#/sweeps/{filled.population}/population")
    shown = rows_of(page, "table[aria-label=Forks] tbody tr")
    runs = filled.server.get(f"/v1/sweeps/{filled.population}/runs?limit=1000")["items"]
    assert {(row[0], row[1]) for row in shown} == {
        (one["id"], one["origin"]["run"]) for one in runs if one["origin"]
    }
    page = pages(reports["ended"].as_uri())
    page.wait("document.querySelector('nav.tabs')")
    assert "Population" not in page.run("document.querySelector('nav.tabs').innerText")


def test_numbers_are_those_of_the_server(filled, reports, pages):
    page = pages(f"{reports['ended'].as_uri()}#/sweeps/{filled.ended}")
    shown = rows_of(page, "[data-best] tbody tr")
    items = filled.server.get(f"/v1/sweeps/{filled.ended}/best?limit=10")["items"]
    assert [row[1] for row in shown] == [one["id"] for one in items]
    for row, item in zip(shown, items):
        assert float(row[2]) == pytest.approx(item["value"], rel=1e-3)
    page.go(f"#/sweeps/{filled.ended}/trials")
    page.wait("document.body.innerText.includes('24 trials')")
    page.go(f"#/sweeps/{filled.ended}/curves")
    page.wait("document.querySelector('[data-card=curves] canvas[data-drawn]')")
    page.run(
        "[...document.querySelectorAll('[data-card=curves] header button')]"
        ".find((one) => one.textContent === 'Table').click()"
    )
    points = rows_of(page, "[data-card=curves] .as-table tbody tr")
    curves = filled.server.get(f"/v1/sweeps/{filled.ended}/curves?limit=1000")["items"]
    expected = {
        (one["run"], point["step"]): point["value"] for one in curves for point in one["curve"]
    }
    assert len(points) == len(expected)
    for run, _, step, value in points:
        assert float(value) == pytest.approx(expected[run, int(step)], rel=1e-6)


def test_text_of_others_ends_nothing_and_runs_nothing(tmp_path, pages):
    server = world.start(tmp_path / "data")
    spec = world.sweep_of(HOSTILE, 3)
    sweep = server.submit(spec)
    worker = server.join(cpus=2)
    grant = server.acquire(worker)
    server.report(grant, 0, 1.5)
    # More than a page of metrics, whose names a cursor holds.
    points = [{"name": "a & b #1 50%", "step": step, "value": step} for step in range(1100)]
    server.post(f"/v1/leases/{grant['lease']}/metrics", {"points": points})
    server.end(grant, "exit_code", 1, HOSTILE, HOSTILE)
    trial = grant["attempt"].split(".")[0].replace("rn_", "tr_")
    server.post("/v1/notes", {"request_id": "n1", "on": sweep, "text": HOSTILE})
    done = export(server, sweep, tmp_path / "report.html")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count("</script>") == 2
    page = pages((tmp_path / "report.html").as_uri(), width=390)
    page.wait(f"document.querySelector('main h1').textContent === {HOSTILE!r}")
    run = trial.replace("tr", "rn") + ".0"
    for address in (f"#/sweeps/{sweep}", f"#/trials/{trial}", f"#/runs/{run}"):
        page.go(address)
        page.wait("document.querySelector('main h1') && !document.querySelector('main > p')")
        assert page.run("document.querySelectorAll('main img, main script').length") == 0
        assert page.run("document.querySelectorAll('main [role=alert]').length") == 0
        assert page.run("document.documentElement.scrollWidth") <= 390
    assert page.run("window.ran === undefined")
    assert server.stop() == 0


def test_a_larger_sweep_has_the_details_of_its_best_trials_and_says_it(tmp_path, pages):
    server = world.start(tmp_path / "data")
    spec = world.sweep_of("many", 210, terminator={"rule": "none"})
    spec["budget"] = {"unit": "frames", "per_run": 1000, "phases": 1}
    sweep = server.submit(spec)
    worker = server.join(cpus=64)
    values = {}
    for number in range(210):
        grant = server.acquire(worker)
        server.report(grant, 0, float(number))
        values[number] = grant["attempt"].split(".")[0].replace("rn_", "tr_")
    columns = server.get(f"/v1/sweeps/{sweep}/columns?fields=number,steps,value")["columns"]
    assert columns["number"] == {"first": 0, "by": 1}
    assert columns["steps"] == {"first": 1000, "by": 0}
    assert columns["value"] == [float(number) for number in range(210)]
    done = export(server, sweep, tmp_path / "report.html")
    assert done.returncode == 0, done.stderr
    page = pages((tmp_path / "report.html").as_uri())
    page.wait("document.querySelector('[role=note]')")
    assert "200 best of 210 trials" in page.run("document.querySelector('[role=note]').innerText")
    page.go(f"#/trials/{values[209]}")
    page.wait("document.querySelector('[data-card=band] canvas[data-drawn]')")
    page.go(f"#/trials/{values[0]}")
    page.wait("document.querySelector('main [role=alert]')")
    assert "200 best of 210 trials" in page.run("document.querySelector('[role=alert]').innerText")
    page.go(f"#/sweeps/{sweep}/trials")
    page.wait("document.body.innerText.includes('210 trials')")
    assert server.stop() == 0


def test_refusals_are_one_sentence(filled, tmp_path):
    file = tmp_path / "report.html"
    file.write_text("mine", encoding="utf-8")
    done = export(filled.server, filled.ended, file)
    assert done.returncode != 0 and "exists; add --force" in done.stderr
    assert file.read_text(encoding="utf-8") == "mine"
    assert export(filled.server, filled.ended, file, "--force").returncode == 0
    assert export(filled.server, "sw_4711", tmp_path / "no.html").returncode != 0
    assert not (tmp_path / "no.html").exists()
