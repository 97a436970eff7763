"""docs/moving.md and docs/ten_minutes.md: every file is written and every command executed, in
order, in one folder."""
import ast
import re

import pytest

from commands import ok
from pages import Page
from test_python_libraries import python_with

ZOO = "From Stable-Baselines3's zoo"


def test_every_block_of_the_page_on_moving_runs(tmp_path):
    with Page("moving.md", tmp_path, sections=lambda title: title != ZOO) as page:
        assert len(page.printed) == 6
        assert [sweep["state"] for sweep in page.ask("ls")] == ["completed"] * 3
    assert (page.folder / "history.svg").read_text().startswith("<svg")


def test_the_page_on_moving_trains_with_the_zoo(tmp_path):
    python = python_with("rl_zoo3")
    with Page("moving.md", tmp_path, python, lambda title: title == ZOO) as page:
        runs = page.ask("runs")
        assert len(runs) == 4 and all(run["value"] > 0 for run in runs), runs
        assert {run["state"] for run in runs} <= {"completed", "stopped"}, runs


@pytest.fixture(scope="module", name="ten")
def fixture_ten(tmp_path_factory):
    with Page("ten_minutes.md", tmp_path_factory.mktemp("ten")) as page:
        yield page


def test_every_block_of_your_script_in_ten_minutes_runs(ten):
    assert len(ten.printed) == 16
    assert [sweep["state"] for sweep in ten.ask("ls")] == ["completed"] * 3
    assert all(run["state"] != "failed" for sweep in ten.ask("ls")
               for run in ten.ask("runs", sweep["id"]))


def test_a_script_gets_its_flags_lists_and_ints_in_a_folder_of_its_own(ten):
    """A derived int arrived as 16.0, and a list or an on/off flag needed a wrapper."""
    trial = re.search(r"\btr_\d+", ten.printed["hone show $BEST"])[0]
    params = ten.ask("show", trial)["params"]
    parsed = ast.literal_eval(ten.printed["cat best/summary.txt"])
    assert parsed["hidden_sizes"] == params["sizes"]
    assert parsed["minibatch"] * 4 == parsed["batch_size"] == params["batch"]
    assert parsed["layer_norm"] is params["layer_norm"]


def test_a_sweep_runs_in_the_virtual_environment_that_submitted_it(ten):
    """All runs failed: the Python was that of the shell in which hone was started."""
    line = re.search(r"^command\n +(\S+)", ten.printed["hone show $BEST"], re.MULTILINE)[1]
    assert line == str(ten.folder / "env" / "bin" / "python3")


def test_a_script_that_was_paused_continues_from_its_checkpoint(ten):
    runs = ten.ask("runs", "sw_3")
    continued = [run for run in runs if run["attempts"] > 1]
    assert continued, runs
    for run in continued:
        log = ok("logs", f"{run['id']}#2", server=ten.up)
        assert int(re.search(r"^epoch (\d+)", log, re.MULTILINE)[1]) > 1, log
