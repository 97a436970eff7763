"""Cost: hone best --by cost, and search: {cost: seconds}, over a real server."""
import json
import time

from commands import hone as command, ok
from conftest import sweep_spec
from python_client import client, data, hone  # noqa: F401


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


def test_a_search_weighs_the_seconds_that_its_trials_took(client):
    sweep = hone.Sweep({"width": hone.Float(1, 100, log=True), "lr": hone.Float(0, 1)}, "loss",
                       goal="minimize", search={"method": "tpe", "startup": 5, "cost": "seconds"},
                       trials=12, client=client)

    def train(run):  # busy for up to 20 ms
        until = time.monotonic() + run.params["width"] / 5000
        while time.monotonic() < until:
            pass
        return (run.params["lr"] - 0.3) ** 2 + 1 / run.params["width"]

    sweep.run(train)
    rows = list(client.trials(sweep.id, sort="number"))
    assert all(row["seconds"] >= row["params"]["width"] / 5000 for row in rows), rows
    weighed = [row["expected_seconds"] is not None for row in rows]
    assert weighed == [False] * 4 + [True] * 8  # once four are measured
    assert all(0 <= row["cost_weight"] <= 1 for row in rows[4:])
    text = client.explain(rows[-1]["id"])["text"]
    assert "Its search expected" in text and "to the power -" in text, text
    assert client.get(f"/v1/sweeps/{sweep.id}/replay")["same"] is True
    exported = client.get(f"/v1/sweeps/{sweep.id}/export")
    assert any("cost" in event["body"] for event in exported["events"]
               if event["kind"] == "trial_proposed")


def test_cost_is_refused_where_the_method_does_not_weigh_it(tmp_path):
    spec = {"objective": {"metric": "loss"}, "trainer": {"name": "ask"},
            "parameters": {"lr": {"type": "float", "min": 0, "max": 1}}}
    for search, reason in (({"method": "sobol", "cost": "seconds"}, "has no setting 'cost'"),
                           ({"method": "hone", "cost": "money"}, "must be seconds")):
        file = tmp_path / "sweep.json"
        file.write_text(json.dumps({**spec, "search": {**search, "trials": 4}}))
        refused = command("plan", str(file))
        assert refused.returncode == 2 and reason in refused.stderr, refused.stderr
    file.write_text(json.dumps({**spec, "search": {"cost": "seconds", "trials": 4}}))
    ok("plan", str(file))
