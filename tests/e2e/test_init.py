"""`hone init`: what it writes is planned, submitted and searched as it is."""
import subprocess
import sys

import pytest

from commands import Up, hone, ok
from conftest import BIN, ROOT

PROGRAM = '''
import argparse
# parser.add_argument("--commented", type=float, default=1)
p = argparse.ArgumentParser(description="add_argument('--quoted', type=float, default=2)")
p.add_argument("-l", "--learning-rate", type=float, default=1e-3, help="a, b (c)")
p.add_argument("--gamma", default=0.99, type=float)
p.add_argument(
    "--width", type=int,
    default=64,  # a comment, with a comma
)
p.add_argument("--optimizer", choices=["adam", 'sgd'], default="adam")
p.add_argument("--depth", type=int, choices=(1, 2, 4))
p.add_argument("--seed", type=int, default=0)
p.add_argument("--epochs", type=int, default=3)
p.add_argument("--out", default="x")
p.add_argument("--fast", action="store_true")
o = p.parse_args()
def loss():
    return (o.gamma - 0.95) ** 2 + o.width / 1000
for epoch in range(o.epochs):
    print(f"epoch {epoch}: loss={loss():.5f}")
'''


@pytest.fixture
def up(tmp_path):
    one = Up(tmp_path / "data", "--slots", "2", cwd=tmp_path)
    yield one
    assert one.stop()[0] == 0


