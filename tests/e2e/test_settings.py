"""The settings of trainers: one answer of `hone plan` and hone-train, presets, and their help."""
import json
import os
import subprocess

import pytest

from conftest import program

TRAINERS = ("ga3c", "a3c", "a2c", "ppo", "impala", "dqn", "apex", "gorila", "sac", "placement",
            "cem", "reinforce", "harmony")
UNITS = {"placement": "placements", "cem": "episodes", "reinforce": "episodes", "harmony": "jobs"}
METRICS = {"placement": "step_ms", "harmony": "of_load_balancing"}
SWEEP = """\
trainer: {{name: {trainer}, {setting}: {value}}}
objective: {{metric: {metric}, goal: maximize}}
search: {{method: random, trials: 1}}
terminator: {{rule: none}}
budget: {{unit: {unit}, per_run: 10, phases: 1}}
parameters:
  {other}: {{type: fixed, value: {fallback}}}
"""


def run(name, *words):
    return subprocess.run([program(name), *words], capture_output=True, text=True, timeout=60,
                          check=False)


def described(trainer, *words):
    done = run("hone-train", trainer, "--settings", "--format", "json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def one_of_each_type(settings):
    chosen = {one["type"]: name for name, one in settings.items() if name != "env"}
    return {name: settings[name] for kind, name in chosen.items() if kind != "text"}


def values_for(setting):
    if setting["type"] == "word":
        return [setting["words"][-1], "nonsense"]
    return [setting["value"], "nonsense", setting["max"] * 2 + 0.5, setting["min"] - 1]


@pytest.mark.parametrize("trainer", TRAINERS)
def test_plan_and_hone_train_gave_different_answers(trainer, tmp_path):
    settings = described(trainer)["settings"]
    file = tmp_path / "sweep.yaml"
    refused = 0
    for name, setting in one_of_each_type(settings).items():
        other = next(key for key, one in settings.items() if key != name and one["type"] != "text")
        for value in values_for(setting):
            file.write_text(SWEEP.format(trainer=trainer, setting=name, value=value, other=other,
                                         fallback=settings[other]["value"],
                                         unit=UNITS.get(trainer, "frames"),
                                         metric=METRICS.get(trainer, "return")))
            plan = run("hone", "plan", str(file))
            train = run("hone-train", trainer, "--settings", "--set", f"{name}={value}")
            assert (plan.returncode == 0) == (train.returncode == 0), (name, value, plan.stderr)
            refused += train.returncode != 0
            if train.returncode != 0:
                sentence = train.stderr.removeprefix("hone-train: ")
                assert plan.stderr.endswith(sentence), (plan.stderr, train.stderr)
    assert refused >= 3


def test_a_list_was_trained_as_its_only_number():
    for text in ("[1]", "1_000", "np.float64(64)", "nan", "1e400"):
        done = run("hone-train", "dqn", "--frames", "1", "--set", f"batch={text}")
        assert done.returncode == 2 and done.stdout == "", text


def test_plan_accepted_an_environment_that_the_trainer_cannot_learn(tmp_path):
    file = tmp_path / "sweep.yaml"
    file.write_text(SWEEP.format(trainer="dqn", setting="env", value="Pendulum-v1", other="batch",
                                 fallback=32, unit="frames", metric="return"))
    plan = run("hone", "plan", str(file))
    train = run("hone-train", "dqn", "--env", "Pendulum-v1", "--frames", "1")
    assert plan.returncode == 2 and train.returncode == 2
    assert plan.stderr.endswith(train.stderr.removeprefix("hone-train: "))
    assert "/trainer/env: dqn needs discrete actions" in plan.stderr


def test_a_gym_name_trained_without_the_preset_of_its_environment():
    built_in = described("ppo", "--env", "LunarLander-v3")
    gym = described("ppo", "--env", "gym:LunarLander-v3")
    assert built_in["preset"] == gym["preset"] == "LunarLander"
    assert gym["settings"]["gamma"]["value"] == 0.995
    assert gym["settings"]["gamma"]["from"] == "preset"
    assert described("ppo", "--env", "gym:LunarLander-v3?enable_wind=true")["preset"] == "general"
    given = described("ppo", "--env", "LunarLander-v3", "--set", "gamma=0.9")["settings"]["gamma"]
    assert (given["value"], given["from"]) == (0.9, "given")


def test_a_training_did_not_say_which_preset_it_took():
    done = run("hone-train", "dqn", "--env", "Acrobot-v1", "--frames", "10", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("hone-train: preset Acrobot: learning_rate=0.001 ")
    assert json.loads(done.stdout)["preset"] == "Acrobot"
    plain = run("hone-train", "a2c", "--frames", "100", "--format", "json")
    assert "preset" not in plain.stderr and json.loads(plain.stdout)["preset"] is None


@pytest.mark.parametrize("recorded,preset", [
    ({}, None),
    ({"presets": 1}, None),
    ({"presets": 2}, "general"),
])
def test_a_sweep_of_before_continued_with_the_presets_of_today(recorded, preset, tmp_path):
    file = tmp_path / "run.json"
    file.write_text(json.dumps({
        "run": "run-1-1-0", "attempt": 1, "sweep": "sweep-1", "params": {}, "seed": 1,
        "trainer": {"name": "ppo", "settings": {"env": "MountainCar-v0", **recorded}},
        "objective": {"metric": "return", "goal": "maximize"}, "next_phase": 0,
        "budget": {"unit": "frames", "per_run": 10, "phases": 1}}))
    nowhere = {"HONE_RUN_FILE": str(file), "HONE_SOCKET": str(tmp_path / "nowhere"),
               "HONE_CHECKPOINT_DIR": str(tmp_path)}
    done = subprocess.run([program("hone-train"), "ppo"], capture_output=True, text=True,
                          timeout=60, check=False, env={**os.environ, **nowhere})
    assert done.stderr.startswith(f"hone-train: preset {preset}:" if preset else "hone-train: ")
    assert ("preset" in done.stderr) == (preset is not None), done.stderr


def test_a_sweep_did_not_record_its_presets(server):
    sweep = server.submit({
        "name": "recorded", "trainer": {"name": "ppo", "env": "MountainCar-v0"},
        "objective": {"metric": "return", "goal": "maximize"},
        "search": {"method": "random", "trials": 1}, "terminator": {"rule": "none"},
        "budget": {"unit": "frames", "per_run": 10, "phases": 1},
        "parameters": {"gamma": {"type": "fixed", "value": 0.9}}})
    trainer = server.get(f"/v1/sweeps/{sweep}")["spec"]["trainer"]
    assert trainer["presets"] == described("ppo")["settings"]["presets"]["value"]


def test_a_training_that_cannot_learn_did_not_say_so():
    done = run("hone-train", "cem", "--env", "MountainCar-v0", "--episodes", "1")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("hone-train: cem was not seen to learn MountainCar-v0: take ")


@pytest.mark.parametrize("trainer", TRAINERS)
def test_help_listed_settings_in_one_heap(trainer):
    text = run("hone-train", trainer, "--help").stdout
    settings = text[text.index("settings (--set"):]
    headings = [line for line in settings.splitlines() if line[:1] == " " and line[1:2].isalpha()]
    assert len(headings) >= 3, headings
    for name in described(trainer)["settings"]:
        assert f"\n  {name} " in settings, name
    assert max(len(line) for line in settings.split("examples:")[0].splitlines()) <= 90
