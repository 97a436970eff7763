"""What a researcher sees in a terminal of 80 and 140 columns, tuning an argparse script."""
import fcntl
import itertools
import json
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

from commands import ok, written_on
from conftest import program
from test_newcomer import day  # noqa: F401 (a fixture)

CHOICES = {"lr": {"type": "float", "min": 0.1, "max": 1}}


def seen(day, columns, *words):  # noqa: F811
    """The lines that `hone` writes to a terminal, without colours."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    clean = {key: value for key, value in os.environ.items()
             if key not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        [program("hone"), *words], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
        env={**clean, "HONE_SERVER": f"http://127.0.0.1:{day.up.port}", "TERM": "xterm",
             "LC_ALL": "C.UTF-8"})
    os.close(terminal)
    text = written_on(controller)
    process.wait(60)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode()).replace("\r", "").split("\n")


@pytest.fixture(scope="module")
def tuned(day):  # noqa: F811
    """A sweep with seeds and its confirmation, which `submit --watch` waited for."""
    return day.watch(parameters=CHOICES, search={"method": "random", "trials": 6},
                     replicates={"seeds": 2}, confirm={"top": 2, "seeds": 3})


def test_watching_a_submission_waits_for_the_confirmation_of_its_file(day, tuned):  # noqa: F811
    """It ended before the confirmation, and did not name the sweep that trained on."""
    assert tuned.returncode == 0, tuned.stderr
    made = json.loads(ok("best", tuned.sweep, "--format", "json", server=day.up))
    report = json.loads(ok("confirm", tuned.sweep, "--format", "json", server=day.up))
    assert report["state"] == "completed" and len(report["items"]) == 2
    assert f"its leaders train on new seeds in {report['confirmation']}" in tuned.stderr
    assert tuned.stderr.rstrip().split("results: ")[-1].startswith(f"hone confirm {tuned.sweep}")
    assert made[0]["id"] == report["items"][0]["of"]
    assert made[0]["confirmed"] == report["items"][0]["iqm"]


SCREENS = [("ls",), ("best", "SW"), ("confirm", "SW"), ("trials", "SW"), ("runs", "SW"),
           ("show", "SW"), ("watch", "SW"), ("explain", "tr_1"), ("show", "rn_1.0"), ("workers",),
           ("compare", "SW", "SW"), ("curve", "tr_1"), ("lineage", "SW"), ("doctor",), ("plan",)]


@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.parametrize("words", SCREENS, ids=lambda words: words[0])
def test_a_terminal_breaks_no_row_and_no_word(day, tuned, words, columns):  # noqa: F811
    """Rows of a confirmation wrapped, and notes of `hone doctor` broke inside words."""
    sweep = json.loads(ok("show", tuned.sweep, "--format", "json", server=day.up))
    file = day.folder / "plan.json"
    file.write_text(json.dumps(sweep["spec"]))
    words = [tuned.sweep if word == "SW" else word for word in words]
    lines = seen(day, columns, *words, *([str(file)] if words == ["plan"] else []))
    long = [line for line in lines if len(line) > columns and " " in line.strip()]
    assert not long and len(lines) > 1, (long, lines)


@pytest.mark.parametrize("what", ["SW", "tr_1", "rn_1.0", "wk_1", "wf_1"])
def test_lines_of_show_were_two_columns_too_wide(day, tuned, what):  # noqa: F811
    """They were wrapped, and then indented."""
    for columns in range(60, 90):
        lines = seen(day, columns, "show", tuned.sweep if what == "SW" else what)
        record = list(itertools.takewhile(lambda line: line.startswith("  "), lines[1:]))
        # A word may be longer than a line.
        assert record and not [line for line in record if len(line) > columns
                               and len(line.split()[-1]) < columns - 16], columns


def test_the_leaderboard_has_its_parameters_at_eighty_columns(day, tuned):  # noqa: F811
    for words in (("best", tuned.sweep), ("confirm", tuned.sweep), ("trials", tuned.sweep)):
        header = seen(day, 80, *words)[0].split()
        assert header[-1] == "lr", header


def test_a_plan_names_the_program(day):  # noqa: F811
    """The line `trainer` was empty for a command that is an object."""
    text = ok("plan", str(day.file()), server=day.up)
    assert re.search(r"trainer +python3 script\.py", text), text


def test_doctor_does_not_take_the_servers_folder_for_its_own(day, tmp_path):  # noqa: F811
    """It named ~/.hone, which hone up would create, while the server used another folder."""
    text = ok("doctor", server=day.up, HONE_DATA=str(tmp_path / "none"))
    row = next(line for line in text.splitlines() if "data folder" in line)
    assert "does not exist" in row and "another --data has its own" in row
