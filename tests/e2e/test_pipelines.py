"""Pipelines: every run executes steps, each with its resources, with the files of earlier ones.

docs/pipelines.md states what is tested here. HONE_PIPELINE_KILLS is the number of kills of the
last test.
"""
import contextlib
import hashlib
import json
import os
import random
import sqlite3
import sys
import time

import pytest

from commands import ok
from conftest import ROOT, Server, problem, sweep_spec
from test_worker import Worker, wait_for

# Reads every file that it got, writes another, and keeps a journal that all attempts share. A file
# GATE-STEP holds the step until it is removed; FAIL-STEP makes its first attempts fail.
PROGRAM = r'''
import hashlib, json, os, pathlib, sys, time
shared, reports = pathlib.Path(sys.argv[1]), json.loads(sys.argv[2])
run = json.load(open(os.environ["HONE_RUN_FILE"]))
own, name = pathlib.Path(os.environ["HONE_FOLDER"]), run["step"]["name"]
sha = lambda path: hashlib.sha256(path.read_bytes()).hexdigest()

def journal(what, **more):
    line = {"what": what, "run": run["run"], "attempt": run["attempt"], "step": name,
            "device": os.environ["CUDA_VISIBLE_DEVICES"], "worker": os.getcwd(), **more}
    with open(shared / "journal", "a") as file:
        file.write(json.dumps(line) + "\n")

got = {str(path.relative_to(own)): sha(path) for path in sorted(own.glob("*/*"))}
journal("start", got=got, index=run["step"]["index"], count=run["step"]["count"],
        cpus=os.environ["OMP_NUM_THREADS"])
while (shared / ("GATE-" + name)).exists():
    time.sleep(0.01)
fail = shared / ("FAIL-" + name)
if fail.exists() and run["attempt"] <= int(fail.read_text()):
    (own / "out").write_text("of an attempt that failed")
    sys.exit(3)
for report in reports.get(name, []):
    print("@hone", json.dumps({"report": report}), flush=True)
time.sleep(float(reports.get("seconds", 0)))
(own / "out").write_bytes(os.urandom(32))
(own / "not_kept").write_text("x")
journal("end", out=sha(own / "out"))
'''

STEPS = ("prepare", "train", "evaluate")
REPORTS = {"train": [{"step": 25, "value": 3}, {"step": 50, "value": 2}],
           "evaluate": [{"step": 0, "value": 1}]}


class Place:
    """A folder, a server, and workers that are ended with the test."""

    def __init__(self, folder):
        self.folder, self.workers = folder, {}
        (folder / "shared").mkdir()
        (folder / "program.py").write_text(PROGRAM)
        self.server = Server(folder / "data", "--lease", "5").start()

    def worker(self, name, *extra, slots=2):
        work = self.folder / f"work-{name}"
        work.mkdir(exist_ok=True)
        self.workers[name] = Worker(self.server, self.folder / name, "--workdir", str(work), *extra,
                                    slots=slots)
        return self.workers[name]

    def spec(self, reports=None, trials=1, steps=None, **changes):
        reports = REPORTS if reports is None else reports
        run = [sys.executable, str(self.folder / "program.py"), str(self.folder / "shared"),
               json.dumps(reports)]
        own = steps or {}
        listed = [{"name": name, "command": {"run": run, "artifacts": ["out"]}, **own.get(name, {})}
                  for name in STEPS]
        spec = sweep_spec(objective={"metric": "error", "goal": "minimize"},
                          search={"method": "random", "trials": trials},
                          budget={"unit": "epochs", "per_run": 75, "phases": 3}, **changes)
        del spec["command"]
        return {**spec, "steps": listed}

    def submit(self, **changes):
        return self.server.submit(self.spec(**changes))

    def state(self, sweep):
        return self.server.get(f"/v1/sweeps/{sweep}")["state"]

    def end(self, sweep, seconds=90):
        wait_for(lambda: self.state(sweep) not in ("running", "stopping"), seconds=seconds)
        return self.state(sweep)

    def run(self, run="rn_1.0"):
        return self.server.get(f"/v1/runs/{run}")

    def attempts(self, run="rn_1.0"):
        return self.server.get(f"/v1/runs/{run}/attempts")["items"]

    def files(self, run="rn_1.0"):
        items = self.server.get(f"/v1/runs/{run}/artifacts")["items"]
        return {item["name"]: item["sha256"] for item in items}

    def journal(self, what=None, step=None):
        with contextlib.suppress(FileNotFoundError):
            lines = (self.folder / "shared" / "journal").read_text().splitlines()
            entries = [json.loads(line) for line in lines]
            return [entry for entry in entries
                    if what in (None, entry["what"]) and step in (None, entry["step"])]
        return []

    def gate(self, step):
        (self.folder / "shared" / f"GATE-{step}").touch()

    def open(self, step):
        (self.folder / "shared" / f"GATE-{step}").unlink()

    def fail(self, step, attempts):
        (self.folder / "shared" / f"FAIL-{step}").write_text(str(attempts))

    def started(self, step):
        return wait_for(lambda: self.journal("start", step))

    def close(self):
        for worker in self.workers.values():
            if worker.process is not None:
                worker.kill()
        if self.server.process is not None:
            self.server.kill()


