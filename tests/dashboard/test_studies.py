"""The page of a study: the numbers of `hone study show`, what is done, and what is in progress."""
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

import axe
import world

BIN = pathlib.Path(os.environ["HONE_BIN"])
METHODS = {
    "random": {"search": {"method": "random"}, "terminator": {"rule": "none"}},
    "tpe": {"search": {"method": "tpe"}, "terminator": {"rule": "none"}},
}


def problem_of(command):
    return {
        "scale": [0, 1],
        "objective": {"metric": "value", "goal": "maximize"},
        "command": command,
        "parameters": {"x": {"type": "float", "min": 0, "max": 1}},
        "budget": {"unit": "steps", "per_run": 1, "phases": 1},
    }


REPORT = '@hone {"report": {"step": 1, "value": ${x}}}'


def study_of(folder, gate):
    """Two problems, of which one trains once a file is there."""
    wait = ["sh", "-c", f"while [ ! -e {gate} ]; do sleep 0.05; done; echo \"$0\"", REPORT]
    document = {
        "study": "tiny", "question": "Is <b>tpe</b> better?", "seed": 3, "repetitions": 2,
        "equal": {"trials": 3}, "measure": {"seeds": 1, "levels": [0.5]}, "methods": METHODS,
        "problems": {"line": problem_of(["echo", REPORT]), "gated": problem_of(wait)},
    }
    path = folder / "study.json"
    path.write_text(json.dumps(document))
    return path


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study that is in progress: (address of its server, let it end, `hone study show`)."""
    folder = tmp_path_factory.mktemp("study")
    path, gate = study_of(folder, folder / "gate"), folder / "gate"
    words = [str(BIN / "hone"), "study", "run", str(path), "--data", "data", "--slots", "3"]
    process = subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE, text=True)
    address = None
    said = []
    for line in process.stderr:
        said.append(line)
        found = re.search(r"(http://\S+)/#/studies/tiny", line)
        if found:
            address = found[1]
            break
    assert address, "".join(said)

    def show():
        done = subprocess.run(
            [*words[:2], "show", str(path), "--data", "data", "--format", "json"],
            **{"cwd": folder, "capture_output": True, "text": True, "timeout": 300},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    yield address, gate.touch, show, process, folder / "data"
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)


def rows_of(page, label):
    found = page.wait(
        f"JSON.stringify([...document.querySelectorAll('table[aria-label={label}] tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText))).replace(/^\\[\\]$/, '')"
    )
    return json.loads(found)


def test_a_study_in_progress_and_at_its_end(study, pages):
    address, let_it_end, show, process, data = study
    page = pages(f"{address}/#/studies/tiny")
    page.wait("/[1-4] of 8/.test(document.querySelector('.facts')?.innerText)", "some are done")
    assert "running" in page.run("document.querySelector('.head').innerText")
    assert "Is <b>tpe</b> better?" in page.text()
    cells = dict((row[0], row[1:]) for row in rows_of(page, "Cells"))
    assert set(cells) == {"line", "gated"}
    assert any("1 of 2" in cell or "2 of 2" in cell for cell in cells["line"])
    assert all("0 of 2" in cell and "sw_" in cell for cell in cells["gated"])
    page.click("table[aria-label=Cells] a.small")
    page.wait("document.querySelectorAll('table[aria-label=Sweeps] tbody tr').length >= 1")
    assert page.run(
        "[...document.querySelectorAll('table[aria-label=Sweeps] tbody tr')]"
        ".every((row) => row.innerText.includes('random line'))"
    )
    page.click("table[aria-label=Sweeps] a[href='#/studies/tiny']")
    page.wait("document.querySelector('h1')?.innerText === 'tiny'")
    let_it_end()
    assert process.wait(timeout=300) == 0
    found = show()
    server = world.start(data)
    try:
        page = pages(f"http://127.0.0.1:{server.port}/#/studies/tiny")
        shown = rows_of(page, "Methods")
        assert [row[0] for row in shown] == [one["method"] for one in found["methods"]]
        for row, one in zip(shown, found["methods"]):
            assert float(row[1].split()[0]) == pytest.approx(one["iqm"], rel=1e-2)
            assert float(row[2]) == pytest.approx(one["mean_rank"], rel=1e-2)
        text = page.text()
        assert "8 of 8" in text and "complete" in text
        assert all(sentence in text for sentence in found["conclusions"])
        page.wait("document.querySelector('[data-card=anytime] canvas[data-drawn]')")
        answer = server.get("/v1/studies/tiny")
        assert {name: answer[name] for name in found} == found
        rules, _ = axe.source()
        for dark in (False, True) if rules else ():
            page = axe.opened(pages, f"http://127.0.0.1:{server.port}/#/studies/tiny", dark=dark)
            page.wait("document.querySelector('[data-card=anytime] canvas[data-drawn]')")
            assert axe.violations(page, rules) == []
    finally:
        assert server.stop() == 0


def test_a_study_that_is_not_here_is_named(filled, pages):
    page = pages(f"{filled.url}#/studies/none")
    page.wait("document.querySelector('[role=alert]')?.innerText.includes(\"no study 'none'\")")
    page.faults.clear()  # the browser logs the 404


def noted(server, name, document):
    """A sweep of a study's project with those notes, as anyone may write them."""
    sweep = server.submit(world.sweep_of("first", 1, project=f"study {name}"))
    digest = hashlib.sha256(document.encode()).hexdigest()[:12]
    parts = [document[at : at + 16_000] for at in range(0, len(document), 16_000)]
    for i, part in enumerate(parts, 1):
        said = f"The study file, as `hone study run` read it, part {i} of {len(parts)} of {digest}:"
        text = f"{said}\n\n```json\n{part}\n```\n"
        body = {"request_id": f"{name} {i}", "on": sweep, "text": text}
        server.post("/v1/notes", body)
    return server.ask("GET", f"/v1/studies/{name}")


def test_notes_that_are_no_study_or_too_large_a_one_are_refused(tmp_path):
    server = world.start(tmp_path / "data")
    study = {
        "study": "large", "seed": 3, "repetitions": 1000, "equal": {"trials": 3},
        "methods": {**METHODS, "more": METHODS["tpe"]},
        "problems": {"a": problem_of(["true"]), "b": problem_of(["true"])},
    }
    assert noted(server, "large", json.dumps(study)).status == 413
    long = {**study, "study": "long", "repetitions": 600, "question": "x" * 300}
    long["problems"] = {"a": problem_of(["true", "y" * 200_000])}
    assert noted(server, "long", json.dumps(long)).status == 413
    assert noted(server, "other", json.dumps({**study, "repetitions": 1})).status == 404
    assert noted(server, "broken", "{").status == 404
    answer = noted(server, "few", json.dumps({**study, "study": "few", "repetitions": 2}))
    assert answer.status == 200 and answer.json["outcomes"] == 0 and answer.json["expected"] == 12
    assert server.ask("GET", "/v1/studies/a%2Fb").status == 404
    assert server.stop() == 0
