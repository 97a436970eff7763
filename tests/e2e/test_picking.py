"""Parameters picked by the user: hone ask, tell, enqueue and picker, the trade-offs of hone best
--pareto, and the examples of sdk/examples."""
import json
import os
import signal
import subprocess
import time

import pytest

from commands import hone, ok
from conftest import BIN, ROOT, START_SECONDS, program, sweep_spec

CHOICES = {"lr": {"type": "float", "min": 1e-5, "max": 1e-1, "scale": "log"},
           "depth": {"type": "int", "min": 1, "max": 8},
           "opt": {"type": "choice", "values": ["adam", "sgd"]},
           "batch": {"type": "choice", "values": [32, 64, 0.5]},
           "norm": {"type": "bool"}}


def asked_spec(**changes):
    return sweep_spec(command=None, budget=None, trainer={"name": "ask"}, **changes)


def external_spec(trials=4, **changes):
    return asked_spec(search={"method": "external", "trials": trials}, **changes)


def branin(x, y):
    from math import cos, pi
    return (y - 5.1 / (4 * pi * pi) * x * x +
            5 / pi * x - 6) ** 2 + 10 * (1 - 1 / (8 * pi)) * cos(x) + 10


# ask and tell
# --------------------------------------------------------------------------------------------------


def test_ask_prints_the_trial_in_every_format(server):
    sweep = server.submit(asked_spec(parameters=CHOICES))
    asked = json.loads(ok("ask", sweep, "--format", "json", server=server))
    assert asked["trial"] == "tr_1" and set(asked["params"]) == set(CHOICES)
    assert json.loads(ok("ask", sweep, "--format", "jsonl",
                         server=server)) == asked  # the same asker, the same trial
    table = hone("ask", sweep, server=server)
    assert table.stdout.splitlines()[0] == "tr_1" and "hone tell tr_1" in table.stderr
    assert str(asked["params"]["lr"]) in table.stdout  # to the last digit: it is to be evaluated
    assert ok("ask", sweep, "--format", "value", server=server) == "tr_1\n"
    row = ok("ask", sweep, "--format", "value", "--columns", "trial,opt,depth",
             server=server).strip().split("\t")
    assert row == ["tr_1", asked["params"]["opt"], str(asked["params"]["depth"])]
    head, cells = ok("ask", sweep, "--format", "csv", server=server).splitlines()
    assert head.startswith("trial,number,next_phase,seed,lease,lr") and cells.startswith(
        "tr_1,0,0,")
    assert ok("ask", sweep, "--as", "another", "--format", "value", server=server) == "tr_2\n"


def test_tell_takes_a_result_in_any_of_its_forms(server):
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 6}))
    for words, state in ((["-0.5"], "completed"), (["1e-3", "--step", "10"], "completed"),
                         (["nan"], "completed"),
                         (["--failed", "--why", "out of memory"], "failed"),
                         (["--infeasible"], "failed")):
        trial = ok("ask", sweep, "--format", "value", server=server).strip()
        ok("tell", trial, *words, server=server)
        assert server.get(f"/v1/trials/{trial}")["state"] == state, words
    assert [server.get(f"/v1/trials/tr_{i}")["value"] for i in (1, 2,
                                                                3)] == [-0.5, 0.001, "diverged"]
    assert server.get("/v1/runs/rn_4.0")["detail"] == "out of memory"
    assert server.get("/v1/trials/tr_5")["reason"] == "infeasible"
    ok("ask", sweep, server=server)
    verdict = json.loads(ok("tell", "tr_6", "2", "--format", "json", server=server))
    assert verdict == {"verdict": "stop", "reason": "last_phase", "inputs": {}}
    assert ok("tell", "tr_6", "2", "--format", "value",
              server=server) == "stop\tlast_phase\n"  # the same again
    assert ok("show", sweep, "--format", "value", "--columns", "state",
              server=server) == "completed\n"


