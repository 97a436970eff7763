"""Population-based training with the real trainer, and forks of runs: lineage, schedule, best, refusals."""
import csv
import io
import json

from commands import Up, hone, ok
from conftest import ROOT, program

EXAMPLE = str(ROOT / "sdk" / "examples" / "pbt-cartpole.yaml")
SMALL = ["search.population=4", "search.quantile=0.5", "budget.per_run=40k", "budget.phases=5"]


def rows(*words, up):
    return [json.loads(line) for line in ok(*words, "--format", "jsonl", server=up).splitlines()]


def submit(up, *changes, file=EXAMPLE):
    words = [word for change in changes for word in ("--set", change)]
    return ok("submit", "-q", file, *words, server=up, cwd=ROOT).strip()


def test_a_population_of_hone_train_ends_with_a_schedule_and_its_lineage(tmp_path):
    program("hone-train")
    up = Up(tmp_path / "data", "--slots", "1", "--workers", "2", cwd=ROOT)
    sweep = submit(up, *SMALL)
    ok("watch", sweep, server=up, timeout=240)
    runs = {run["id"]: run for run in rows("runs", sweep, up=up)}
    complete = [run for run in runs.values() if run["state"] == "completed"]
    assert len(complete) == 4 and all(run["step"] == 40000 for run in complete), runs
    assert all(run["state"] == "stopped" for run in runs.values() if run not in complete)
    forks = [run for run in runs.values() if run["origin"]]
    assert forks, "no member was replaced"
    trials = {trial["id"]: trial for trial in rows("trials", sweep, up=up)}
    for fork in forks:
        origin = fork["origin"]
        assert runs[origin["replaces"]]["successor"] == fork["id"]
        own, parent = (trials[run["trial"]]["params"] for run in (fork, runs[origin["run"]]))
        assert own["hidden"] == parent["hidden"]
        assert own["learning_rate"] != parent["learning_rate"]
        curve, before = (rows("curve", run, up=up) for run in (fork["id"], origin["run"]))
        shared = origin["phase"] + 1
        assert [point["value"] for point in curve[:shared]] == [
            point["value"] for point in before[:shared]]

    replaced = forks[0]["origin"]["replaces"]
    explained = json.loads(ok("explain", replaced, "--format", "json", server=up))
    assert forks[0]["id"] in explained["text"] and "members of its population" in explained["text"]
    assert explained["verdicts"][-1]["reason"] == "replaced"
    assert explained["verdicts"][-1]["recomputed"] == "stop"
    shown = ok("show", forks[0]["id"], server=up)
    assert f"{forks[0]['origin']['run']} after phase" in shown

    deepest = max(complete, key=lambda run: (run["origin"] or {}).get("step", -1))
    schedule = list(csv.DictReader(io.StringIO(
        ok("schedule", deepest["id"], "--format", "csv", server=up))))
    assert len(schedule) >= 2 and schedule[0]["from"] == "0" and schedule[-1]["to"] == "40000"
    assert all(one["to"] == next_one["from"] for one, next_one in zip(schedule, schedule[1:]))
    rates = [float(one["learning_rate"]) for one in schedule]
    assert len(set(rates)) > 1
    assert "learning_rate" in ok("schedule", deepest["id"], server=up)

    graph = json.loads(ok("lineage", deepest["trial"], "--up", "--format", "json", server=up))
    relations = {(edge["from"], edge["relation"], edge["to"]) for edge in graph["edges"]}
    assert (deepest["trial"], "forked_from", deepest["origin"]["run"]) in relations
    best = rows("best", sweep, "-n", "1", up=up)[0]
    assert best["run"] in runs and best["model"]
    assert json.loads(ok("replay", sweep, "--format", "json", server=up))["same"]
    confirm_the_schedule(sweep, up)
    refused = hone("reproduce", deepest["id"], server=up)
    assert refused.returncode != 0 and "is a fork" in refused.stderr
    assert up.stop()[0] == 0


def confirm_the_schedule(sweep, up):
    """The best member's schedule is trained again from nothing, on two new seeds."""
    started = ["confirm", sweep, "--start", "--top", "4", "--seeds", "2", "--yes"]
    again = ok(*started, server=up).strip()
    ok("watch", again, server=up, timeout=240)
    runs = rows("runs", again, up=up)
    assert all(run["state"] == "completed" and run["step"] == 40000 for run in runs), runs
    assert not [run for run in runs if run["origin"]]
    items = json.loads(ok("confirm", sweep, "--format", "json", server=up))["items"]
    changed = [item for item in items if item["schedule"]]
    assert changed, "no leader had a schedule"
    for item in changed:
        trained, led = (rows("schedule", item[key], up=up) for key in ("trial", "of"))
        # A member that was followed before it had trained left no step.
        starts = [(one["from"], one["params"]) for one in led if one["from"] < one["to"]]
        changes = starts[:1] + [after for before, after in zip(starts, starts[1:])
                                if before[1] != after[1]]
        assert [(one["from"], one["params"]) for one in trained] == changes
    run = next(run for run in runs if run["trial"] == changed[0]["trial"])
    explained = json.loads(ok("explain", run["id"], "--format", "json", server=up))
    paused = [one for one in explained["verdicts"] if one["reason"] == "yields"]
    assert len(paused) == len(changed[0]["schedule"])
    assert all("next_parameters" in json.dumps(one) for one in paused), paused
    assert json.loads(ok("replay", again, "--format", "json", server=up))["same"]
    assert "hone curve --schedule" in hone("confirm", sweep, server=up).stderr


