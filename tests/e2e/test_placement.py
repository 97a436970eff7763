"""`hone train placement`: learning where operations run, alone and as a sweep."""
import json
import subprocess

from commands import ok
from conftest import program


def train(*words):
    done = subprocess.run([program("hone-train"), "placement", *map(str, words), "--format", "json"],
                          capture_output=True, text=True)
    return done, json.loads(done.stdout) if done.returncode == 0 else None


def test_a_search_beats_the_baselines_says_how_and_repeats_itself(tmp_path):
    model = tmp_path / "model.json"
    words = ["--agent", "post", "--graph", "inception-v3", "--devices", "4", "--seed", "3"]
    _, found = train(*words, "--out", model)
    assert found["method"] == "post from m-etf + local search"
    rows = json.loads(ok("graph", "inception-v3", "--devices", "4", "--place", "all", "--format", "json"))
    assert found["step_ms"] < min(row["step_ms"] for row in rows)
    assert train(*words)[1]["step_ms"] == found["step_ms"]
    placed = json.loads(ok("graph", "inception-v3", "--devices", "4", "--place", model, "--format", "json"))
    assert placed["step_ms"] == found["step_ms"]


def test_a_graph_of_a_file_is_placed_and_a_bad_one_refused(tmp_path):
    file = tmp_path / "graph.json"
    ok("graph", "transformer", "--export", file)
    assert train("--graph", file, "--devices", "2", "--polish", "100")[1]["step_ms"] > 0
    file.write_text('{"nodes":[{"name":"a","forward_ms":-1}],"edges":[]}')
    done, _ = train("--graph", file)
    assert done.returncode == 2 and "negative" in done.stderr and "/nodes/0" in done.stderr


def test_what_does_not_fit_is_said_to_be_infeasible():
    done, _ = train("--graph", "resnet-50", "--devices", "2", "--memory-gb", "2.0")
    assert done.returncode == 2 and "take more or larger ones" in done.stderr