@pytest.mark.parametrize("words, status, sentence", [
    (["tr_1"], 2, "no value given; pass the value, --failed or --infeasible"),
    (["tr_1", "high"], 2, "'high' is neither a number"),
    (["tr_1", "1", "--failed"], 2, "has no value"),
    (["tr_1", "1", "2"], 2, "0 further objectives"),
    (["tr_1", "1", "--phase", "0"], 2, "not a number from 1"),
    (["tr_1", "1", "--phase", "2"], 2, "phases 0 to 0"),
    (["tr_9", "1"], 3, "no trial tr_9"),
    (["sw_1", "1"], 2, "takes a trial"),
])
def test_tell_refuses(server, words, status, sentence):
    ok("ask", server.submit(asked_spec()), server=server)
    result = hone("tell", *words, server=server)
    assert result.returncode == status and sentence in result.stderr, result.stderr


def test_a_second_result_is_a_conflict(server):
    ok("ask", server.submit(asked_spec()), server=server)
    ok("tell", "tr_1", "1", server=server)
    result = hone("tell", "tr_1", "2", server=server)
    assert result.returncode == 4 and "waits for no result" in result.stderr


# enqueue
# --------------------------------------------------------------------------------------------------


def test_enqueue_types_the_words_by_the_sweeps_parameters(server):
    sweep = server.submit(asked_spec(parameters=CHOICES))
    words = "lr=1e-3,depth=4,opt=adam,batch=64,norm=true"
    result = json.loads(ok("enqueue", sweep, "--params", words, "--format", "json", server=server))
    assert result == {"sweep": sweep, "enqueued": 1, "waiting": 1}
    asked = json.loads(ok("ask", sweep, "--format", "json", server=server))["params"]
    assert asked == {"lr": 0.001, "depth": 4, "opt": "adam", "batch": 64, "norm": True}
    assert type(asked["depth"]) is int and type(asked["lr"]) is float


def test_enqueue_takes_many_from_a_file_or_stdin(server, tmp_path):
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 9}))
    (tmp_path / "array.json").write_text('[{"depth": 1}, {"depth": 2}]')
    (tmp_path / "lines.json").write_text('{"depth": 3}\n\n{"depth": 4, "lr": 0.001}\n')
    assert "enqueued 2; 2 waiting" in ok("enqueue", sweep, "--file", str(tmp_path / "array.json"),
                                      server=server)
    ok("enqueue", sweep, "--file", str(tmp_path / "lines.json"), server=server)
    url = f"http://127.0.0.1:{server.port}"
    subprocess.run([program("hone"), "enqueue", sweep, "--file", "-", "--server", url],
                   input='{"depth": 5}', text=True,
                   check=True, capture_output=True)
    depths = [server.post(f"/v1/sweeps/{sweep}/ask", {"asker": str(i)})["params"]["depth"]
              for i in range(5)]
    assert depths == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("words, status, sentence", [
    ([], 2, "either --params"),
    (["--params", "depth"], 2, "'depth' is not NAME=VALUE"),
    (["--params", "depth=2.5"], 2, "2.5 is not in the whole numbers of ["),
    (["--params", "depth=1,depth=2"], 2, "names 'depth' twice"),
    (["--params", "dpth=1"], 2, "did you mean 'depth'"),
    (["--params", "depth=two"], 2, "'two' is not a whole number"),
    (["--params", "depth=99"], 2, "the nearest value is "),
    (["--params", "opt=adm"], 2, "one of its values: adam, sgd"),
    (["--params", "norm=1"], 2, "true or false"),
    (["--file", "/nowhere.json"], 3, "no such file: /nowhere.json"),
])
def test_enqueue_refuses(server, words, status, sentence):
    server.submit(asked_spec(parameters=CHOICES))
    result = hone("enqueue", "sw_1", *words, server=server)
    assert result.returncode == status and sentence in result.stderr, result.stderr


