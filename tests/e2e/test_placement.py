"""A sweep over the settings of a placement agent runs through the service like any other."""
import json
import os
import shutil
import subprocess

import pytest

from commands import ok
from conftest import program

PATIENCE = 300


def test_a_sweep_of_a_placement_agent_finds_a_placement_and_names_its_graph(tmp_path, server):
    spec = {"name": "placing", "objective": {"metric": "step_ms", "goal": "minimize"},
            "trainer": {"name": "placement", "graph": "inception-v3", "devices": 2, "agent": "ce"},
            "parameters": {"learning_rate": {"type": "float", "min": 0.1, "max": 1.0,
                                             "scale": "log"}},
            "search": {"method": "random", "trials": 2}, "budget": {"unit": "placements",
                                                                    "per_run": 240, "phases": 2}}
    sweep = server.submit(spec)
    environment = {**os.environ, "HONE_SERVER": f"http://127.0.0.1:{server.port}"}
    subprocess.run([program("hone-worker"), "--slots", "1", "--data", str(tmp_path / "worker"),
                    "--until-idle"], env=environment, check=True,
                   timeout=PATIENCE, capture_output=True)
    row = server.get(f"/v1/sweeps/{sweep}")
    assert row["state"] == "completed" and row["best"] is not None, row
    best = server.get(f"/v1/sweeps/{sweep}/best")["items"][0]
    model = server.get(f"/v1/models/{best['model']}")
    placement = server.ask("GET", f"/v1/blobs/{model['sha256']}").body
    file = tmp_path / "placement.json"
    file.write_bytes(placement)
    shown = subprocess.run([program("hone"), "graph", "inception-v3", "--devices", "2", "--place",
                            str(file), "--format", "json"],
                           check=True, capture_output=True, text=True, timeout=60).stdout
    assert "inception" in shown


def test_a_sweep_trades_step_time_for_memory(tmp_path, server):
    """Two objectives of one of hone's trainers were refused: their runs had failed."""
    goals = [{"metric": "step_ms", "goal": "minimize"}, {"metric": "peak_gb", "goal": "minimize"}]
    sweep = server.submit({
        "name": "trading", "objectives": goals, "checkpoints": {"keep": "all"},
        "trainer": {"name": "placement", "graph": "resnet-50", "devices": 2, "polish": 3000},
        "parameters": {"memory_weight": {"type": "choice", "values": [0, 1, 5]}},
        "search": {"method": "grid", "trials": 3},
        "budget": {"unit": "placements", "per_run": 400, "phases": 2}})
    environment = {**os.environ, "HONE_SERVER": f"http://127.0.0.1:{server.port}"}
    subprocess.run([program("hone-worker"), "--slots", "1", "--data", str(tmp_path / "worker"),
                    "--until-idle"], env=environment, check=True,
                   timeout=PATIENCE, capture_output=True)
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"
    front = [one["values"] for one in server.get(f"/v1/sweeps/{sweep}/pareto")["items"]]
    values = sorted((one["step_ms"], one["peak_gb"]) for one in front)
    assert len(values) >= 2, front  # the fastest, and one that needs less memory
    assert values[0][0] == pytest.approx(156.4, abs=0.1)  # one device
    assert values[0][1] == pytest.approx(3.85, abs=0.01)
    assert values[-1][1] < 0.7 * values[0][1]
    assert "peak_gb" in ok("best", sweep, "--pareto", server=server)
    logged = {json.loads(ok("curve", f"rn_{trial}.0", "--metric", "peak_gb", "--format", "jsonl",
                            server=server).splitlines()[-1])["value"] for trial in (1, 2, 3)}
    assert logged >= {gb for _, gb in values}  # a metric of each run, too
    outcome = json.loads(ok("reproduce", "rn_2.0", "--yes", "--format", "json", server=server,
                            timeout=120))
    assert outcome["same"] and outcome["reports"] == 2, outcome


GRAPH = {"training": True,
         "nodes": [{"name": name, "flop": 4e8, "out_bytes": 4e6} for name in "abcd"],
         "edges": [["a", "b", 4e6], ["a", "c", 4e6], ["b", "d", 4e6], ["c", "d", 4e6]]}
GRAPH["edge_columns"] = ["from", "to", "bytes"]


def measured(tmp_path, *words):
    file = tmp_path / "diamond.json"
    file.write_text(json.dumps(GRAPH))
    return subprocess.run([program("hone-train"), "placement", "--graph", str(file), "--devices",
                           "2", "--group", "op", "--polish", "50",
                           "--placements", "50", "--measure", "--measure-ms", "5",
                           "--measure-steps", "3", *words],
                          capture_output=True, text=True, timeout=PATIENCE)


def test_placements_are_run_for_real_and_ranked_beside_the_simulator(tmp_path):
    if not os.path.exists(os.path.join(os.path.dirname(program("hone-train")), "libhone_torch.so")):
        pytest.skip("hone was built without libtorch")
    placed = tmp_path / "placed.json"
    told = measured(tmp_path, "--measure-random", "4", "--out", str(placed), "--format", "json")
    assert told.returncode == 0, told.stderr
    document = json.loads(told.stdout)
    rows = document["placements"]
    assert document["n"] == len(rows) >= 4 and document["devices"] == ["cpu", "cpu"]
    assert -1 <= document["spearman"] <= 1 and 0 < document["scale"] <= 1
    names = ", ".join(row["placement"] for row in rows)
    assert "single" in names and "m-etf" in names and "random" in names and "post from" in names
    assert all(0 < row["real_ms"] <= row["median_ms"] <= row["most_ms"] and row["simulated_ms"] > 0
               for row in rows)
    again = measured(tmp_path, "--measure-random", "0", "--evaluate", str(placed))
    assert again.returncode == 0, again.stderr
    assert "placed" in again.stdout
    assert "Spearman's rank correlation of real and simulated step times over" in again.stdout
    wrong = measured(tmp_path, "--evaluate", str(tmp_path / "diamond.json"))
    assert wrong.returncode == 2 and "placement" in wrong.stderr


def test_measuring_without_libtorch_says_what_is_missing(tmp_path):
    alone = tmp_path / "hone-train"
    shutil.copy(program("hone-train"), alone)
    told = subprocess.run([alone, "placement", "--graph", "resnet-50", "--measure"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert told.returncode == 2
    assert "--measure needs libhone_torch.so" in told.stderr


def test_a_sweep_of_cartpole_by_cem_names_its_environment(server):
    for trainer, settings, name in [("cem", {}, "CartPole-v0"),
                                    ("reinforce", {"episode_steps": 500}, "CartPole-v1")]:
        spec = {"name": trainer, "objective": {"metric": "return", "goal": "maximize"},
                "trainer": {"name": trainer, **settings},
                "parameters": {"learning_rate": {"type": "float", "min": 0.001, "max": 0.1,
                                                 "scale": "log"}},
                "search": {"method": "random", "trials": 1},
                "budget": {"unit": "episodes", "per_run": 100, "phases": 2}}
        dataset = server.get(f"/v1/sweeps/{server.submit(spec)}")["dataset"]
        assert server.get(f"/v1/datasets/{dataset}")["name"] == name