def test_the_flags_of_a_program_become_parameters(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    assert ok("init", "train.py", cwd=tmp_path) == "sweep.yaml\n"
    text = (tmp_path / "sweep.yaml").read_text()
    for line in ("learning_rate: {type: float, min: 0.0001, max: 0.01, scale: log}",
                 "gamma: {type: float, min: 0.9, max: 0.999, scale: logit}",
                 "width: {type: int, min: 16, max: 256, scale: log}",
                 'optimizer: {type: choice, values: ["adam","sgd"]}',
                 "depth: {type: choice, values: [1,2,4]}",
                 "objective: {metric: loss, goal: minimize}",
                 '"--seed=${hone.seed}","--epochs=${hone.budget}","${fast?--fast}"', "fast: {type: bool}",
                 "terminator: {rule: hypertrick", "budget:     {unit: epochs, per_run: 3, phases: 3}",
                 "# not searched: --out"):
        assert line in text, text
    assert "commented" not in text and "quoted" not in text
    ok("plan", "sweep.yaml", cwd=tmp_path)


def test_what_is_written_works_at_once(up, tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    ok("init", "command", "train.py", cwd=tmp_path)
    ok("submit", "sweep.yaml", "--set", "search.trials=4", "--watch", "-q", cwd=tmp_path, server=up,
       timeout=120)
    rows = ok("trials", "--format", "csv", server=up).splitlines()
    assert len(rows) == 5, rows
    assert all("completed" in row or "stopped" in row for row in rows[1:]), rows


@pytest.mark.parametrize("kind, files, change", [
    ("command", ["train.py", "sweep.yaml"], "search.trials=3"),
    ("ga3c", ["sweep.yaml"], "budget.per_run=2000"),
])
def test_an_example_works_at_once(up, tmp_path, kind, files, change):
    assert ok("init", kind, cwd=tmp_path).split() == files
    ok("submit", "sweep.yaml", "--set", change, "--set", "search.trials=3", "--watch", "-q",
       cwd=tmp_path, server=up, timeout=200)
    assert "completed" in ok("ls", "--format", "csv", server=up)


def test_the_example_for_stable_baselines3_is_a_plan(tmp_path):
    assert ok("init", "sb3", cwd=tmp_path).split() == ["train_sb3.py", "sweep.yaml"]
    ok("plan", "sweep.yaml", cwd=tmp_path)
    compile((tmp_path / "train_sb3.py").read_text(), "train_sb3.py", "exec")


def test_the_example_for_python_runs(tmp_path):
    ok("init", "python", cwd=tmp_path)
    done = subprocess.run([sys.executable, "tune.py"], cwd=tmp_path, capture_output=True, text=True,
                          env={"PATH": "/usr/bin", "PYTHONPATH": str(ROOT / "sdk" / "python"),
                               "HONE_BIN": str(BIN), "HONE_SERVER": "",
                               "HONE_DATA": str(tmp_path / "data")}, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "'lr':" in done.stdout


def test_the_second_script_needed_force(tmp_path):
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(PROGRAM)
        assert ok("init", name, "-o", f"{name}.yaml", cwd=tmp_path) == f"{name}.yaml\n"
    assert "hone submit two.py.yaml" in (tmp_path / "two.py.yaml").read_text()


@pytest.mark.parametrize("call", [
    "p.add_argument('--a: {b: c}', type=float, default=0.1)",
    "p.add_argument('--lr\\ncommand: {run: [rm]}', type=float, default=0.1)",
    "p.add_argument('--x', dest='x\\nname: other', type=float, default=0.1)",
    "p.add_argument('data\\nname: other')",
])
def test_an_odd_name_of_a_program_changed_its_sweep_file(tmp_path, call):
    (tmp_path / "train.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\n"
        f"p.add_argument('--lr', type=float, default=0.1)\n{call}\n")
    ok("init", "train.py", cwd=tmp_path)
    ok("plan", "sweep.yaml", cwd=tmp_path)
    text = (tmp_path / "sweep.yaml").read_text()
    assert not any(word in text for word in ("name: other", "[rm]", "b: c")), text


def test_a_bonus_was_searched_below_zero(tmp_path):
    (tmp_path / "train.py").write_text("import argparse\np = argparse.ArgumentParser()\n"
                                       "p.add_argument('--ent-coef', type=float, default=0.0)\n"
                                       "p.add_argument('--bias', type=float, default=-0.5)\n")
    ok("init", "train.py", cwd=tmp_path)
    text = (tmp_path / "sweep.yaml").read_text()
    assert "ent_coef: {type: float, min: 0, max: 0.05}" in text
    assert "bias: {type: float, min: -2, max: -0.125}" in text and '"--bias=${bias}"' in text


def test_a_file_is_not_replaced_and_mistakes_are_named(tmp_path):
    ok("init", "ga3c", cwd=tmp_path)
    again = hone("init", "ga3c", cwd=tmp_path)
    assert again.returncode == 4 and "sweep.yaml exists" in again.stderr
    ok("init", "ga3c", "--force", cwd=tmp_path)
    (tmp_path / "none.py").write_text("print(1)\n")
    for words, said in ((["none.py", "--force"], "none.py has no flag to search"),
                        (["keras"], "'keras' is neither"),
                        (["sb3", "none.py"], "with the kind command only"),
                        (["command", "absent.py"], "absent.py")):
        refused = hone("init", *words, cwd=tmp_path)
        assert refused.returncode in (2, 3) and said in refused.stderr, refused


def test_values_that_a_program_computes_were_guessed(tmp_path):
    """range(1, 5) became 1 to 8, and a lambda that compares with "True" got true."""
    (tmp_path / "train.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--lr', type=float, default=0.1)\n"
        "p.add_argument('--n-layers', type=int, default=2, choices=range(1, 5))\n"
        "p.add_argument('--use-bn', type=lambda s: s == 'True', default=True)\n")
    ok("init", "train.py", cwd=tmp_path)
    text = (tmp_path / "sweep.yaml").read_text()
    assert "# not searched: --n-layers, --use-bn\n" in text, text
    assert "n_layers" not in text and "use_bn" not in text


def test_a_file_name_with_a_blank_could_not_be_pasted(tmp_path):
    (tmp_path / "my train.py").write_text(PROGRAM)
    done = hone("init", "my train.py", "-o", "my sweep.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "hone plan 'my sweep.yaml', then hone submit 'my sweep.yaml' --watch" in done.stderr
    assert "hone submit 'my sweep.yaml' --watch" in (tmp_path / "my sweep.yaml").read_text()
    ok("plan", "my sweep.yaml", cwd=tmp_path)
