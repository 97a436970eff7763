"""The seeds' experiment at a small size: the programs that measure it and print its page."""
import csv
import json
import os
import subprocess
import sys

import pytest

from conftest import BIN, ROOT, program

BENCH = ROOT / "tests" / "bench"
SMALL = ["--games", "breakout", "--frames", "4000", "--work", "2", "--reps", "1",
         "--random-reps", "2", "--fresh", "1", "--replays", "3"]


def measured(what, keep):
    done = subprocess.run([sys.executable, str(BENCH / "metaoptimization.py"), what, "--keep",
                           str(keep), "--bin", str(BIN), *SMALL], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    for name in ("hone", "hone-server", "hone-worker", "hone-train"):
        program(name)
    folder = tmp_path_factory.mktemp("kept")
    log = measured("train", folder)
    measured("replay", folder)
    assert log.count("\n") == 7, log  # five searches, and the fresh seeds of two rounds
    return folder


def test_every_method_trains_the_same_work(kept):
    results = json.loads((kept / "results.json").read_text())
    for name in ("random/0", "random/1", "asha/0", "hone/0"):
        assert results[f"breakout/{name}"]["phases"] == 20, name
    assert 10 <= results["breakout/hypertrick/0"]["phases"] <= 20
    named = [one["params"] for name, one in results.items()
             if isinstance(one, dict) and "curve" in one]
    confirmed = [one["params"] for one in results["breakout/confirmed"]]
    assert len(named) == 5 and all(params in confirmed for params in named)
    assert all(len(one["curves"]) == 1 and len(one["curves"][0]) == 10
               for one in results["breakout/confirmed"])


def test_the_table_has_the_runs_of_random_search(kept):
    with open(kept / "breakout.csv", newline="") as text:
        rows = list(csv.DictReader(text))
    assert len({(row["learning_rate"], row["t_max"], row["gamma"]) for row in rows}) == 4
    assert all(row["v10"] for row in rows)
    card = json.loads((kept / "breakout.json").read_text())
    assert card["checkpoints"] == 10 and list(card["parameters"]) == ["learning_rate", "t_max",
                                                                      "gamma"]


def test_a_continued_training_repeats_nothing(kept):
    before = (kept / "results.json").read_bytes()
    measured("train", kept)
    assert (kept / "results.json").read_bytes() == before


def test_the_page_has_every_method_and_a_plot_of_each_kind(kept, tmp_path):
    done = subprocess.run([sys.executable, str(BENCH / "metaoptimization_page.py"), "--keep",
                           str(kept), "--plots", str(tmp_path), "--games", "breakout"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for method in ("random", "hypertrick", "asha", "hone"):
        assert f"| breakout, {method} |" in done.stdout
    assert sorted(os.listdir(tmp_path)) == [f"metaoptimization-{kind}.svg" for kind in
                                            ("live", "replayed", "training")]
