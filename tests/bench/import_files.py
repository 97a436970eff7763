#!/usr/bin/env python3
"""Translates every file of folders with `hone import` and plans the results.

Usage: tests/bench/import_files.py --hone build/bin/hone [--suffixes .yaml,.json] FORMAT=FOLDER...

as wandb=/tmp/examples. Files that others name (NNI's search spaces) lie in the same folders.

A file is of the format if it ends in one of --suffixes. One line for each format: the files,
those translated, the translations that `hone plan` accepts, the sentences on what is not
translated. Refused files follow with the reason, so that a reader can tell files of another kind
from shortcomings.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile


def tried(hone, kind, file):
    """(translated, planned, sentences, reason)"""
    done = subprocess.run([hone, "import", kind, file], capture_output=True, text=True, check=False)
    sentences = done.stderr.splitlines()
    if done.returncode != 0:
        return False, False, 0, sentences[0].replace(str(file), file.name)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as sweep:
        sweep.write(done.stdout)
        sweep.flush()
        plan = subprocess.run([hone, "plan", sweep.name, "--format", "json"], capture_output=True,
                              text=True, check=False)
    reason = "" if plan.returncode == 0 else (plan.stderr.splitlines() or ["no plan"])[0]
    return True, plan.returncode == 0, len(sentences), reason


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default="build/bin/hone")
    parser.add_argument("--suffixes", default=".yaml,.yml,.json")
    parser.add_argument("folders", nargs="+", metavar="FORMAT=FOLDER")
    options = parser.parse_args()
    refused = []
    print(f"{'format':12}{'files':>8}{'translated':>12}{'planned':>10}{'sentences':>11}")
    for pair in options.folders:
        kind, _, folder = pair.partition("=")
        files = sorted(path for path in pathlib.Path(folder).rglob("*")
                       if path.suffix in options.suffixes.split(","))
        results = [tried(options.hone, kind, file) for file in files]
        print(f"{kind:12}{len(files):8}{sum(one[0] for one in results):12}"
              f"{sum(one[1] for one in results):10}{sum(one[2] for one in results):11}")
        refused += [(kind, file, one[3]) for file, one in zip(files, results) if one[3]]
    for kind, file, reason in refused:
        print(f"{kind}  {file}\n    {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
