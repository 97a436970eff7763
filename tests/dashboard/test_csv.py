"""The files that the CSV buttons save."""
import json
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

RUN = """
const source = require("fs").readFileSync(process.argv[1], "utf8");
import("data:text/javascript," + encodeURIComponent(source)).then(({ csvText }) =>
  process.stdout.write(csvText(...JSON.parse(process.argv[2]))));
"""


def csv_text(header, rows):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    done = subprocess.run([node, "-e", RUN, str(ROOT / "dashboard/lib/dom.js"),
                           json.dumps([header, rows])], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_spreadsheet_ran_the_texts_of_others_as_formulas():
    texts = ["=1+1|cmd", "@sum", "+a", "-b", "\t=1", "'=1", "plain", "a=b"]
    assert csv_text(["a"], [[text] for text in texts]) == (
        "a\n'=1+1|cmd\n'@sum\n'+a\n'-b\n'\t=1\n'=1\nplain\na=b\n")


def test_numbers_stay_numbers():
    assert csv_text(["=n"], [[-1.5, "-2e-5", "+3", 0, None]]) == "'=n\n-1.5,-2e-5,+3,0,\n"