def test_enqueue_says_which_of_many_sets_is_wrong(server, tmp_path):
    sweep = server.submit(asked_spec())
    (tmp_path / "sets.json").write_text('[{"depth": 1}, {"depth": "two"}]')
    result = hone("enqueue", sweep, "--file", str(tmp_path / "sets.json"), server=server)
    assert result.returncode == 2 and "parameter set 2 of 2" in result.stderr
    assert "/params/depth" in result.stderr


def test_a_file_with_a_wrong_set_enqueues_nothing(server, tmp_path):
    """The sets before it were enqueued, and again with the mended file."""
    sweep = server.submit(asked_spec(constraints=["depth * lr < 0.05"]))
    good = '{"depth": 1}'
    for wrong, sentence in (('{"depth": 99}', "the nearest value is"),
                            ('{"depht": 1}', "no parameter"),
                            ('{"depth": 8, "lr": 0.01}', "breaks a constraint"), ('[1]', ""),
                            ('{"depth": 18446744073709551616}', "does not fit 64 bits")):
        (tmp_path / "sets.json").write_text(f"{good}\n{wrong}\n{good}\n")
        result = hone("enqueue", sweep, "--file", str(tmp_path / "sets.json"), server=server)
        assert result.returncode == 2 and sentence in result.stderr, result.stderr
        if sentence != "does not fit 64 bits":
            assert "set 2 of 3" in result.stderr and "nothing is enqueued" in result.stderr
    (tmp_path / "sets.json").write_text(f"{good}\n{good}\n")
    assert "enqueued 2; 2 waiting" in ok("enqueue", sweep, "--file", str(tmp_path / "sets.json"),
                                         server=server)


# best --pareto
# --------------------------------------------------------------------------------------------------


def test_best_pareto_shows_every_objective(server):
    goals = [{"metric": "return", "goal": "maximize"}, {"metric": "joules", "goal": "minimize"}]
    sweep = server.submit(asked_spec(objective=None, objectives=goals))
    for value, joules in ((10, 5), (8, 2), (8, 3)):
        trial = ok("ask", sweep, "--format", "value", server=server).strip()
        ok("tell", trial, str(value), str(joules), server=server)
    lines = ok("best", sweep, "--pareto", server=server).splitlines()
    assert lines[0].split()[:3] == ["trial", "return", "joules"], lines
    assert [line.split()[:3] for line in lines[1:]] == [["tr_1", "10", "5"], ["tr_2", "8", "2"]]
    items = json.loads(ok("best", sweep, "--pareto", "--format", "json", server=server))
    assert items[1]["values"] == {"return": 8.0, "joules": 2.0} and "lr" in items[1]["params"]
    assert ok("best", sweep, "--pareto", "-n", "1", "--format", "value", server=server) == "tr_1\n"
    assert "maximize return, minimize joules" in ok("show", sweep, server=server)
    assert json.loads(ok("curve", "rn_1.0", "--format", "json",
                         server=server))[0]["further"] == {"joules": 5.0}


def test_best_pareto_is_refused_for_one_objective(server):
    server.submit(asked_spec())
    result = hone("best", "sw_1", "--pareto", server=server)
    assert result.returncode == 2 and "one objective, return" in result.stderr


# picker
# --------------------------------------------------------------------------------------------------


class Picker:
    """`hone ask --program` with a user's program, while the test acts as the worker."""

    def __init__(self, server, sweep, folder, source, *words):
        path = folder / "pick.py"
        path.write_text("import json, sys\n" + source)
        behind = ["--", "python3", str(path)] if source else []
        environment = dict(os.environ, HONE_SERVER=f"http://127.0.0.1:{server.port}")
        self.process = subprocess.Popen([program("hone"), "picker", sweep, *words, *behind],
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment)

    def end(self, timeout=START_SECONDS):
        out, errors = self.process.communicate(timeout=timeout)
        return self.process.returncode, out, errors


def ask_patiently(server, sweep, asker="ada"):
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit:
        answer = server.ask("POST", f"/v1/sweeps/{sweep}/ask", {"asker": asker})
        if answer.status == 200:
            return answer.json
        time.sleep(0.02)
    raise AssertionError(answer)


