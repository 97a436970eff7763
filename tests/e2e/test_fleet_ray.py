"""The fleet of sdk/examples/fleets/ray.yaml on a real Ray cluster: a sweep while a node dies and
another one comes. Needs a Python with ray[default] (HONE_LIBRARY_PYTHON)."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from commands import ok
from conftest import BIN, ROOT, Server, program, sweep_spec
from slurm import until
from test_fleet import all_pilots, ended, fleet_of, processes
from test_python_libraries import python_with

PATIENCE = 500  # seconds: each process of Ray takes seconds of CPU time to start

# A trial reports once, and then only when the test lets it continue.
TRAINER = """import json, os, pathlib, sys, time
assert not [name for name in os.environ if name in ("RAY_ADDRESS", "RAY_JOB_CONFIG_JSON_ENV_VAR")]
for phase in range(2):
    while phase == 1 and not pathlib.Path(sys.argv[1]).exists():
        time.sleep(0.05)
    print("@hone " + json.dumps({"report": {"phase": phase, "step": phase + 1, "value": 1.0}}),
          flush=True)
"""


class Ray:
    """The cluster of libraries/ray_cluster.py."""

    def __init__(self, python):
        self.folder = tempfile.mkdtemp(prefix="hone-ray-", dir="/tmp")  # names of sockets are short
        script = pathlib.Path(__file__).parent / "libraries" / "ray_cluster.py"
        self.log = pathlib.Path(self.folder) / "cluster.log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [python, "-B", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                text=True, env={**os.environ, "RAY_TMPDIR": self.folder,
                                "RAY_USAGE_STATS_ENABLED": "0"})
        self.address = self.answer()
        assert self.address.startswith("http://127.0.0.1:"), self.address

    def answer(self):
        line = self.process.stdout.readline().strip()
        assert line, self.log.read_text(encoding="utf-8")
        return line

    def tell(self, word):
        print(word, file=self.process.stdin, flush=True)
        assert self.answer() == word

    def stop(self):
        self.process.communicate(timeout=PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(name="ray")
def fixture_ray():
    program("hone-server")
    one = Ray(python_with("ray", "aiohttp_cors"))
    yield one
    one.stop()


@pytest.fixture
def site(ray, tmp_path):
    """A server, and the example with the places that a user edits."""
    one = Server(tmp_path / "data").start()
    text = (ROOT / "sdk" / "examples" / "fleets" / "ray.yaml").read_text()
    file = tmp_path / "fleet.yaml"
    file.write_text(text.replace("https://hone.example:7777", f"http://127.0.0.1:{one.port}")
                    .replace("http://ray.example:8265", ray.address)
                    .replace("/opt/hone/bin", str(BIN))
                    .replace("token_file: /etc/hone/token\n", ""))
    yield one, file
    if one.process is not None:
        one.stop()
    for pid in processes(str(tmp_path)):
        os.kill(pid, 9)


def joined(server, count):
    return until(lambda: fleet_of(server)["joined"] == count, PATIENCE)


def runs_of(server, sweep, column):
    return [one[column] for one in json.loads(ok("runs", sweep, "--format", "json", server=server))]


def test_a_sweep_on_ray_ends_although_a_node_dies(ray, site, tmp_path):
    server, file = site
    (tmp_path / "train.py").write_text(TRAINER)
    ok("fleet", "create", str(file), "max=2", "slots=1", f"folder={tmp_path}/work",
       server=server)
    sweep = server.submit(sweep_spec(
        command=["python3", str(tmp_path / "train.py"), str(tmp_path / "go")],
        search={"method": "random", "trials": 6},
        budget={"unit": "steps", "per_run": 2, "phases": 2}))
    assert joined(server, 2), (all_pilots(server), server.log_text())
    assert len(processes(str(tmp_path))) == 2
    assert until(lambda: runs_of(server, sweep, "state").count("running") == 2, PATIENCE)

    ray.tell("kill")
    assert until(lambda: len(all_pilots(server)) == 3, PATIENCE), server.log_text()
    lost = [one for one in all_pilots(server) if one["state"] == "ended"]
    assert len(lost) == 1 and lost[0]["worker"], all_pilots(server)
    ray.tell("add")
    assert joined(server, 2), (all_pilots(server), server.log_text())

    (tmp_path / "go").touch()
    assert until(lambda: ended(server, sweep), PATIENCE), server.log_text()
    assert runs_of(server, sweep, "state") == ["completed"] * 6
    attempts = [server.get(f"/v1/runs/{run}/attempts")["items"]
                for run in runs_of(server, sweep, "id")]
    assert sum(map(len, attempts)) == 7, "that of the node was repeated"

    ok("fleet", "stop", "fl_1", server=server)
    assert until(lambda: fleet_of(server)["state"] == "stopped", PATIENCE), server.log_text()
    assert processes(str(tmp_path)) == {}
    assert "cannot list its pilots" not in server.log_text()
