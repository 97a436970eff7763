"""The page "which method when": written by one command, with every method of the tables."""
import re
import subprocess
import sys

from conftest import BIN, ROOT, program


def written(folder, name):
    page = folder / name
    subprocess.run([sys.executable, str(ROOT / "tests" / "bench" / "methods_page.py"), "--hone",
                    str(BIN / "hone"), "--quick", "--write", str(page), "--date", "2026-01-01"],
                   check=True, timeout=300)
    return page.read_text()


def test_the_page_names_every_method_and_repeats_itself(tmp_path):
    program("hone")
    program("hone-bench")
    text = written(tmp_path, "page.md")
    assert "--quick" in text and "2026-01-01" in text
    table = re.findall(r"^\| `([^`]+)` \| ([\d.]+) \|", text, re.MULTILINE)
    methods = [name for name, _ in table]
    for name in ("hone", "none", "asha", "hyperband", "bohb/hyperband", "dehb/dehb", "tpe/asha"):
        assert name in methods, name
    ranks = [float(rank) for _, rank in table]
    assert ranks == sorted(ranks)
    # The ranks of k methods sum to k (k + 1) / 2 on every table.
    assert abs(sum(ranks) / len(ranks) - (len(ranks) + 1) / 2) < 0.01
    for name in ("threshold", "external", "grid", "pbt", "pb2"):
        assert f"`{name}` (" in text, name
    assert written(tmp_path, "again.md") == text


def test_the_gain_of_a_warm_start_is_printed_for_every_family(tmp_path):
    done = subprocess.run([sys.executable, str(ROOT / "tests" / "bench" / "warm_start_bench.py"),
                           "--hone", str(BIN / "hone"), "--reps", "2", "--first", "none"],
                          check=True, timeout=300, capture_output=True, text=True)
    columns = re.findall(r"^\| (\w+)_301 \| [48] \|", done.stdout, re.MULTILINE)
    assert len(columns) == 20 and len(set(columns)) == 10, done.stdout
    assert re.search(r"^\| `hone` \| \d\.\d\d \| .* of 20 \|$", done.stdout,
                     re.MULTILINE), done.stdout