RECORDER = """
log = open({log!r}, "w")
for n, line in enumerate(sys.stdin):
    log.write(line)
    log.flush()
    print(json.dumps({{"params": {{"depth": 1 + n}}}}), flush=True)
"""


def test_picker_hears_what_is_new_and_is_one_set_ahead(server, tmp_path):
    sweep = server.submit(external_spec(trials=4))
    log = tmp_path / "heard"
    picker = Picker(server, sweep, tmp_path, RECORDER.format(log=str(log)))
    for n in range(4):
        trial = ask_patiently(server, sweep)
        assert trial["params"]["depth"] == 1 + n
        server.post(f"/v1/trials/{trial['trial']}/tell", {"value": 10.0 * n})
    status, out, errors = picker.end()
    assert status == 0 and out == "depth=1\ndepth=2\ndepth=3\ndepth=4\n", errors
    assert "parameters of sw_1 come from python3" in errors
    assert "completed; the picker chose 4 parameter sets" in errors
    heard = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(heard) == 4
    assert heard[0]["parameters"]["depth"]["max"] == 8
    assert heard[0]["objective"]["goal"] == "maximize"
    assert heard[0]["trials"] == [] and all(set(line) == {"trials"} for line in heard[1:])
    told = [trial for line in heard for trial in line["trials"]]
    assert set(told[0]) == {"number", "params", "state", "value",
                            "phase"} and told[0]["number"] == 0
    assert any(trial["value"] == 0.0 and trial["state"] == "completed" for trial in told)
    for before, after in zip(heard, heard[1:]):  # no result is sent twice
        assert not [trial for trial in after["trials"] if trial in before["trials"]]


@pytest.mark.parametrize("source, sentence", [
    ("sys.stdin.readline(); print('lr is 3')", "answered 'lr is 3', which is not JSON"),
    ("sys.stdin.readline(); print('[1]')", "answered '[1]' instead of {\"params\": {...}}"),
    ("sys.stdin.readline(); print('{\"params\": {\"depth\": 99}}')",
     "the nearest value is 8 (at /params/depth)"),
    ("sys.stdin.readline(); print('{\"params\": {\"dept\": 1}}')", "did you mean 'depth'"),
    ("sys.stdin.readline(); sys.exit(3)", "ended with exit status 3 before it answered"),
    ("import os; os.kill(os.getpid(), 9)", "signal 9"),
])
def test_picker_says_what_its_program_did_wrong(server, tmp_path, source, sentence):
    sweep = server.submit(external_spec())
    status, _, errors = Picker(server, sweep, tmp_path, source).end()
    assert status == 1 and sentence in errors, errors
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "running"


def test_picker_refuses_what_is_no_sweep_or_program_for_it(server):
    server.submit(asked_spec())
    result = hone("picker", "sw_1", server=server)
    assert result.returncode == 2
    assert "method random; a picker needs search: {method: external}" in result.stderr
    server.submit(external_spec())
    result = hone("picker", "sw_2", server=server)
    assert result.returncode == 2 and "has no search.command" in result.stderr
    result = hone("picker", "sw_2", "--", "no-such-picker", server=server)
    assert result.returncode == 2 and "cannot start 'no-such-picker': No such file" in result.stderr


def test_picker_ends_with_ctrl_c_and_takes_its_program_along(server, tmp_path):
    mark = tmp_path / "pid"
    source = (f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); "
              "sys.stdin.readline(); time.sleep(600)")
    picker = Picker(server, server.submit(external_spec()), tmp_path, source)
    limit = time.monotonic() + START_SECONDS
    while not (mark.exists() and mark.read_text()) and time.monotonic() < limit:
        time.sleep(0.02)
    picker.process.send_signal(signal.SIGINT)
    status, _, errors = picker.end()
    assert status == 130 and "Continue with: hone ask --program sw_1" in errors
    assert not os.path.exists(f"/proc/{mark.read_text()}")