@pytest.fixture
def place(tmp_path):
    one = Place(tmp_path)
    yield one
    one.close()


def test_steps_run_in_order_with_their_files_on_workers_that_have_their_resources(place):
    place.worker("plain", "--gpus", "0").ready()
    place.worker("gpu", "--gpus", "1", slots=2)
    wait_for(lambda: len(place.server.get("/v1/workers")["items"]) == 2)
    sweep = place.submit(trials=3, steps={"train": {"resources": {"cpus": 2, "gpus": 1}},
                                          "evaluate": {"needs": ["train"]}})
    assert place.end(sweep) == "completed"
    for number in (1, 2, 3):
        run = f"rn_{number}.0"
        mine = [entry for entry in place.journal() if entry["run"] == run]
        assert [(entry["what"], entry["step"]) for entry in mine] == \
            [(what, step) for step in STEPS for what in ("start", "end")]
        prepare, train, evaluate = (entry for entry in mine if entry["what"] == "start")
        outs = {entry["step"]: entry["out"] for entry in mine if entry["what"] == "end"}
        assert prepare["got"] == {} and (prepare["index"], prepare["count"]) == (0, 3)
        assert train["got"] == {"prepare/out": outs["prepare"]}
        assert evaluate["got"] == {"train/out": outs["train"]}
        assert (train["device"], train["cpus"]) == ("0", "2") and prepare["device"] == ""
        assert train["worker"].endswith("work-gpu")
        # The last report ends the run; the files of its step follow when the program has ended.
        wait_for(lambda: place.files(run) == {f"{step}/out": outs[step] for step in STEPS})
        shown = place.run(run)
        assert (shown["state"], shown["value"], shown["phase"]) == ("completed", 1, 3)
        assert [(one["step"], one["finished"]) for one in place.attempts(run)] == \
            [(step, True) for step in STEPS]
    curve = place.server.get("/v1/runs/rn_1.0/curve")["items"]
    assert [(point["step"], point["value"]) for point in curve] == [(25, 3), (50, 2), (50, 1)]


def test_a_step_has_its_place_in_show_find_lineage_and_fetch(place):
    place.worker("one").ready()
    sweep = place.submit()
    assert place.end(sweep) == "completed"
    shown = ok("show", "rn_1.0", server=place.server)
    assert "train/out" in shown and "prepare" in shown
    assert "prepare: " in ok("show", sweep, server=place.server)
    assert "train, finished" in ok("show", "rn_1.0#2", server=place.server)
    found = json.loads(ok("find", "attempt where step = train and finished", "--format", "json",
                          server=place.server))
    assert [one["id"] for one in found] == ["rn_1.0#2"]
    lineage = ok("lineage", "rn_1.0#3", "--up", server=place.server)
    assert "got files of" in lineage and "rn_1.0#1" in lineage and "rn_1.0#2" in lineage
    ok("fetch", "rn_1.0", "train/out", "-o", f"{place.folder}/fetched/", server=place.server)
    fetched = next((place.folder / "fetched").rglob("out")).read_bytes()
    assert hashlib.sha256(fetched).hexdigest() == place.files()["train/out"]
    assert ok("replay", sweep, server=place.server)


