"""Parameters reach a trial's command as arguments, whatever their text; never through a shell."""
import json
import subprocess
import sys

import pytest

from conftest import Server, problem, program, sweep_spec

VALUES = ["; rm -rf {folder}/victim", "$(touch {folder}/made)", "`touch {folder}/made`", "a\nb",
          "a\r\nb\ttab", "-rf",
          "--help", "'\"'", "| tee {folder}/made", "> {folder}/made", "*", "~", "$HOME", "${lr}",
          "$${lr}", "%s%n",
          "a b  c", "\\", "", "\u00e9\u4e2d\U0001f600", "../../etc/passwd", "x" * 5000]

TRIAL = """
import json, os, sys
folder = sys.argv[1]
run = json.load(open(os.environ["HONE_RUN_FILE"]))
with open(os.path.join(folder, run["run"] + ".json"), "w") as file:
    json.dump({"argv": sys.argv[2:], "params": run["params"]}, file)
print('@hone {"report": {"step": 1, "value": 1}}', flush=True)
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What each trial saw: a sweep over all values, run by a real worker."""
    folder = tmp_path_factory.mktemp("parameters")
    out, victim = folder / "out", folder / "victim"
    out.mkdir(), victim.mkdir()
    (folder / "trial.py").write_text(TRIAL)
    values = [value.replace("{folder}", str(folder)) for value in VALUES]
    server = Server(folder / "data").start()
    try:
        server.submit(sweep_spec(
            command=[sys.executable, str(folder / "trial.py"), str(out), "${text}",
                     "--text=${text}", "$${text}"],
            parameters={"text": {"type": "choice", "values": values}},
            search={"method": "grid", "trials": len(values)}, budget={"unit": "steps", "per_run": 1,
                                                                      "phases": 1}))
        subprocess.run([program("hone-worker"), "--server", f"http://127.0.0.1:{server.port}",
                        "--slots", "2", "--data",
                        str(folder / "worker"), "--until-idle"], check=True, timeout=120,
                       capture_output=True)
        assert server.get("/v1/sweeps/sw_1")["state"] == "completed"
    finally:
        server.stop()
    assert victim.is_dir() and not (folder / "made").exists(), "a shell has read a parameter"
    trials = [json.loads(path.read_text()) for path in out.glob("*.json")]
    return values, {trial["params"]["text"]: trial["argv"] for trial in trials}


def test_every_value_arrives_once_and_unchanged(seen):
    values, by_value = seen
    assert set(by_value) == set(values)


@pytest.mark.parametrize("number", range(len(VALUES)), ids=[repr(value[:20]) for value in VALUES])
def test_value_is_one_argument(seen, number):
    values, by_value = seen
    value = values[number]
    assert by_value[value] == [value, "--text=" + value, "${text}"]


def test_value_that_no_argument_can_carry_is_refused(tmp_path):
    server = Server(tmp_path / "data").start()
    try:
        spec = sweep_spec(parameters={"text": {"type": "choice", "values": ["fine", "a\0b"]}},
                          command=["x", "${text}"])
        answer = server.ask("POST", "/v1/sweeps", {"request_id": "zero", "spec": spec})
        problem(answer, 400, "invalid", "/spec/parameters/text/values/1", words=["NUL"])
    finally:
        server.stop()