def test_a_user_forks_a_run_with_another_learning_rate(tmp_path):
    program("hone-train")
    up = Up(tmp_path / "data", "--slots", "1", cwd=ROOT)
    sweep = submit(up, "search.method=random", "search.trials=200", "budget.per_run=100k",
                   "budget.phases=4", "terminator={rule: none}", "checkpoints={keep: all}",
                   file=plain(tmp_path))
    while not [run for run in rows("runs", sweep, up=up) if run["phase"] >= 2]:
        pass  # each look is a round trip to the server
    fork = ["enqueue", "--from", "rn_1.0", "--phase", "2", "--params"]
    ok(*fork, "learning_rate=0.00125", server=up)
    refused = hone(*fork, "hidden=64", server=up)
    hidden = rows("trials", sweep, up=up)[0]["params"]["hidden"]
    assert (refused.returncode != 0) == (hidden != 64)
    if hidden != 64:
        assert "'hidden' may not change" in refused.stderr
    forks = []
    while not forks or forks[0]["phase"] < 4:
        forks = [run for run in rows("runs", sweep, up=up) if run["origin"]]
    assert forks[0]["origin"]["run"] == "rn_1.0" and forks[0]["origin"]["phase"] == 1
    assert forks[0]["origin"]["step"] == 50000 and forks[0]["state"] == "completed"
    schedule = rows("schedule", forks[0]["id"], up=up)
    assert [(one["run"], one["from"], one["to"]) for one in schedule] == [
        ("rn_1.0", 0, 50000), (forks[0]["id"], 50000, 100000)]
    assert schedule[1]["params"]["learning_rate"] == 0.00125
    ok("cancel", sweep, server=up)
    assert up.stop()[0] == 0


def plain(folder):
    """The example without its population."""
    text = (ROOT / "sdk" / "examples" / "pbt-cartpole.yaml").read_text()
    head, tail = text.split("search:\n")
    file = folder / "plain.yaml"
    file.write_text(head + "search: {method: random, trials: 4}\n" + tail[tail.index("budget:"):])
    return str(file)


def test_what_no_population_can_train_is_refused(tmp_path):
    up = Up(tmp_path / "data", "--slots", "1", cwd=ROOT)

    def refusal(*changes):
        words = [word for change in changes for word in ("--set", change)]
        done = hone("submit", EXAMPLE, *words, server=up, cwd=ROOT)
        assert done.returncode != 0
        return done.stderr
    assert "its own rule" in refusal("terminator={rule: asha}")
    assert "perturb must hold factors" in refusal("search.perturb=[0.8, -1]")
    assert "exploit must be truncation or t_test" in refusal("search.exploit=best")
    assert "leave replicates out" in refusal("replicates={seeds: 2}")
    assert "rule pbt is that of search: {method: pbt or pb2}" in refusal("search={method: random, trials: 4}",
                                                         "terminator={rule: pbt}")
    assert up.stop()[0] == 0


def test_the_rule_hone_continues_its_best_runs_and_says_which(tmp_path):
    program("hone-train")
    up = Up(tmp_path / "data", "--slots", "1", "--workers", "2", cwd=ROOT)
    text = (ROOT / "sdk/examples/pbt-cartpole.yaml").read_text()
    head, search = text.split("search:", 1)
    rest = search[search.index("\nbudget:"):]
    file = tmp_path / "forks.yaml"
    file.write_text(head + "search: {method: hone, trials: 24}\n"
                    "terminator: {rule: hone, version: 4, forks: 0.5}\n"
                    "checkpoints: {keep: all}" + rest)
    sweep = submit(up, "budget.per_run=40k", "budget.phases=5", file=str(file))
    ok("watch", sweep, server=up, timeout=240)
    forks = [run for run in rows("runs", sweep, up=up) if run["origin"]]
    assert forks, "no run was continued"
    for fork in forks:
        assert 5 * fork["origin"]["place"] <= fork["origin"]["rivals"]
    first = forks[0]
    explained = json.loads(ok("explain", first["id"], "--format", "json", server=up))["text"]
    assert f"number {first['origin']['place']} of {first['origin']['rivals']}" in explained
    assert json.loads(ok("replay", sweep, "--format", "json", server=up))["same"]
    refused = hone("submit", str(file), "--set", "checkpoints.keep=best", server=up, cwd=ROOT)
    assert refused.returncode != 0 and "/terminator/forks" in refused.stderr
    assert up.stop()[0] == 0