def test_a_failed_step_is_tried_again_from_its_own_start(place):
    place.worker("one").ready()
    place.fail("train", attempts=2)  # the first attempt of the run is that of prepare
    sweep = place.submit(steps={"train": {"retries": 1}})
    assert place.end(sweep) == "completed"
    assert [(one["step"], one["end_reason"], one["finished"]) for one in place.attempts()] == \
        [("prepare", "none", True), ("train", "exit_code", False), ("train", "none", True),
         ("evaluate", "budget_reached", True)]
    (prepared,) = place.journal("end", "prepare")
    last = place.journal("start", "evaluate")[-1]
    (trained,) = place.journal("end", "train")
    assert last["got"] == {"prepare/out": prepared["out"], "train/out": trained["out"]}


def test_a_step_without_retries_fails_its_run(place):
    place.worker("one").ready()
    place.fail("train", attempts=9)
    assert place.end(place.submit()) == "failed"
    run = place.run()
    assert (run["state"], run["reason"], run["exit_code"]) == ("failed", "exit_code", 3)
    assert not place.journal("start", "evaluate")


def test_a_verdict_or_a_cancel_in_the_middle_ends_the_pipeline(place):
    place.worker("one").ready()
    stopped = place.submit(reports={"train": [{"step": 25, "value": "diverged"}]})
    assert place.end(stopped) in ("completed", "failed")
    assert place.run()["reason"] == "diverged"
    place.gate("train")
    canceled = place.submit()
    wait_for(lambda: len(place.journal("start", "train")) == 2)
    ok("cancel", canceled, server=place.server)
    assert place.end(canceled) == "canceled"
    assert place.run("rn_2.0")["state"] == "canceled"
    assert not place.journal("start", "evaluate")


def test_all_phases_reported_before_the_last_step_leave_the_rest_to_run(place):
    place.worker("one").ready()
    sweep = place.submit(reports={"prepare": [{"step": 75, "value": 7, "phase": phase}
                                              for phase in range(3)]})
    assert place.end(sweep) == "completed"
    run = place.run()
    assert (run["state"], run["reason"], run["value"]) == ("completed", "budget_reached", 7)
    point = place.server.get("/v1/runs/rn_1.0/curve")["items"][-1]
    assert (point["verdict"], point["reason"]) == ("continue", "step_follows")
    assert len(place.journal("end", "evaluate")) == 1
    nothing = place.submit(reports={})
    assert place.end(nothing) == "failed" and place.run("rn_2.0")["reason"] == "no_report"


def test_another_worker_continues_after_the_finished_steps(place):
    place.worker("first").ready()
    place.gate("train")
    sweep = place.submit()
    place.started("train")
    place.workers["first"].kill()
    place.server.kill()
    place.server.start(place.server.port)
    place.worker("second").ready()
    place.open("train")
    assert place.end(sweep) == "completed"
    assert [one["step"] for one in place.attempts()] == ["prepare", "train", "train", "evaluate"]
    (prepared,) = place.journal("end", "prepare")
    assert prepared["worker"].endswith("work-first")
    assert place.journal("start", "train")[-1]["worker"].endswith("work-second")
    assert place.journal("start", "train")[-1]["got"] == {"prepare/out": prepared["out"]}


def test_a_waiting_step_is_not_starved_by_new_trials(place):
    """Two slots, a step that needs both, and many trials whose first step needs one."""
    place.worker("one").ready()
    sweep = place.submit(trials=6, steps={"train": {"resources": {"cpus": 2}}})
    assert place.end(sweep) == "completed"
    starts = [entry for entry in place.journal("start") if entry["step"] in ("prepare", "train")]
    ahead = 0
    for entry in starts:
        ahead += 1 if entry["step"] == "prepare" else -1
        assert ahead <= 2, starts


def test_a_step_that_no_worker_can_run_is_named(place):
    place.worker("one").ready()
    sweep = place.submit(steps={"train": {"resources": {"gpus": 1}}})
    says = "step 'train' needs 1 slot and 1 GPU"
    wait_for(lambda: says in " ".join(ok("show", sweep, server=place.server).split()))
    place.server.post(f"/v1/sweeps/{sweep}/steer", {"verb": "cancel"})


