"""`hone import`: the translated sweep on stdout, what has no counterpart on stderr."""
import json
import re

import pytest

from commands import hone, ok
from conftest import ROOT

FIXTURES = ROOT / "tests" / "data" / "import"
FILES = [("wandb", "wandb.yaml"), ("katib", "katib.yaml"), ("nni", "nni.yaml"),
         ("optuna", "optuna.json"), ("ray", "ray.yaml"), ("ray", "ray_space.json"),
         ("ray", "ludwig.yaml"), ("hydra", "hydra.yaml"), ("hydra", "hydra_ax.yaml"),
         ("hydra", "hydra_nevergrad.yaml"),
         ("determined", "determined.yaml")]


@pytest.mark.parametrize("kind, file", FILES)
def test_a_translated_sweep_is_one_that_hone_plans(tmp_path, kind, file):
    done = hone("import", kind, FIXTURES / file)
    assert done.returncode == 0, done.stderr
    translated = tmp_path / "translated.yaml"
    translated.write_text(done.stdout)
    plan = json.loads(ok("plan", translated, "--format", "json"))
    assert plan["parameters"] and plan["plan"]["trials"] >= 1


def test_what_has_no_counterpart_is_named_on_stderr():
    done = hone("import", "wandb", FIXTURES / "wandb.yaml")
    assert re.search(r"wandb.yaml:\d+:\d+: metric.target is not translated", done.stderr)
    assert "beta" in done.stderr
    assert "stderr" not in done.stdout and "is not translated" not in done.stdout


def test_what_a_named_file_holds_is_placed_in_that_file(tmp_path):
    (tmp_path / "exp.yml").write_text("searchSpaceFile: space.json\nmaxTrialNumber: 3\n")
    (tmp_path / "space.json").write_text('{\n  "lr": {"_type": "odd", "_value": [0, 1]}\n}\n')
    done = hone("import", "nni", tmp_path / "exp.yml")
    assert done.returncode == 2 and "space.json:2:3: hone knows no 'odd'" in done.stderr


def test_an_unknown_format_and_a_foreign_file_are_refused(tmp_path):
    done = hone("import", "vizier", FIXTURES / "wandb.yaml")
    assert done.returncode == 2 and "wandb" in done.stderr and not done.stdout
    done = hone("import", "katib", FIXTURES / "wandb.yaml")
    assert done.returncode == 2
    assert "wandb.yaml:1:1: a Katib file has kind: Experiment" in done.stderr
    assert hone("import", "nni", tmp_path / "none.yaml").returncode == 3
