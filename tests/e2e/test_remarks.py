"""Sweeps that did less than they promised report it at their end, everywhere in the same words."""
import json
import subprocess
import sys

from commands import hone, ok, write_spec
from conftest import ROOT
from test_worker import Worker, wait_for

PRELUDE = """
import json, os, sys
x = int(sys.argv[1])
def report(phase, value=None):
    value = float(x) if value is None else value
    report = {"phase": phase, "step": phase + 1, "value": value}
    print("@hone " + json.dumps({"report": report}), flush=True)
"""


def sweep_of(folder, program, trials=3, **changes):
    (folder / "program.py").write_text(PRELUDE + program)
    return write_spec(folder, command=[sys.executable, str(folder / "program.py"), "${x}"],
                      parameters={"x": {"type": "int", "min": 1, "max": trials}},
                      search={"method": "grid", "trials": trials},
                      budget={"unit": "epochs", "per_run": 9, "phases": 9}, **changes)


def watched(server, folder, file):
    worker = Worker(server, folder / "worker")
    worker.ready()
    result = hone("submit", str(file), "--watch", server=server, timeout=120)
    assert worker.stop() == 0, worker.log_text()
    return result.stderr


def remarks(server):
    return server.get("/v1/sweeps/sw_1")["outcome"]["remarks"]


def test_programs_that_ended_early_were_ranked_as_complete_in_silence(server, tmp_path):
    end = watched(server, tmp_path, sweep_of(tmp_path, "for phase in range(9 if x == 1 else 4):\n"
                                                       "    report(phase)\n"))
    said = "2 of 3 runs ended before their budget: 4 of 9 phases (rn_2.0)"
    assert remarks(server) == [said]
    assert said + "\n" in end
    best = hone("best", server=server)
    assert said + "\n" in best.stderr, best.stderr
    ranks = [line.split()[:2] for line in best.stdout.splitlines()[1:]]
    # Less than half of nine phases: after the complete one, whatever their values.
    assert ranks == [["1", "tr_1"], ["2*+", "tr_3"], ["3*+", "tr_2"]], best.stdout
    legend = " ".join(best.stderr.split())
    assert "*: its program ended before its budget." in legend, best.stderr
    assert "+: trained less than half as long as the longest trial" in legend, best.stderr
    assert " ".join(said.split()) in " ".join(ok("show", "sw_1", server=server).split())
    assert server.get("/v1/sweeps/sw_1/summary")["outcome"]["ended_early"] == 2
    rows = ok("best", "--format", "value", "--columns", "rank,reason,comparable", server=server)
    assert rows == "1\tbudget_reached\ttrue\n2\texited_early\tfalse\n3\texited_early\tfalse\n"


def test_four_causes_were_one_line_of_log_spam(server, tmp_path):
    end = watched(server, tmp_path, sweep_of(
        tmp_path, "report(0)\n"
                  "if x in (1, 3): raise RuntimeError(f'CUDA error {x * 7} at {hex(x << 9)}')\n"
                  "if x == 4: raise KeyError('reward')\n"
                  "if x == 5: report(1, 'diverged'); sys.exit(0)\n"
                  "for phase in range(1, 9): report(phase)\n", trials=5,
        terminator={"rule": "none"}))
    said = "3 runs failed: 2 x RuntimeError: CUDA error 7 at 0x200 (rn_1.0), " \
           "1 x KeyError: 'reward' (rn_4.0)"
    assert said in remarks(server), remarks(server)
    assert said + "\n" in end, end
    narrow = ok("runs", "sw_1", server=server, COLUMNS="80")
    assert "KeyError: 'reward'" in narrow and max(map(len, narrow.splitlines())) <= 80, narrow
    assert "RuntimeError: CUDA error" in narrow, narrow


def test_a_sweep_whose_runs_all_diverged_ended_like_any_other(server, tmp_path):
    end = watched(server, tmp_path, sweep_of(tmp_path, "report(0, 'diverged')\n"))
    assert remarks(server) == ["all 3 runs diverged"]
    assert "all 3 runs diverged\n" in end


def test_python_prints_what_the_command_line_prints(server, tmp_path):
    program = tmp_path / "sweep.py"
    program.write_text("import hone\n"
                       "def train(run):\n"
                       "    run.report(0, run.params['x'])\n"
                       "sweep = hone.Sweep({'x': hone.Float(0, 1)}, trials=2, phases=3,\n"
                       "                   terminator='none')\n"
                       "sweep.run(train)\n"
                       "print(sweep.remarks)\n")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          timeout=120,
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "sdk" / "python"),
                               "HONE_SERVER": f"http://127.0.0.1:{server.port}",
                               "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    said = remarks(server)
    assert said and done.stdout == f"{said}\n", done.stdout
    for remark in said:
        assert f"hone: sw_1: {remark}\n" in done.stderr, done.stderr


def test_a_worker_that_was_killed_looked_like_one_that_waits(server, tmp_path):
    file = sweep_of(tmp_path, "import time\nopen(sys.argv[0] + '.up', 'w')\ntime.sleep(1000)\n")
    ok("submit", str(file), server=server)
    worker = Worker(server, tmp_path / "worker", slots=1)
    worker.ready()
    wait_for(lambda: (tmp_path / "program.py.up").exists())
    states = lambda: json.loads(ok("workers", "--format", "json", server=server))
    assert [one["state"] for one in states()] == ["present"]
    worker.kill()
    wait_for(lambda: states()[0]["state"] == "lost", seconds=40)
    assert "no worker is connected" in hone("show", "sw_1", server=server).stdout


def test_plan_had_no_time_although_the_program_was_timed(server, tmp_path):
    file = sweep_of(tmp_path, "import time\nfor phase in range(9):\n    time.sleep(0.01)\n"
                              "    report(phase)\n")
    assert "complete runs in sequence" in ok("plan", str(file), server=server)
    watched(server, tmp_path, file)
    plan = " ".join(ok("plan", str(file), server=server).split())
    assert "at the pace of sw_1" in plan, plan
    assert "complete runs in sequence" not in plan, plan
