"""Cost: hone best --by cost, over a real server."""
import json

from commands import hone as command, ok
from conftest import sweep_spec


def asked_spec():
    return sweep_spec(command=None, budget=None, trainer={"name": "ask"},
                      search={"method": "random", "trials": 5})


def test_best_by_cost_shows_what_each_time_buys(server):
    sweep = server.submit(asked_spec())
    for value, seconds in ((3, 7200), (1, 60), (2, 600), (1.5, 900)):
        trial = ok("ask", sweep, "--format", "value", server=server).strip()
        ok("tell", trial, str(value), "--seconds", str(seconds), server=server)
    shown = command("best", sweep, "--by", "cost", server=server)
    lines = shown.stdout.splitlines()
    assert lines[0].split()[:3] == ["cost", "trial", "value"], lines
    assert [line.split("tr_")[1].split()[:2] for line in lines[1:]] == [
        ["2", "1"], ["3", "2"], ["1", "3"]], lines
    assert all(len(line) <= 80 for line in lines), lines
    assert "better than all trials that took no longer" in " ".join(shown.stderr.split())
    items = json.loads(ok("best", sweep, "--within", "30m", "--format", "json", server=server))
    assert [(item["id"], item["seconds"]) for item in items] == [("tr_2", 60.0), ("tr_3", 600.0)]
    assert ok("best", sweep, "--within", "2h", "-n", "1", "--format", "value", "--columns",
              "trial", server=server) == "tr_1\n"
    for form, mark in (("md", "| cost |"), ("latex", "tabular"), ("csv", "cost,trial,value")):
        assert mark in ok("best", sweep, "--by", "cost", "--format", form, server=server)
    assert ok("find", "trial where seconds > 600", "--format", "value", "--columns", "id",
              server=server).split() == ["tr_4", "tr_1"]


def test_best_by_cost_reports_trials_without_a_cost(server):
    sweep = server.submit(asked_spec())
    trial = ok("ask", sweep, "--format", "value", server=server).strip()
    ok("tell", trial, "1", server=server)
    empty = command("best", sweep, "--by", "cost", server=server)
    assert "are not known" in empty.stdout + empty.stderr
    for words, reason in ((("--by", "price"), "write cost"), (("--within", "soon"), "no duration"),
                          (("--by", "cost", "--pareto"), "excludes")):
        refused = command("best", sweep, *words, server=server)
        assert refused.returncode == 2 and reason in refused.stderr, refused.stderr
