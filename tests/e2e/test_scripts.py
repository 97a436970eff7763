"""Skeletons of public training scripts (docs/scripts.md) go through `hone init` and a sweep of
three trials: the program gets every flag as its author meant it."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from commands import Up, ok
from conftest import ROOT

SKELETONS = ROOT / "tests" / "data" / "scripts"
# Those whose flags a library reads that Python does not have. Its name is that of the import.
LIBRARIES = {"cleanrl_ppo.py": "tyro", "torchtitan.py": "tyro", "mlflow_click.py": "click",
             "stylegan_click.py": "click", "brax_learner.py": "absl", "football_ppo.py": "absl",
             "drqv2/train.py": "hydra", "sac_hydra/train.py": "hydra", "alpaca_lora.py": "fire"}
PLAIN = ["a2c_ppo_acktr.py", "cleanrl_sac.py", "deit.py", "fairseq_train.py", "glue_no_trainer.py",
         "nanogpt.py", "pytorch_mnist.py", "rainbow.py", "rl_zoo.py", "sample_factory.py",
         "spinningup_ppo.py", "td3.py", "tianshou_dqn.py", "timm_train.py", "yolov5.py"]
# What a sweep of each must search at least, and the budget that `init` finds; None: rows.
EXPECTED = {
    "a2c_ppo_acktr.py": ("lr entropy_coef use_gae clip_param ppo_epoch", "steps 10000000"),
    "alpaca_lora.py": ("learning_rate lora_r lora_dropout train_on_inputs", "epochs 3"),
    "brax_learner.py": ("learning_rate entropy_cost normalize_observations learner",
                        "steps 50000000"),
    "cleanrl_ppo.py": ("learning_rate anneal_lr ent_coef clip_vloss", "timesteps 500000"),
    "cleanrl_sac.py": ("policy_lr tau autotune learning_starts", "timesteps 1000000"),
    "deit.py": ("lr model_ema repeated_aug distillation_type bce_loss", "epochs 300"),
    "drqv2/train.py": ("lr discount agent.stddev_clip agent.hidden_dim", "frames 1100000"),
    "fairseq_train.py": ("lr dropout optimizer sentence_avg", "epochs 20"),
    "football_ppo.py": ("lr ent_coef gamma policy", "timesteps 2000000"),
    "glue_no_trainer.py": ("learning_rate lr_scheduler_type pad_to_max_length", "epochs 3"),
    "mlflow_click.py": ("learning_rate momentum batch_size", "epochs 100"),
    "nanogpt.py": ("learning_rate decay_lr bias n_head", "iterations 600000"),
    "pytorch_mnist.py": ("lr gamma batch_size", "epochs 14"),
    "rainbow.py": ("learning_rate V_min V_max architecture", None),
    "rl_zoo.py": ("no_optim_plots uuid", None),
    "sac_hydra/train.py": ("agent.alpha_lr agent.critic_tau agent.learnable_temperature",
                           "steps 1000000"),
    "sample_factory.py": ("learning_rate use_rnn encoder_mlp_layers kl_loss_coeff", None),
    "spinningup_ppo.py": ("hid l gamma", "epochs 50"),
    "stylegan_click.py": ("gamma mirror aug ema p", None),
    "td3.py": ("tau discount policy_freq expl_noise", None),
    "tianshou_dqn.py": ("lr hidden_sizes prioritized_replay", "epochs 20"),
    "timm_train.py": ("lr_base momentum model_ema sched_on_updates", "epochs 300"),
    "torchtitan.py": ("optimizer.lr optimizer.name optimizer.early_step_in_backward",
                      "steps 10000"),
    "yolov5.py": ("optimizer cos_lr label_smoothing batch_size", "epochs 100"),
}

# Settings of Hydra that take the value of another one: "${lr}".
FOLLOWERS = ["agent.lr", "agent.use_logger", "replay_buffer_capacity"]


def python_with(module):
    named = filter(None, os.environ.get("HONE_LIBRARY_PYTHON", "").split(":"))
    script = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
    for python in [*map(os.path.abspath, named), sys.executable, shutil.which("python3")]:
        if subprocess.run([python, "-c", script], capture_output=True).returncode == 0:
            return python
    pytest.skip(f"no Python has {module}: make a virtual environment with it and name its "
                "python in HONE_LIBRARY_PYTHON")


@pytest.fixture(scope="module")
def up(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts") / "work"
    shutil.copytree(SKELETONS, folder)
    one = Up(folder.parent / "data", "--slots", "2", cwd=folder)
    one.folder = folder
    yield one
    assert one.stop()[0] == 0


def values_of(got):
    """The flags that the program parsed, nested ones by dotted names."""
    flat = {}
    for name, value in got.items():
        if isinstance(value, dict):
            flat.update({f"{name}.{inner}": one for inner, one in values_of(value).items()})
        else:
            flat[name] = value
    return flat


def alike(given, parsed):
    """Types included: a float of hone is a float of the program, a list its list."""
    if isinstance(parsed, list) and not isinstance(given, list):  # fairseq's eval_str_list
        return len(parsed) == 1 and alike(given, parsed[0])
    return type(given) is type(parsed) and given == parsed


def default_of(python, folder, script):
    """What the program parses without any flag: what it must still get for flags not searched."""
    printed = subprocess.run([python, script], cwd=folder, capture_output=True, text=True,
                             timeout=60)
    return values_of(json.loads(re.search(r"^GOT (.*)$", printed.stdout, re.M)[1]))


def differences(expected, parsed, usual):
    """A default such as 10e6 of an int is a float until a flag sets it to the same number."""
    return {name: (value, parsed.get(name)) for name, value in expected.items()
            if not alike(value, parsed.get(name))
            and not (name in usual and usual[name] == value == parsed.get(name))}


@pytest.mark.parametrize("script", sorted(EXPECTED))
def test_a_public_script_gets_every_flag_as_its_author_meant(up, script):
    python = python_with(LIBRARIES[script]) if script in LIBRARIES else "python3"
    sweep_file = script.replace("/", "_") + ".yaml"
    ok("init", script, "-o", sweep_file, cwd=up.folder)
    text = (up.folder / sweep_file).read_text()
    (up.folder / sweep_file).write_text(text.replace('"python3"', json.dumps(python), 1))
    plan = json.loads(ok("plan", sweep_file, "--format", "json", cwd=up.folder))
    assert plan["plan"]["remarks"] == [], text
    names, budget = EXPECTED[script]
    assert set(names.split()) <= set(plan["parameters"]), text
    unit = f"{plan['budget']['unit']} {plan['budget']['per_run']}"
    assert unit == (budget or "rows 1000000"), text
    assert (plan["terminator"]["rule"] == "none") == (budget is None), text
    assert not re.search(r"^  \S*(ent|decay|drop)\S*: .*min: -", text, re.M), text
    complete = re.sub(r"rule: hypertrick[^}]*", "rule: none", (up.folder / sweep_file).read_text())
    (up.folder / sweep_file).write_text(complete)
    ok("submit", sweep_file, "--set", "search.trials=3", "--set", "search.method=random",
       "--watch", "-q", cwd=up.folder, server=up, timeout=120)
    usual = default_of(python, up.folder, script)
    for follower in FOLLOWERS:
        usual.pop(follower, None)
    trials = json.loads(ok("trials", "--format", "json", server=up))
    assert len(trials) == 3 and all(trial["state"] == "completed" for trial in trials), \
        ok("logs", trials[0]["id"].replace("tr_", "rn_") + ".0", server=up)
    for trial in trials:
        run = json.loads(ok("show", trial["id"].replace("tr_", "rn_") + ".0", "--format", "json",
                            server=up))
        log = ok("logs", run["id"], server=up)
        parsed = values_of(json.loads(re.search(r"^GOT (.*)$", log, re.M)[1]))
        expected = {**usual, **trial["params"]}
        for seed in ("seed", "training.seed"):
            if seed in usual:
                expected[seed] = run["seed"] % 2**31
        assert differences(expected, parsed, usual) == {}


def test_every_skeleton_is_in_the_table_of_the_docs():
    page = (ROOT / "docs" / "scripts.md").read_text()
    for script in EXPECTED:
        assert f"`{script}`" in page, script
    assert sorted([*PLAIN, *LIBRARIES]) == sorted(EXPECTED)
    found = {str(path.relative_to(SKELETONS)) for path in SKELETONS.glob("**/*.py")}
    assert found - {"skeleton.py", "configurator.py"} == set(EXPECTED)
