"""Runs that take their worker down: they are tried alone, and their neighbours do not pay for them."""
import json
import sys
import textwrap

from commands import Up, hone, ok, write_spec

# Reports, and finds the worker among its ancestors to kill it, as a memory killer might.
PROGRAM = textwrap.dedent("""
    import json, os, signal, sys, time

    def parent(pid):
        stat = open(f"/proc/{pid}/stat").read()
        return int(stat[stat.rindex(")") + 2:].split()[1])

    def worker():
        pid, found = os.getpid(), None
        while pid > 1:
            words = open(f"/proc/{pid}/cmdline").read().split("\\0")
            if words[0].endswith("hone-worker"):
                found = pid
            pid = parent(pid)
        return found

    for phase in range(2):
        time.sleep(0.3)
        if sys.argv[1] == "2" and phase == 1:
            os.kill(worker(), signal.SIGKILL)
            time.sleep(60)
        report = {"phase": phase, "step": phase + 1, "value": float(sys.argv[1])}
        print("@hone", json.dumps({"report": report}), flush=True)
""")


def test_a_run_that_killed_its_worker_was_retried_without_end(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    file = write_spec(tmp_path, command=[sys.executable, str(tmp_path / "program.py"), "${x}"],
                      parameters={"x": {"type": "int", "min": 1, "max": 4}},
                      search={"method": "grid", "trials": 4}, limits={"max_retries": 1},
                      budget={"unit": "epochs", "per_run": 2, "phases": 2})
    up = Up(tmp_path / "data", "--slots", "2")
    try:
        watched = hone("submit", str(file), "--watch", server=up, timeout=200)
        runs = json.loads(ok("runs", "sw_1", "--format", "json", server=up))
        by_value = {run["value"]: run for run in runs}
        killer = by_value.pop(2.0)
        assert (killer["state"], killer["reason"], killer["failure"]) == \
            ("failed", "retries_exhausted", "infra"), killer
        # Its second phase kills: two workers, then two tries alone, of which one counts as a retry.
        assert killer["attempts"] == 4, killer
        assert [run["state"] for run in by_value.values()] == ["completed"] * 3, runs
        assert max(run["attempts"] for run in by_value.values()) <= 4, runs
        events = json.loads(ok("events", "sw_1", "--format", "json", server=up))
        returns = [event for event in events if event["kind"] == "run_returned"]
        paid = [one for one in returns if one["run"] != killer["id"] and
                one.get("failure") != "preempted"]
        assert paid == [], paid
        assert "tried alone" in watched.stderr, watched.stderr
    finally:
        _, errors = up.stop()
    waits = [line.rsplit(" ", 1)[1] for line in errors.splitlines() if "starting it again" in line]
    assert waits and set(waits) == {"1s"}, errors
