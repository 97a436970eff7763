"""The program gets every parameter, in the form that it reads."""
import json
import re

import pytest

from commands import Up, hone, ok

PROGRAM = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=0.01)
p.add_argument("--anneal", action="store_true")
p.add_argument("--norm", action=argparse.BooleanOptionalAction, default=True)
p.add_argument("--bias", type=float, default=0.0)
p.add_argument("--clip", type=float, default=None)
p.add_argument("--batch", type=int, default=1)
p.add_argument("--sizes", type=int, nargs="+", default=[1])
p.add_argument("--net", default="")
a = p.parse_args()
import json
print("GOT " + json.dumps(vars(a)))
print("loss 0.5")
"""
COLLECT = {"stdout": True, "format": "regex", "pattern": "loss (?<loss>[-+.e\\d]+)"}


@pytest.fixture(scope="module")
def up(tmp_path_factory):
    folder = tmp_path_factory.mktemp("passing")
    (folder / "prog.py").write_text(PROGRAM)
    one = Up(folder / "data", "--slots", "2", cwd=folder)
    one.folder = folder
    yield one
    assert one.stop()[0] == 0


def sweep(up, parameters, words=(), trials=4, method="grid", **command):
    """Submits the program; returns trials with what the program got, and stderr."""
    document = {"name": "passing", "objective": {"metric": "loss", "goal": "minimize"},
                "command": {"run": ["python3", "prog.py", *words], "collect": COLLECT, **command},
                "parameters": parameters, "search": {"method": method, "trials": trials},
                "terminator": {"rule": "none"}, "budget": {"unit": "epochs", "per_run": 1}}
    (up.folder / "sweep.json").write_text(json.dumps(document))
    done = hone("submit", "sweep.json", "--watch", cwd=up.folder, server=up, timeout=120)
    assert done.returncode == 0, done.stderr
    trials = json.loads(ok("trials", "--format", "json", server=up))
    for trial in trials:
        log = ok("logs", trial["id"].replace("tr_", "rn_") + ".0", server=up)
        trial["log"] = log
        trial["got"] = json.loads(re.search(r"^GOT (.*)$", log, re.M)[1])
    assert all(trial["state"] == "completed" for trial in trials), trials
    return trials, done.stderr


def test_a_switch_was_passed_as_a_word_and_refused(up):
    for style, words in (("switches", ()), ("none", ("${anneal?--anneal}", "--lr=${lr}"))):
        trials, said = sweep(up, {"anneal": {"type": "bool"}, "lr": {"values": [0.5, 0.25]}},
                             words,
                             params=style)
        assert len(trials) == 4 and "remark" not in said, said
        for trial in trials:
            assert trial["got"]["anneal"] is trial["params"]["anneal"]
            assert trial["got"]["lr"] == trial["params"]["lr"]


def test_a_pair_of_switches_was_refused(up):
    trials, _ = sweep(up, {"norm": {"type": "bool"}}, trials=2, params="pairs")
    assert sorted(trial["got"]["norm"] for trial in trials) == [False, True]


def test_a_small_negative_number_was_taken_for_an_option(up):
    values = [-0.5, -0.00001, 0.00001]
    for words, style in (((), "flags"), (("--bias", "${bias}"), "none"), (("--bias=${bias}",),
        "none")):
        trials, _ = sweep(up, {"bias": {"values": values}}, words, trials=3, params=style)
        assert sorted(trial["got"]["bias"] for trial in trials) == values


def test_lists_null_and_objects_were_refused(up):
    trials, _ = sweep(up, {"sizes": {"values": [[64, 64], [32]]}, "clip": {"values": [None, 0.5]},
                           "net": {"value": {"b": [1], "a": None}}},
                      ["--sizes", "${sizes*}", "--clip=${clip?}", "--net=${net}"])
    assert len(trials) == 4
    for trial in trials:
        assert trial["got"]["sizes"] == trial["params"]["sizes"]
        assert trial["got"]["clip"] == trial["params"]["clip"]
        assert json.loads(trial["got"]["net"]) == {"a": None, "b": [1]} == trial["params"]["net"]
    for where, count in (("params.sizes = '[32]'", 2), ("params.clip = null", 2)):
        found = json.loads(ok("find", f"trial where {where} and sweep.id = {trials[0]['sweep']}",
                              "--format", "json", server=up))
        assert len(found) == count, (where, found)
    assert "[64,64]" in ok("trials", "--format", "csv", server=up)
    assert "null" in ok("best", "--format", "csv", server=up)


def test_a_derived_int_was_a_float(up):
    trials, _ = sweep(up, {"half": {"type": "int", "min": 45, "max": 46},
                           "batch": {"expr": "half * 2"}},
                      ["--batch", "${batch}"], trials=2)
    assert sorted(trial["got"]["batch"] for trial in trials) == [90, 92]


def test_a_parameter_that_no_word_carries_was_searched_in_silence(up):
    trials, said = sweep(up, {"lr": {"values": [0.5]}, "clip": {"values": [0.1, 0.2]}},
                         ["--lr=${lr}"], trials=2)
    assert "not passed by any word: clip; the program must read HONE_PARAMS_FILE" in said
    for trial in trials:
        assert "by any word: clip; the program opened neither HONE_PARAMS_FILE" in trial["log"]
    plan = json.loads(ok("plan", "sweep.json", "--format", "json", cwd=up.folder))
    assert ["clip" in one for one in plan["plan"]["remarks"]] == [True]


def test_a_program_that_reads_the_file_gets_no_remark(up):
    (up.folder / "reads.py").write_text("import os\nopen(os.environ['HONE_PARAMS_FILE']).read()\n"
                                        "print('GOT {}')\nprint('loss 1')\n")
    (up.folder / "opens.sh").write_text("cat \"$HONE_RUN_FILE\" >/dev/null\n"
                                        "echo 'GOT {}'; echo loss 1\n")
    for run in (["python3", "reads.py"], ["sh", "opens.sh"]):
        trials, said = sweep(up, {"clip": {"values": [0.1]}}, trials=1, run=run)
        assert "remark" not in said and "not passed" not in trials[0]["log"], trials[0]["log"]


def test_two_parameters_became_one_variable(up):
    for name in ("a_b", "a-b", "A.B"):
        document = {"objective": {"metric": "loss"}, "command": {"run": ["x"], "params": "env"},
                    "parameters": {"a.b": {"values": [1, 2]}, name: {"values": [1, 2]}},
                    "search": {"trials": 4}, "budget": {"per_run": 1}}
        (up.folder / "clash.json").write_text(json.dumps(document))
        for command in ("plan", "submit"):
            done = hone(command, "clash.json", cwd=up.folder, server=up)
            assert done.returncode == 2, done.stderr
            assert f"'a.b' and '{name}' both as HONE_PARAM_A_B" in done.stderr


def test_a_switch_that_gets_a_text_is_named_before_the_first_run(up):
    document = {"objective": {"metric": "loss"}, "command": {"run": ["python3", "prog.py"],
        "params": "flags"},
                "parameters": {"anneal": {"type": "bool"}, "norm": {"type": "bool"}},
                "search": {"trials": 4}, "budget": {"per_run": 1}}
    (up.folder / "texts.json").write_text(json.dumps(document))
    remarks = json.loads(ok("plan", "texts.json", "--format", "json",
                            cwd=up.folder))["plan"]["remarks"]
    assert len(remarks) == 2
    assert '"${anneal?--anneal}", or params: switches' in remarks[0]
    assert '"${norm?--norm:--no-norm}", or params: pairs' in remarks[1]


def test_the_import_of_a_sweep_dropped_its_parameters(up):
    (up.folder / "wandb.yaml").write_text("""
program: prog.py
method: grid
metric: {name: loss, goal: minimize}
parameters:
  lr: {values: [0.5, 0.25]}
  anneal: {values: [true, false]}
command: ["${env}", python3, "${program}", "${args_no_boolean_flags}"]
""")
    text = ok("import", "wandb", "wandb.yaml", cwd=up.folder)
    assert '"--lr=${lr}", "${anneal?--anneal}"' in text, text
    (up.folder / "imported.yaml").write_text(text.replace(
        "parameters:", "terminator: {rule: none}\nparameters:", 1))
    ok("submit", "imported.yaml", "--set", "search.trials=2", cwd=up.folder, server=up)