@pytest.mark.parametrize("change, at, words", [
    ({"train": {"needs": ["evaluate"]}}, "/steps/1/needs/0", ("no earlier step",)),
    ({"train": {"needs": ["prepar"]}}, "/steps/1/needs/0", ("did you mean",)),
    ({"train": {"name": "prepare"}}, "/steps/1/name", ("twice",)),
    ({"train": {"name": "a/b"}}, "/steps/1/name", ("folder",)),
    ({"train": {"retries": -1}}, "/steps/1/retries", ()),
    ({"train": {"command": ["x", "${nothing}"]}}, "/steps/1/command/1", ("parameter",)),
])
def test_bad_steps_are_rejected_with_their_place(server, tmp_path, change, at, words):
    listed = [{"name": name, "command": ["true"], **change.get(name, {})} for name in STEPS]
    spec = sweep_spec(parameters={"x": {"type": "fixed", "value": 1}})
    del spec["command"]
    answer = server.ask("POST", "/v1/sweeps",
                        {"request_id": "r", "spec": {**spec, "steps": listed}})
    problem(answer, 400, "invalid", at=f"/spec{at}", words=words)


def test_the_example_runs_from_the_repository(place):
    place.workers["example"] = Worker(place.server, place.folder / "example", "--workdir",
                                      str(ROOT))
    place.workers["example"].ready()
    sweep = ok("submit", str(ROOT / "sdk" / "examples" / "pipeline.yaml"), "-q",
               server=place.server).split()[0]
    assert place.end(sweep) == "completed"
    best = ok("best", sweep, "--format", "csv", "--limit", "1", server=place.server).splitlines()
    header, row = (line.split(",") for line in best[:2])
    assert float(row[header.index("value")]) < 0.5


def events_of(place):
    with contextlib.closing(sqlite3.connect(f"file:{place.folder}/data/hone.db?mode=ro",
                                            uri=True)) as db:
        return [(kind, json.loads(body))
                for kind, body in db.execute("SELECT kind, body FROM event ORDER BY seq")]


def check_every_step(place, trials):
    """Every step of every run finished once, in order, with the files that its last attempt left."""
    ends = {(one["run"], one["step"], one["attempt"]): one["out"] for one in place.journal("end")}
    leases, finished, files = {}, {}, {}
    for kind, body in events_of(place):
        if kind == "lease_granted":
            run, attempt = body["attempt"].split("#")
            step = body.get("step", 0)
            assert finished.get(run, 0) == step, ("a step out of order", body)
            leases[body["lease"]] = (run, STEPS[step], int(attempt))
        if kind == "step_finished":
            run, step, attempt = leases[body["lease"]]
            (kept,) = body["files"]
            assert kept["name"] == f"{step}/out"
            assert kept["sha256"] == ends[run, step, attempt], "another attempt's file"
            files[run, kept["name"]] = kept["sha256"]
            finished[run] = finished.get(run, 0) + 1
        if kind == "run_ended":
            assert body["state"] == "completed" and finished[body["run"]] == 2, body
    assert sorted(finished) == sorted(f"rn_{number}.0" for number in range(1, trials + 1))
    for start in place.journal("start"):
        for name, sha in start["got"].items():
            assert files[start["run"], name] == sha, ("inconsistent files", start)


def test_every_step_is_accounted_for_after_kills_at_random_instants(place):
    kills = int(os.environ.get("HONE_PIPELINE_KILLS", "3"))
    chance = random.Random(int(os.environ.get("HONE_PIPELINE_SEED", "1")))
    names = ("first", "second")
    for name in names:
        place.worker(name).ready()
    trials = 4 + 3 * kills
    sweep = place.submit(reports={**REPORTS, "seconds": 0.3}, trials=trials,
                         limits={"max_retries": 1000})
    for _ in range(kills):
        time.sleep(chance.uniform(0.1, 2.0))  # the instant is what is drawn
        victim = chance.choice((*names, "server"))
        if victim == "server":
            place.server.kill()
            time.sleep(chance.uniform(0, 0.5))
            place.server.start(place.server.port)
        else:
            place.workers[victim].kill()
            time.sleep(chance.uniform(0, 0.5))
            place.worker(victim)
    assert place.end(sweep, seconds=120 + 30 * kills) == "completed"
    check_every_step(place, trials)
    place.server.stop()
    ok("db", "check", "--data", str(place.server.folder))  # the tables are what the events say
