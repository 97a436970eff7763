"""A program whose value at any time is the number of epochs that it has trained, plus a little.

`ways` are the ways to report it, `spec` is a sweep of it, `wrong_phases` names the phases that hold
the value of another epoch.
"""
import sys

from conftest import ROOT, sweep_spec

# Arguments: way, x, what to do. Its checkpoint holds the number of trained epochs; a later step of
# a pipeline gets that number as a file.
PROGRAM = r'''
import json, os, pathlib, struct, sys
way, x, manner = sys.argv[1], float(sys.argv[2]), set(sys.argv[3].split(","))
run = json.load(open(os.environ["HONE_RUN_FILE"]))
own = pathlib.Path(os.environ["HONE_FOLDER"])
trained = begun = 0
for earlier in own.glob("*/epochs"):
    trained = begun = int(earlier.read_text())
if run["resume"] and "forgets" not in manner:
    trained = int(open(run["resume"]["path"]).read())
resumed, phases = trained, run["budget"]["phases"]
first = run["attempt"] == 1 + run.get("step", {}).get("index", 0)
sys.path[:0] = [PATHS]
sdk = None
if way == "sdk":
    import hone
    sdk = hone.current()
numbers = iter(sdk.phases() if sdk else ())
rows = sys.stderr if way == "stderr" else sys.stdout
if way in ("csv", "sum", "column"):
    rows = open("rows", "w")
if way in ("csv", "sum", "column"):
    rows.write("epoch,length,value\n")
events = None
if way == "tensorboard":
    import tfrecord
    (own / "runs").mkdir()
    events = open(own / "runs" / "events.out.tfevents.1", "wb")

def hone_line(**what):
    print("@hone " + json.dumps(what), flush=True)

def save(phase):
    path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], f"{trained}")
    pathlib.Path(path).write_text(str(trained))
    if "rarely" in manner and trained % 3:
        return
    if sdk:
        sdk.checkpoint(path, phase)
    elif "forgets" not in manner:
        step = trained - begun if "own" in manner else trained
        hone_line(checkpoint={"path": path, "step": step})

def own_epochs():
    """What the program calls its epochs: of the run, of its step, or of this process."""
    if "restarts" in manner:
        return trained - resumed
    return trained - begun if "own" in manner else trained

def report(phase):
    value = trained + x
    if way == "sdk":
        sdk.report(phase, value)
    elif way == "hone":
        hone_line(report={"step": own_epochs(), "value": value})
    elif way in ("csv", "sum", "column"):
        rows.write(f"{own_epochs()},1,{value}\n")
        rows.flush()
    elif way == "jsonl":
        print(json.dumps({"value": value}), flush=True)
    elif way in ("regex", "stderr"):
        print(f"value: {value}", file=rows, flush=True)
    elif way == "tensorboard":
        events.write(tfrecord.scalar_record(own_epochs(), "value", value))
        events.flush()

def crash(here):
    if first and here in manner and trained == begun + 4:
        os.kill(os.getpid(), 9)

while trained < phases:
    phase = next(numbers, None)
    if sdk and phase is None:
        break
    trained += 1
    if "after" not in manner:
        save(phase)
        crash("between")
    report(phase)
    if "after" in manner:
        save(phase)
    crash("crash")
(own / "epochs").write_text(str(trained))
'''.replace("PATHS", f"{str(ROOT / 'sdk' / 'python')!r}, {str(ROOT / 'tests' / 'e2e')!r}")

PATTERN = r"^value: (?<value>\S+)"
# Way to report -> command.collect.
WAYS = {
    "sdk": None,
    "hone": None,
    "csv": {"file": "rows", "objective": "value"},
    "sum": {"file": "rows", "objective": "value", "step": {"sum": "length"}},
    "column": {"file": "rows", "objective": "value", "step": "epoch"},
    "jsonl": {"stdout": True, "format": "jsonl", "objective": "value"},
    "regex": {"stdout": True, "format": "regex", "pattern": PATTERN},
    "stderr": {"stderr": True, "format": "regex", "pattern": PATTERN},
    "tensorboard": {"file": "runs", "format": "tensorboard", "objective": "value"},
}


def command(folder, way, manner=""):
    """A command that runs the program, which is written to `folder`."""
    program = folder / "counting.py"
    if not program.exists():
        program.write_text(PROGRAM)
    words = {"run": [sys.executable, "-S", str(program), way, "${x}", manner], "folder": "fresh",
             "may_change": ["x"]}
    return {**words, "collect": WAYS[way]} if WAYS[way] else words


def spec(folder, way, manner="", rule="none", trials=1, phases=9, **changes):
    """A sweep of the program; `rule` may also be the name of a method that has its own."""
    method = {"method": "random", "trials": trials}
    if rule == "pbt":
        method = {"method": "pbt", "population": trials, "quantile": 0.5}
    more = {"command": command(folder, way, manner)} if "steps" not in changes else {}
    if rule != "pbt":
        more["terminator"] = {"rule": rule}
    made = sweep_spec(objective={"metric": "value", "goal": "maximize"},
                      parameters={"x": {"type": "float", "min": 0.05, "max": 0.9}}, search=method,
                      budget={"unit": "epochs", "per_run": phases, "phases": phases},
                      checkpoints={"keep": "all"}, **{**more, **changes})
    if "steps" in changes:
        del made["command"]
    if rule == "pbt":
        del made["terminator"]
    return made


def pipeline(folder, way, manner="", rule="none", **more):
    """A sweep whose runs train in two steps, the first for four phases. The second one gets the
    number of epochs as a file."""
    first = {**command(folder, way), "artifacts": ["epochs"]}
    second = command(folder, way, manner)
    for one in (first, second):
        del one["may_change"]
    steps = [{"name": "half", "command": first, "phases": 4},
             {"name": "whole", "command": second}]
    return spec(folder, way, rule=rule, steps=steps, **more)


def runs_of(server, sweep):
    trials = server.get(f"/v1/sweeps/{sweep}/trials")["items"]
    return [run for trial in trials
            for run in server.get(f"/v1/trials/{trial['id']}/runs")["items"]]


def epochs_before(run):
    """Those that the run did not train, as a fork has them from its origin."""
    return run["origin"]["phase"] + 1 if run["origin"] else 0


def wrong_phases(server, sweep):
    """Run -> its (epoch, value) pairs that do not agree."""
    wrong = {}
    for run in runs_of(server, sweep):
        curve = server.get(f"/v1/runs/{run['id']}/curve")["items"]
        bad = [(point["phase"] + 1, point["value"]) for point in curve
               if point["value"] == "diverged" or int(point["value"]) != point["phase"] + 1]
        if bad or not curve:
            wrong[run["id"]] = (run["state"], run["reason"], bad)
    return wrong
