#!/usr/bin/env python3
"""Draws sentences from the documents, the help and the error messages, for a reader.

    tests/lint/sentences.py [--seed 1] [--count 30] [--bin build/test/bin]

One of each kind in turn. A sentence that needs a second reading should be written again
(docs/style.md).
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def sentences_of(text: str) -> list[str]:
    """The complete sentences of at least five words."""
    text = " ".join(text.split())
    return [one for one in re.findall(r"(?<![\w`])[A-Z][^.!?]{20,}[.!?](?= |$)", text)
            if len(one.split()) >= 5]


def of_documents() -> list[str]:
    found = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        text = re.sub(r"```.*?```", "\n\n", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for paragraph in text.split("\n\n"):
            if not paragraph.lstrip().startswith(("|", "#", "    ")):
                found += sentences_of(re.sub(r"\]\([^)]*\)", "]", paragraph))
    return found


def of_help(folder: pathlib.Path) -> list[str]:
    """The descriptions of commands, and of the options that not every command has."""
    def lines(*words: str) -> list[str]:
        text = subprocess.run([str(folder / "hone"), *words, "--help"], capture_output=True,
                              text=True, check=True).stdout
        joined = re.sub(r"\n {20,}", " ", text)
        return [re.sub(r" {2,}", ": ", line.strip()) for line in joined.splitlines()
                if re.match(r"  [-a-z]\S*( \S+)* {2,}\w", line) and len(line.split()) > 4]

    commands = [line for line in lines("help", "--all") if not line.startswith("-")]
    found = dict.fromkeys(commands, 1)
    names = (re.match(r"[a-z]+( --[a-z]+| [a-z]+(?=[: ]))?", line)[0] for line in commands)
    for command in dict.fromkeys(names):
        for line in lines(*command.split()):
            found[line] = found.get(line, 0) + 1
    return [line for line, commands_with in found.items() if commands_with < 5]


def of_errors() -> list[str]:
    page = (ROOT / "docs/bad_inputs.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| ")]
    return [f"{row[0].strip()}: {row[-1].strip()}" for row in rows
            if len(row) >= 5 and row[1].strip().isdigit()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/test/bin")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    kinds = [of_documents(), of_help(options.bin), of_errors()]
    for kind in kinds:
        draw.shuffle(kind)
    for number in range(options.count):
        print(f"{number + 1:3}. {kinds[number % len(kinds)][number // len(kinds)]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
