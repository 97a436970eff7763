"""The main use with the real trainer: `hone up`, a sweep over GA3C on CartPole-v1, the best model and
its lineage."""
import json
import os
import signal

from commands import Up, ok
from conftest import ROOT, program

EXAMPLE = str(ROOT / "sdk" / "examples" / "ga3c-cartpole.yaml")
COMMAND = str(ROOT / "sdk" / "examples" / "any-command.yaml")


def table(text):
    return [json.loads(line) for line in text.splitlines()]


def submit(up, *words):
    return ok("submit", "-q", *words, server=up, cwd=ROOT).strip()


def test_the_best_model_of_a_sweep_solves_cartpole_and_is_traced_to_its_sweep(tmp_path):
    program("hone-train")
    up = Up(tmp_path / "data", "--slots", "2", cwd=ROOT)
    sweep = submit(up, EXAMPLE, "--set", "search.trials=8")
    ok("watch", sweep, server=up, timeout=300)

    best = table(ok("best", sweep, "-n", "1", "--format", "jsonl", server=up))[0]
    assert best["value"] >= 475
    runs = table(ok("runs", sweep, "--format", "jsonl", server=up))
    assert len(runs) == 8
    assert {run["state"] for run in runs} <= {"completed", "stopped"}, runs

    file = str(tmp_path / "best.pt")
    ok("fetch", best["model"], "-o", file, server=up)
    score = json.loads(ok("train", "ga3c", "--env", "CartPole-v1", "--evaluate", file, "--episodes",
                          "100",
                          "--format", "json"))
    assert score["mean"] >= 475, score

    graph = json.loads(ok("lineage", best["model"], "--up", "--format", "json", server=up))
    kinds = {node["kind"]: node for node in graph["nodes"]}
    assert {"model", "run", "trial", "sweep", "workflow", "dataset"} <= set(kinds)
    assert kinds["sweep"]["id"] == sweep
    assert kinds["dataset"]["facts"]["name"] == "CartPole-v1"

    stopped = [run["id"] for run in runs if run["state"] == "stopped"]
    for run in stopped[:1]:
        explanation = json.loads(ok("explain", run, "--format", "json", server=up))
        assert all(verdict["recomputed"] == verdict["verdict"]
                   for verdict in explanation["verdicts"])
        assert "HyperTrick" in explanation["text"]
    assert up.stop()[0] == 0


def test_the_same_seed_proposes_the_same_parameters_whatever_the_number_of_workers(tmp_path):
    proposals = []
    for slots, workers in ((1, 1), (2, 1), (4, 2)):
        up = Up(tmp_path / f"data-{slots}", "--slots", str(slots), "--workers", str(workers),
                cwd=ROOT)
        sweep = submit(up, COMMAND, "--set", "search.trials=32")
        ok("watch", sweep, server=up, timeout=120)
        proposals.append([trial["params"] for trial in table(ok("trials", sweep, "--format",
                                                                "jsonl", server=up))])
        assert up.stop()[0] == 0
    assert len(proposals[0]) == 32
    assert proposals[0] == proposals[1] == proposals[2]


def test_a_sweep_goes_on_after_its_server_was_killed(tmp_path):
    program("hone-train")
    data = tmp_path / "data"
    up = Up(data, "--slots", "2", cwd=ROOT)
    sweep = submit(up, EXAMPLE, "--set", "search.trials=6", "--set", "budget.per_run=600k")
    followed = ok("events", sweep, "--format", "jsonl", server=up)
    while followed.count('"report_recorded"') < 3:  # each look is a round trip to the server
        followed = ok("events", sweep, "--format", "jsonl", server=up)
    server_pid = next(pid for pid, words in up.children().items() if "hone-server" in str(words))
    acknowledged = {(e["run"], e["phase"]): e["value"] for e in table(followed)
                    if e["kind"] == "report_recorded"}
    os.kill(server_pid, signal.SIGKILL)
    up.process.communicate(timeout=60)
    assert up.process.returncode == 1

    up = Up(data, "--slots", "2", cwd=ROOT)
    ok("watch", sweep, server=up, timeout=300)
    events = table(ok("events", sweep, "--format", "jsonl", server=up))
    reports = [(e["run"], e["phase"]) for e in events if e["kind"] == "report_recorded"]
    assert len(reports) == len(set(reports))
    values = {(e["run"], e["phase"]): e["value"] for e in events if e["kind"] == "report_recorded"}
    assert acknowledged.items() <= values.items()
    runs = table(ok("runs", sweep, "--format", "jsonl", server=up))
    assert len(runs) == 6
    assert all(run["state"] in ("completed", "stopped") for run in runs), runs
    assert up.stop()[0] == 0
