"""What random programs print, with noise between, is in the ledger what the specification says.

HONE_SEAM_LONG=1 tries many more programs.
"""
import json
import math
import os
import random

import pytest

import rows_reader
from conftest import sweep_spec
from test_seam import plays  # noqa: F401  pylint: disable=unused-import

PROGRAMS = 60 if "HONE_SEAM_LONG" in os.environ else 8
PER_RUN, PHASES = 40, 8
PATTERN = r"^.*step=(?<step>\S+) score=(?<score>.*?)(?: \||$)"


def some_spec(draw, kind):
    spec = {"format": kind, "window": draw.choice([0, 1, 1, 3]),
            "value": draw.choice(["last", "mean", "median", "max", "min"])}
    step = draw.choice([None, "step", {"sum": "step"}])
    if step is not None:
        spec["step"] = step
    if kind == "regex":
        spec["pattern"] = PATTERN
    if draw.random() < 0.5:
        spec["nan"] = draw.choice(["diverged", "skip"])
    return spec


def some_number(draw, wild=0.25):
    plain = repr(round(draw.uniform(-100, 100), draw.randrange(6)))
    if draw.random() > wild:
        return plain
    return draw.choice(["nan", "None", "", "high", "12.5%", "1e-400", f"np.float64({plain})",
                        f"tensor({plain})", f"[{plain}]", "1,234.5", "0,5", "+1.5E-1", "nan",
                        "1e400" if draw.random() < 0.1 else "7"])


def some_noise(draw):
    return draw.choice(["", "Epoch 1/10 ... done\n", "\r 10%|#         | 1/10 [00:01<00:09]",
                        "\r\n", "   \n", "WARNING: lr=0.1; retrying\n", "{not json}\n",
                        '{"unrelated": [1, 2], "x": NaN}\n', '{"cut off": 1\n',
                        "\x1b[1mbold\x1b[0m\n", "Traceback (most recent call last):\n"])


def json_row(draw, step, score):
    literal = {"nan": "NaN", "None": "null", "": "null", "1e400": "1e400", "1e-400": "1e-400"}
    is_plain = score.lstrip("-").replace(".", "").isdigit()
    shown = literal.get(score, score if is_plain else json.dumps(score))
    noise = draw.choice(["", '"lr": Infinity, ', '"grad": NaN, ', '"text": "a, b", '])
    return "{" + f'{noise}"step": {step}, "score": {shown}' + "}"


def some_output(draw, kind, steps_summed):
    """Rows of epochs with noise between; ends of lines of all kinds."""
    text, step = some_noise(draw), 0
    end = draw.choice(["\n", "\n", "\r\n"])
    if kind == "csv":
        text += "step;score;loss" + end
    for _ in range(draw.randrange(1, 60)):
        gain = draw.choice([1, 1, 1, 2, 7])
        step += gain
        shown = gain if steps_summed else step
        score = some_number(draw)
        if kind == "csv":
            text += f"{shown};{score};{some_number(draw)}" + end
        elif kind == "jsonl":
            text += json_row(draw, shown, score) + end
        else:
            text += f"step={shown} score={score} | loss={some_number(draw)}"
            text += draw.choice([end, end, "\r"])
        if draw.random() < 0.3 and kind != "csv":
            text += some_noise(draw)
            text += "" if text.endswith(("\n", "\r")) else "\n"
    return text


def command_of(source, file, stream):
    if stream == "file":
        return {"run": ["cp", file, "rows"], "folder": "fresh"}, {"file": "rows"}
    if stream == "stderr":
        return {"run": ["sh", "-c", 'cat "$0" >&2', file]}, {"stderr": True}
    return {"run": ["cat", file]}, {"stdout": True}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "regex"])
def test_the_ledger_holds_what_the_specification_says(server, tmp_path, plays, kind):  # noqa: F811
    draw = random.Random(f"{kind} {os.environ.get('HONE_SEAM_SEED', 5)}")
    specs, expected = {}, {}
    for program in range(PROGRAMS):
        collect = some_spec(draw, kind)
        text = some_output(draw, kind, isinstance(collect.get("step"), dict))
        file = tmp_path / f"{kind}-{program}"
        file.write_bytes(text.encode())
        expected[program] = rows_reader.reports(text, collect, PER_RUN, PHASES)
        command, source = command_of(kind, str(file), draw.choice(["file", "stdout", "stderr"]))
        specs[program] = sweep_spec(
            objective={"metric": "score"}, command={**command, "collect": {**source, **collect}},
            parameters={"lr": {"type": "fixed", "value": 1}},
            search={"method": "random", "trials": 1},
            budget={"unit": "epochs", "per_run": PER_RUN, "phases": PHASES},
            limits={"max_retries": 0})
    for program, sweep in plays(specs).items():
        trial = server.get(f"/v1/sweeps/{sweep}/trials")["items"][0]["id"]
        run = server.get(f"/v1/trials/{trial}/runs")["items"][0]
        curve = [(point["phase"], point["value"])
                 for point in server.get(f"/v1/runs/{run['id']}/curve")["items"]]
        same = len(curve) == len(expected[program]) and all(
            one == other or "diverged" not in (one[1], other[1]) and one[0] == other[0]
            and math.isclose(one[1], other[1], rel_tol=1e-12)
            for one, other in zip(curve, expected[program]))
        assert same, (program, specs[program]["command"], curve, expected[program])
    assert sum(map(len, expected.values())) > PROGRAMS, "too few reports: nothing is tested"
