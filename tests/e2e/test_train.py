"""hone-train alone: after kill -9 a training resumes from its file and ends with the same bytes."""
import json
import os
import pathlib
import random
import signal
import subprocess
import urllib.request

import pytest

from conftest import ROOT, program
from commands import Up, ok

RUNS = int(os.environ.get("HONE_QUICK_RUNS", "60"))  # HONE_QUICK_RUNS=10000 for the long version


def train(*words, check=True, **more):
    done = subprocess.run([program("hone-train"), *words, "--format", "json"], capture_output=True,
                          text=True,
                          timeout=300, **more)
    if check:
        assert done.returncode == 0, done.stderr
    return done


def interrupted(path, words, moment):
    """The model of a training that is killed when its file has been replaced for the moment-th
    time, and then resumes."""
    process = subprocess.Popen([program("hone-train"), *words, "--out", str(path)],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    seen, inode = 0, None
    while seen < moment and process.poll() is None:
        try:
            now = path.stat().st_mtime_ns
        except FileNotFoundError:
            continue
        seen, inode = seen + (now != inode), now
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it was over before it could be killed"
    train(*words, "--resume", str(path), "--out", str(path))
    return path.read_bytes()


@pytest.mark.parametrize("words", [
    ("ga3c", "--set", "deterministic=yes"),
    ("ga3c", "--set", "deterministic=yes", "--set", "optimizer=adam", "--set", "entropy_end=0"),
    ("ga3c", "--env", "Acrobot-v1", "--set", "deterministic=yes", "--set", "layers=2"),
    ("a2c",),
    ("a3c",),
], ids=lambda words: " ".join(words))
def test_a_killed_training_goes_on_to_the_same_weights(tmp_path, words):
    words = (*words, "--frames", "2M", "--seed", "3", "--save-every", "50k")
    whole = tmp_path / "whole"
    train(*words, "--out", str(whole))
    rng = random.Random(str(words))
    assert interrupted(tmp_path / "killed", words, rng.randint(1, 12)) == whole.read_bytes()


def model_of(folder, kill_after):
    """The last model of a sweep's only run; its process is killed once `kill_after` phases are
    reported."""
    up = Up(folder, "--slots", "1", cwd=ROOT)
    spec = {"name": "one", "seed": 5, "objective": {"metric": "return"},
            "trainer": {"name": "ga3c", "deterministic": "yes"},
            "parameters": {"learning_rate": {"type": "float", "min": 1e-3, "max": 3e-3}},
            "search": {"method": "random", "trials": 1}, "terminator": {"rule": "none"},
            "budget": {"unit": "frames", "per_run": "12M", "phases": 24}}
    path = folder.with_suffix(".json")
    path.write_text(json.dumps(spec))
    sweep = ok("submit", "-q", str(path), server=up).strip()
    if kill_after is not None:
        while ok("events", sweep, "--format", "jsonl",
                 server=up).count('"report_recorded"') < kill_after:
            pass  # each look is a round trip to the server
        os.kill(up.wait_for("hone-train"), signal.SIGKILL)
    ok("watch", sweep, server=up, timeout=300)
    run = json.loads(ok("runs", sweep, "--format", "jsonl", server=up).splitlines()[0])
    assert run["state"] == "completed", run
    assert run["attempts"] == (1 if kill_after is None else 2), run
    best = json.loads(ok("best", sweep, "-n", "1", "--format", "jsonl", server=up).splitlines()[0])
    file = folder.with_suffix(".model")
    ok("fetch", best["model"], "-o", str(file), server=up)
    assert up.stop()[0] == 0
    return file.read_bytes()


def test_a_run_whose_process_was_killed_ends_with_the_model_of_one_that_was_not(tmp_path):
    killed = model_of(tmp_path / "killed", random.Random(7).randint(2, 10))
    assert killed == model_of(tmp_path / "whole", None)


def test_a_seed_gives_the_same_file_twice_and_another_seed_another(tmp_path):
    words = ("ga3c", "--frames", "200k", "--set", "deterministic=yes")
    for name, seed in (("one", "1"), ("same", "1"), ("other", "2")):
        train(*words, "--seed", seed, "--out", str(tmp_path / name))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "same").read_bytes()
    assert (tmp_path / "one").read_bytes() != (tmp_path / "other").read_bytes()


def test_libtorch_is_loaded_only_when_it_is_asked_for():
    words = [program("hone-train"), "ga3c", "--frames", "1000"]
    seen = subprocess.run(words, env={**os.environ, "LD_DEBUG": "files"}, capture_output=True,
                          text=True, timeout=60)
    assert seen.returncode == 0
    assert "libtorch" not in seen.stderr
    if not (pathlib.Path(program("hone-train")).parent / "libhone_torch.so").exists():
        assert "backend torch needs" in train("ga3c", "--set", "backend=torch", check=False).stderr


def file_handles(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


def private_kib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0])


def test_many_short_runs_leave_nothing_behind_in_their_worker(tmp_path):
    """The long version: HONE_QUICK_RUNS=10000 pytest tests/e2e/test_train.py -k short"""
    up = Up(tmp_path / "data", "--slots", "2", cwd=ROOT)
    worker = up.wait_for("hone-worker")
    example = str(ROOT / "sdk" / "examples" / "ga3c-cartpole.yaml")

    def sweep(trials):
        name = ok("submit", "-q", example, "--set", f"search.trials={trials}", "--set",
                  "budget.per_run=1000",
                  "--set", "budget.phases=1", server=up, cwd=ROOT).strip()
        ok("watch", name, server=up, timeout=3600)
        runs = [json.loads(line) for line in
                ok("runs", name, "--format", "jsonl", server=up).splitlines()]
        assert {run["state"] for run in runs} == {"completed"}, runs

    sweep(20)  # caches and pools have their size now
    handles, memory = file_handles(worker), private_kib(worker)
    sweep(RUNS)
    assert file_handles(
        worker) <= handles + 2  # a connection may be open at one look and not at the other
    assert private_kib(
        worker) <= memory + 4096 + RUNS  # what a leak of a kilobyte a run would exceed
    folders = [path for path in (tmp_path / "data").rglob("rn_*") if path.is_dir()]
    assert folders == []
    assert up.stop()[0] == 0


def test_a_run_that_is_stopped_after_its_first_phase_has_told_its_metrics(tmp_path):
    up = Up(tmp_path / "data", "--slots", "1", cwd=ROOT)
    example = str(ROOT / "sdk" / "examples" / "ga3c-cartpole.yaml")
    sweep = ok("submit", "-q", example, "--set", "search.trials=6", "--set", "budget.per_run=100k",
               server=up, cwd=ROOT).strip()
    ok("watch", sweep, server=up, timeout=120)
    runs = [json.loads(line) for line in ok("runs", sweep, "--format", "jsonl",
                                            server=up).splitlines()]
    assert "stopped" in {run["state"] for run in runs}, runs
    for run in runs:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{up.port}/v1/runs/{run['id']}/metrics?limit=100") as answer:
            names = {point["name"] for point in json.load(answer)["items"]}
        assert {"frames_per_s", "updates_per_s", "predictions_per_s", "policy_lag",
                "train_queue"} <= names, run
    assert up.stop()[0] == 0
