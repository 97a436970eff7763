"""A sweep over the settings of a placement agent runs through the service like any other."""
import os
import subprocess

from conftest import program

PATIENCE = 300


def test_a_sweep_of_a_placement_agent_finds_a_placement_and_names_its_graph(tmp_path, server):
    spec = {"name": "placing", "objective": {"metric": "step_ms", "goal": "minimize"},
            "trainer": {"name": "placement", "graph": "inception-v3", "devices": 2, "agent": "ce"},
            "parameters": {"learning_rate": {"type": "float", "min": 0.1, "max": 1.0, "scale": "log"}},
            "search": {"method": "random", "trials": 2}, "budget": {"unit": "placements", "per_run": 240, "phases": 2}}
    sweep = server.submit(spec)
    environment = {**os.environ, "HONE_SERVER": f"http://127.0.0.1:{server.port}"}
    subprocess.run([program("hone-worker"), "--slots", "1", "--data", str(tmp_path / "worker"), "--until-idle"], env=environment, check=True,
                   timeout=PATIENCE, capture_output=True)
    row = server.get(f"/v1/sweeps/{sweep}")
    assert row["state"] == "completed" and row["best"] is not None, row
    best = server.get(f"/v1/sweeps/{sweep}/best")["items"][0]
    model = server.get(f"/v1/models/{best['model']}")
    placement = server.ask("GET", f"/v1/blobs/{model['sha256']}").body
    file = tmp_path / "placement.json"
    file.write_bytes(placement)
    shown = subprocess.run([program("hone"), "graph", "inception-v3", "--devices", "2", "--place", str(file), "--format", "json"],
                           check=True, capture_output=True, text=True, timeout=60).stdout
    assert "inception" in shown