def test_picker_outlives_a_server_that_restarts(server, tmp_path):
    sweep = server.submit(external_spec(trials=2))
    port = server.port
    picker = Picker(server, sweep, tmp_path, RECORDER.format(log=str(tmp_path / "heard")))
    first = ask_patiently(server, sweep)
    server.kill()
    server.start(port=port)
    for trial in (first, None):
        trial = trial or ask_patiently(server, sweep)
        server.post(f"/v1/trials/{trial['trial']}/tell", {"value": 1.0})
    status, _, errors = picker.end()
    assert status == 0, errors


# The examples
# --------------------------------------------------------------------------------------------------


def test_example_in_shell_minimizes_a_function(server):
    environment = dict(os.environ, HONE_SERVER=f"http://127.0.0.1:{server.port}",
                       PATH=f"{BIN}:{os.environ['PATH']}")
    program("hone")
    result = subprocess.run([str(ROOT / "sdk/examples/ask_tell.sh")], capture_output=True,
                            text=True, env=environment,
                            timeout=300)
    assert result.returncode == 0, result.stderr
    assert server.get("/v1/sweeps/sw_1")["state"] == "completed"
    best = server.get("/v1/sweeps/sw_1/best")["items"][0]
    assert best["value"] < 3.0 and abs(best["value"] - branin(best["params"]["x"],
                                                              best["params"]["y"])) < 1e-6


def test_example_in_cpp_minimizes_a_function(server):
    sweep = ok("submit", str(ROOT / "sdk/examples/ask-tell.yaml"), "-q", server=server).strip()
    result = subprocess.run([program("hone-example-ask-tell"), f"http://127.0.0.1:{server.port}",
                             sweep],
                            capture_output=True, text=True, timeout=120)
    assert result.returncode == 0 and "has ended" in result.stdout, result.stderr
    assert server.get(f"/v1/sweeps/{sweep}")["state"] == "completed"
    assert server.get(f"/v1/sweeps/{sweep}")["best"]["value"] < 3.0


def test_example_picker_climbs(server, tmp_path):
    sweep = ok("submit", str(ROOT / "sdk/examples/picker.yaml"), "--set", "search.trials=15", "-q",
               server=server).strip()
    environment = dict(os.environ, HONE_SERVER=f"http://127.0.0.1:{server.port}")
    picker = subprocess.Popen([program("hone"), "picker", sweep, "--yes"], cwd=ROOT,
                              env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(15):
        trial = ask_patiently(server, sweep)
        score = -(trial["params"]["x"] - 0.7) ** 2 + (0.5 if trial["params"]["y"] == "fancy" else 0)
        server.post(f"/v1/trials/{trial['trial']}/tell", {"value": score})
    out, errors = picker.communicate(timeout=START_SECONDS)
    assert picker.returncode == 0 and len(out.splitlines()) == 15, errors
    assert server.get(f"/v1/sweeps/{sweep}")["best"]["value"] > -0.5


# What users see
# --------------------------------------------------------------------------------------------------


def test_paused_runs_are_shown_as_such(server):
    spec = sweep_spec(command=None, trainer={"name": "ask"}, search={"method": "random",
                                                                     "trials": 4},
                      terminator={"rule": "asha", "eta": 2})
    sweep = server.submit(spec)
    trial = ask_patiently(server, sweep)
    assert server.post(f"/v1/trials/{trial['trial']}/tell",
                       {"value": 1.0, "step": 250})["verdict"] == "pause"
    assert "paused" in ok("trials", sweep,
                          server=server) and "paused" in ok("runs", sweep, server=server)
    assert "1 paused" in ok("show", sweep, server=server)
    assert "is paused" in ok("explain", "tr_1", server=server)
    environment = dict(os.environ, HONE_SERVER=f"http://127.0.0.1:{server.port}")
    watch = subprocess.Popen([program("hone"), "watch", sweep], stdout=subprocess.PIPE, text=True,
                             env=environment)
    assert "1 paused" in watch.stdout.readline()
    watch.kill()
    watch.wait()
    watch.stdout.close()
