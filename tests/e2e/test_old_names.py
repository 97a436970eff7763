"""Old names of commands: each behaves as the command or the form that replaced it."""
import json
import re

import pytest

from commands import hone
from conftest import ROOT, sweep_spec

TABLE = (ROOT / "sdk/cli/app/command_table.cpp").read_text()
ROWS = re.findall(r'^    \{("[a-z -]+",\s.*?)\},$', TABLE, re.M | re.S)
OLD = {old[1]: re.match('"([a-z -]+)"', row)[1]
       for row in ROWS if (old := re.search(r'"",\s+"([a-z]+)"$', row))}

# Old name -> arguments. Those that change something do so twice to the same state, or are refused.
ARGUMENTS = {
    "trials": ["sw_1", "--sort", "value"], "runs": ["tr_1", "--format", "csv"], "models": ["sw_1"],
    "diff": ["tr_1", "tr_2", "--all"], "schedule": ["rn_1.0"], "forecast": ["sw_1"],
    "replay": ["sw_1"], "advise": ["sweep.json"], "upgrade": ["--check", "--columns", "what"],
    "note": ["tr_1"], "tag": ["tr_1", "kept"], "pin": ["tr_1", "--undo"], "archive": ["sw_2"],
    "resubmit": ["tr_999"], "picker": ["sw_1", "--", "true"], "cancel": ["sw_1"], "kill": ["tr_1"],
    "allow": ["wk_1"],
}


@pytest.fixture(scope="module")
def recorded(shared_server):
    """A server with a completed sweep, sw_1, and an ended one, sw_2."""
    for _ in range(2):
        sweep = shared_server.submit(sweep_spec(search={"method": "random", "trials": 2},
                                                budget={"unit": "frames", "per_run": 1000,
                                                        "phases": 1}))
        worker = shared_server.join()
        for trial in range(2):
            grant = shared_server.acquire(worker)
            shared_server.report(grant, 0, 1.0 + trial)
            shared_server.end(grant, "budget_reached")
        assert shared_server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"
    return shared_server


def test_every_row_with_an_old_name_is_driven():
    assert len(ROWS) > 50 and set(OLD) == set(ARGUMENTS), set(OLD) ^ set(ARGUMENTS)


@pytest.mark.parametrize("old", sorted(ARGUMENTS))
def test_an_old_name_prints_what_the_new_form_prints(recorded, tmp_path, old):
    (tmp_path / "sweep.json").write_text(json.dumps(sweep_spec()))
    once = [hone(*words, *ARGUMENTS[old], server=recorded, cwd=tmp_path)
            for words in (OLD[old].split(), [old], OLD[old].split())]
    first, renamed, last = [(one.returncode, one.stdout, one.stderr) for one in once]
    assert renamed in (first, last), once
    assert renamed[1] or renamed[2]


def test_the_help_of_an_old_name_is_that_of_the_new_form():
    for old, new in OLD.items():
        text = hone(old, "--help").stdout
        assert text == hone(*new.split(), "--help").stdout
        assert text.startswith(f"hone {new}: "), text
