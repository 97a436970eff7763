"""A sweep is cloned and edited from its page: the server's plan checks the text while it is written."""

import json
import subprocess

import pytest

import world
from test_steer import agree, dialog, events_of

FILE = "document.querySelector('textarea.file')"
PLAN = "document.querySelector('[data-card=plan]').innerText"
READY = "!document.querySelector('[data-card=file] .primary').disabled"


def write(page, change):
    """Changes the document in the editor as typing does. change: of `file`, as JavaScript."""
    page.run(
        f"(() => {{ const field = {FILE}; const file = JSON.parse(field.value); {change};"
        " field.value = JSON.stringify(file, null, 2);"
        " field.dispatchEvent(new Event('input')); })()"
    )


def submit(page):
    page.wait(READY)
    page.run("document.querySelector('[data-card=file] .primary').click()")
    page.wait("location.hash.match(/^#.sweeps.sw_\\d+$/)")
    return page.run("location.hash").split("/")[-1]


@pytest.fixture
def running(tmp_path):
    server = world.start(tmp_path / "data")
    sweep = server.submit(world.sweep_of("origin", 8))
    yield server, sweep
    assert server.stop() == 0


def test_a_clone_is_checked_as_it_is_written_and_submitted_with_its_origin(running, pages):
    server, sweep = running
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}")
    page.click("[data-verb=clone]")
    page.wait(f"document.querySelector('[data-card=plan]') && {PLAN}.includes('The file is valid')")
    # A fault names its line, and holds the button until it is repaired.
    write(page, "file.search.trials = 12; file.terminator.eviction_rate = 7")
    page.wait(f"{PLAN}.includes('eviction_rate')")
    assert not page.run(READY)
    page.run("document.querySelector('[data-card=plan] button').click()")
    chosen = page.run(f"{FILE}.value.slice({FILE}.selectionStart, {FILE}.selectionEnd)")
    assert "eviction_rate" in chosen
    page.faults.clear()  # the browser logs the refused request
    write(page, "file.terminator.eviction_rate = 0.5; file.name = 'second'")
    page.wait(f"{PLAN}.includes('search.trials')")
    other = submit(page)
    spec = server.get(f"/v1/sweeps/{other}")["spec"]
    assert (spec["name"], spec["search"]["trials"]) == ("second", 12)
    [event] = events_of(server, other, "sweep_submitted")
    assert event["forked_from"] == sweep


def test_a_clone_keeps_numbers_as_they_are_written(running, pages):
    """An untouched clone submitted 2.0 as 2, and 9007199254740993 as ...992."""
    server, _ = running
    spec = world.sweep_of("numbers", 8)
    odd = {"type": "choice", "values": [1.0, 2.5, 9007199254740993, -0.0]}
    spec["parameters"] = {**spec["parameters"], "odd": odd, "two": {"value": 2.0}}
    sweep = server.submit(spec)
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/clone")
    page.wait(f"document.querySelector('[data-card=plan]') && {PLAN}.includes('The file is valid')")
    assert "Changed" not in page.run(PLAN)
    other = submit(page)

    def parameters(one):
        return json.dumps(server.get(f"/v1/sweeps/{one}")["spec"]["parameters"])

    assert parameters(other) == parameters(sweep)
    assert "9007199254740993" in parameters(sweep) and "2.0" in parameters(sweep)


def test_a_text_that_is_no_json_and_a_draft_survive_a_reload(running, pages):
    server, sweep = running
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/clone")
    page.wait(f"document.querySelector('[data-card=plan]') && {PLAN}.includes('The file is valid')")
    page.run(f"{FILE}.value = '{{\\n  \"name\": oops'")
    page.run(f"{FILE}.dispatchEvent(new Event('input'))")
    page.wait(f"{PLAN}.includes('Line 2')")
    page.run("location.reload()")
    page.wait(f"document.querySelector('textarea.file') && {FILE}.value.includes('oops')")


def test_the_plan_of_the_page_is_that_of_the_command(running, pages, tmp_path):
    server, sweep = running
    spec = server.get(f"/v1/sweeps/{sweep}")["spec"] | {"confirm": {"top": 2, "seeds": 3}}
    file = tmp_path / "sweep.json"
    file.write_text(json.dumps(spec))
    address = f"http://127.0.0.1:{server.port}"
    command = [world.e2e.program("hone"), "plan", "--format", "json", str(file)]
    command += ["--server", address]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    printed = json.loads(done.stdout)["plan"]
    answer = server.post("/v1/plan", spec)
    assert answer["plan"] == {name: printed[name] for name in answer["plan"]}
    assert answer["plan"]["confirm"]["runs"] == 6


def test_an_edit_changes_what_a_running_sweep_can_change(running, pages):
    server, sweep = running
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/edit")
    unchanged = f"{PLAN}.includes('Nothing is changed')"
    page.wait(f"document.querySelector('[data-card=plan]') && {unchanged}")
    assert not page.run(READY)
    write(page, "file.search.method = 'tpe'")
    page.wait(f"{PLAN}.includes('A sweep keeps search.method')")
    write(
        page,
        "file.search.method = 'random'; file.search.trials = 20; file.share = 3;"
        " file.parameters.t_max.max = 200; file.parameters.optimizer.values.push('lion')",
    )
    page.wait(f"{PLAN}.includes('parameters.t_max.max')")
    assert submit(page) == sweep
    spec = server.get(f"/v1/sweeps/{sweep}")["spec"]
    assert (spec["search"]["trials"], spec["share"]) == (20, 3)
    assert spec["parameters"]["t_max"]["max"] == 200
    assert spec["parameters"]["optimizer"]["values"] == ["adam", "rmsprop", "sgd", "lion"]


def test_an_ended_sweep_is_archived_and_taken_back(running, pages):
    server, sweep = running
    server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "cancel"})
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}")
    dialog(page, "Archive", "leaves it out")
    agree(page)
    assert server.get("/v1/sweeps")["items"] == []
    dialog(page, "Archive", "shows it again")
    agree(page)
    assert [one["id"] for one in server.get("/v1/sweeps")["items"]] == [sweep]
