"""What hone.Sweep.run shows while it runs: on a real terminal and in a real notebook, with the
figures that the notebook shows."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import xml.etree.ElementTree as ElementTree

from commands import written_on
from conftest import BIN, ROOT, program
from test_python_libraries import python_with, run

SWEEP = """
import hone
sweep = hone.Sweep({"x": hone.Float(0, 1), "kind": ["a", "b"]}, trials=6, phases=4,
                   terminator="none", seed=1)

def train(run):
    import time
    for phase in run.phases():
        time.sleep(0.1)
        run.report(phase, run.params["x"] + phase.number)

best = sweep.run(train, workers=2)
print("then", best["state"], flush=True)
"""


def written_to_a_terminal(script, columns, folder):
    """Everything that a Python program writes to a terminal, in its bytes."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
        cwd=folder, env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "sdk" / "python"),
                         "HONE_BIN": str(BIN), "HONE_DATA": str(folder / "data"), "TERM": "xterm"})
    os.close(terminal)
    text = written_on(controller)
    assert process.wait(60) == 0, text
    return text.decode()


def screen(text):
    """The lines that stay: a carriage return begins the line again, and what follows replaces."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        shown = ""
        for piece in line.split("\r"):
            shown = piece + shown[len(piece):]
        lines.append(shown.rstrip())
    return lines


def test_a_terminal_shows_one_line_that_moves(tmp_path):
    program("hone-server")
    text = written_to_a_terminal(SWEEP, 80, tmp_path)
    drawn = [piece.rstrip() for piece in re.split(r"[\r\n]+", text) if piece.startswith("sw_1 ")]
    shares = [int(re.search(r"(\d+) %", line)[1]) for line in drawn]
    assert shares == sorted(shares) and shares[-1] == 100 and len(set(shares)) > 2, drawn
    assert all(len(line) < 80 for line in drawn), drawn
    last, then = [line for line in screen(text) if line]
    assert re.fullmatch(r"sw_1  #{20} 100 %  6/6 trials  best \S+ \(tr_\d+\)", last), last
    assert then == "then completed", "the line of progress ends before what follows"


def test_a_file_gets_no_line_that_moves(tmp_path):
    program("hone-server")
    done = subprocess.run(
        [sys.executable, "-c", SWEEP], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "sdk" / "python"),
             "HONE_BIN": str(BIN), "HONE_DATA": str(tmp_path / "data")})
    assert (done.stdout, done.stderr) == ("then completed\n", "")


BOOK = """
import json, nbclient, nbformat
cells = [%r, "sweep", *(f"sweep.plot('{figure}')" for figure in ("history", "curves", "slices",
                                                                 "parallel"))]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
print(json.dumps([cell.outputs for cell in book.cells]))
"""


def test_a_notebook_shows_progress_and_figures(tmp_path):
    (tmp_path / "book.py").write_text(BOOK % SWEEP)
    text = run(python_with("nbclient", "nbformat", "ipykernel"), "book.py", cwd=tmp_path)
    ran, table, *figures = json.loads(text)
    printed, moved = ("".join(one["text"] for one in ran if one["name"] == name)
                      for name in ("stdout", "stderr"))
    assert printed == "then completed\n"
    lines = [line for line in screen(moved) if line]
    assert len(lines) == 1 and " 100 %  6/6 trials  best " in lines[0], ran
    html = table[0]["data"]["text/html"]
    assert "<table" in html and html.count("<circle") == 6 + 1  # with that of the legend
    history, curves, slices, parallel = (
        ElementTree.fromstring(one[0]["data"]["image/svg+xml"]) for one in figures)
    count = {name: len(figure.findall(f".//{{*}}{tag}")) for name, figure, tag in (
        ("history", history, "circle"), ("slices", slices, "circle"),
        ("parallel", parallel, "path"), ("curves", curves, "path"))}
    assert count["history"] == 6 + 1 and count["slices"] == 2 * 6 and count["parallel"] == 6, count
    assert count["curves"] >= 6
