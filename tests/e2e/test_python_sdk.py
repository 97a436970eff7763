"""The Python SDK with a real server, and its package: a wheel in a fresh virtual environment."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import pytest

from conftest import ROOT, VERSION, Server, sweep_spec

sys.path.insert(0, str(ROOT / "sdk" / "python"))
import hone  # noqa: E402


def spec(**changes):
    return sweep_spec(command=None, trainer={"name": "ask"},
                      **{"budget": {"unit": "trials", "per_run": 1, "phases": 1}, **changes})


@pytest.fixture
def client(server):
    with hone.Client(f"http://127.0.0.1:{server.port}") as one:
        yield one


def test_ask_tell_and_read_back(client):
    sweep = client.submit(spec())
    best = client.optimize(sweep, lambda params: -abs(params["depth"] - 4), asker="notebook")
    row = client.wait(sweep, timeout_s=30)
    assert row["state"] == "completed"
    trials = list(client.trials(sweep))
    assert len(trials) == 4
    assert best["id"] == max(trials, key=lambda trial: trial["value"])["id"]
    run = next(client.runs(best["id"]))["id"]
    assert client.run(run)["state"] == "completed"
    assert client.curve(run)[0]["value"] == best["value"]
    assert client.artifacts(run) == []
    assert list(client.metrics(run)) == []
    assert client.lineage(best["id"])
    assert client.explain(best["id"])
    assert next(client.sweeps())["id"] == sweep


def test_a_trial_that_raises_has_failed_and_the_sweep_goes_on(client):
    sweep = client.submit(spec())

    def objective(params):
        if params["depth"] % 2 == 0:
            raise ValueError("even")
        return 1.0

    client.optimize(sweep, objective)
    assert client.wait(sweep, timeout_s=30)["state"] in ("completed", "failed")
    for trial in client.trials(sweep):
        run = next(client.runs(trial["id"]))
        even = trial["params"]["depth"] % 2 == 0
        assert run["state"] == ("failed" if even else "completed")
        assert ("ValueError: even" in run["detail"]) == even


def test_a_submission_is_idempotent_and_refusals_say_where(client):
    assert client.submit(spec(), request_id="once") == client.submit(spec(), request_id="once")
    with pytest.raises(hone.Problem) as caught:
        client.submit(spec(search={"method": "randon", "trials": 1}))
    assert (caught.value.code, caught.value.at) == ("invalid", "/spec/search/method")
    with pytest.raises(hone.Problem) as caught:
        client.sweep("sw_99")
    assert caught.value.code == "not_found"
    with pytest.raises(hone.Invalid):
        client.steer("sw_1", "stopp")


def test_a_file_is_submitted(client, tmp_path):
    path = tmp_path / "sweep.json"
    path.write_text(json.dumps(spec()))
    assert client.submit(path).startswith("sw_")


def test_enqueued_parameters_come_first_and_verbs_steer(client):
    sweep = client.submit(spec())
    assert client.enqueue(sweep, {"depth": 7}) == 1
    asked = client.ask(sweep, "me")
    assert asked.params["depth"] == 7
    assert client.ask(sweep, "me") == asked
    assert client.tell(asked, 1.5).reason == "last_phase"
    assert client.tell(asked, 1.5).reason == "last_phase"  # a repeated call finds its verdict
    assert client.pause(sweep) == "paused"
    assert client.resume(sweep) == "running"
    client.cancel(sweep)
    assert client.wait(sweep, timeout_s=30)["state"] == "canceled"


def test_a_watch_lives_through_a_restart_of_the_server(tmp_path):
    server = Server(tmp_path / "data").start()
    client = hone.Client(f"http://127.0.0.1:{server.port}")
    sweep = client.submit(spec())
    kinds, first = [], threading.Event()

    def follow():
        for event in hone.Client(client.url).watch(sweep):
            kinds.append(event["kind"])
            first.set()

    watcher = threading.Thread(target=follow)
    watcher.start()
    assert first.wait(30)
    port = server.port
    server.kill()
    server.start(port)
    client.optimize(sweep, lambda params: 1.0)
    watcher.join(60)
    assert not watcher.is_alive()
    assert kinds[0] == "sweep_submitted" and kinds[-1] == "sweep_ended"
    assert kinds.count("trial_proposed") == 4
    assert server.stop() == 0


def test_nobody_at_home_is_unavailable():
    with pytest.raises(hone.Unavailable, match="no server answers"):
        hone.Client("http://127.0.0.1:9", patience_s=0.2).version()
    with pytest.raises(hone.HoneError, match="is not a server"):
        hone.Client("ftp://somewhere")


def module_missing(python, *names):
    for name in names:
        if subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode != 0:
            return name
    return None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    python = sys.executable
    missing = module_missing(python, "pip", "setuptools", "wheel")
    if missing:
        pytest.skip(f"{python} has no {missing}: a wheel cannot be built without the network")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(["cp", "-r", str(ROOT / "sdk" / "python"), str(folder / "python")], check=True)
    built = subprocess.run([python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation",
                            "--no-index", "-q",
                            "-w", str(folder), str(folder / "python")], capture_output=True,
                           text=True)
    assert built.returncode == 0, built.stderr
    found, = folder.glob("hone_rl-*.whl")
    return found


def version_of(python):
    """None of what stands for a Python and is none, as a shim of pyenv whose version is not
    chosen."""
    done = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"],
                          capture_output=True, text=True)
    return tuple(int(part) for part in done.stdout.split()) if done.returncode == 0 else None


def pythons():
    """This one, the oldest and the newest on the PATH and of pyenv, and all that HONE_PYTHONS
    names."""
    at_hand = [shutil.which(f"python3.{minor}") for minor in range(7, 20)]
    own = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    at_hand += [str(path) for path in sorted(own.glob("3.*/bin/python3"))]
    versions = sorted((version_of(python) or (0, 0), python) for python in filter(None, at_hand))
    fit = [python for version, python in versions if version >= (3, 7)]
    return sorted({sys.executable, *fit[:1], *fit[-1:],
                   *filter(None, os.environ.get("HONE_PYTHONS", "").split(":"))})


@pytest.mark.parametrize("python", pythons())
def test_a_wheel_works_in_a_fresh_virtual_environment(wheel, tmp_path, python):
    missing = module_missing(python, "venv", "ensurepip")
    if missing:
        pytest.skip(f"{python} has no {missing}: no virtual environment can be made")
    subprocess.run([python, "-m", "venv", str(tmp_path / "venv")], check=True)
    inside = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([inside, "-m", "pip", "install", "--no-index", "-q", str(wheel)], check=True)
    clean = {key: value for key,
             value in os.environ.items() if not key.startswith(("HONE_", "PYTHONPATH"))}
    done = subprocess.run([inside, "-c", "import hone, pathlib\nprint(hone.__version__)\n"
                           "print((pathlib.Path(hone.__file__).parent / 'py.typed').exists())\n"
                           "print(hone.current(params={}).report(0, 1).goes_on)"],
                          capture_output=True, text=True, env=clean, cwd=tmp_path)
    assert done.stdout == f"{VERSION}\nTrue\nTrue\n", done.stderr
