"""`hone import`: the translated sweep on stdout, what has no counterpart on stderr."""
import json

import pytest

from commands import hone, ok
from conftest import ROOT

FIXTURES = ROOT / "tests" / "data" / "import"
FILES = [("wandb", "wandb.yaml"), ("katib", "katib.yaml"), ("nni", "nni.yaml"),
         ("optuna", "optuna.json"),
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
    assert "metric.target is not translated" in done.stderr and "beta" in done.stderr
    assert "stderr" not in done.stdout and "is not translated" not in done.stdout


def test_an_unknown_format_and_a_foreign_file_are_refused(tmp_path):
    done = hone("import", "vizier", FIXTURES / "wandb.yaml")
    assert done.returncode == 2 and "wandb" in done.stderr and not done.stdout
    done = hone("import", "katib", FIXTURES / "wandb.yaml")
    assert done.returncode == 2
    assert "wandb.yaml:1:1: a Katib file has kind: Experiment" in done.stderr
    assert hone("import", "nni", tmp_path / "none.yaml").returncode == 3
