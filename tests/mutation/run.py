#!/usr/bin/env python3
"""Counts how many small faults in the rules and in the worker's agent the unit tests notice.

    tests/mutation/run.py                       200 mutants of server/sweep and worker/agent
    tests/mutation/run.py --mutants 50 --seed 2 --page mutations.md

Copies the tracked files to build/mutation, puts faults drawn by seed into the copy, builds the test
programs of the rooms once, and runs them with one fault at a time. A mutant is killed by a test
that fails or does not end. Mutants that do not compile are replaced. An interrupted run continues;
exits 1 below 90 %. explained.py gives the reasons of survivors that no test can notice.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

from explained import REASONS
from sites import SWITCH, Site, mutated, sites

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Room -> the program that tests it.
ROOMS = {"server/sweep": "sweep_test", "worker/agent": "worker_agent_test"}
# Tests of a second and more: they are left to the mutants that no other test notices.
SLOW = "Bounds.*:RuleForks.*:Turns.*:Winner.*"
BAR = 0.9
Chosen = dict[int, tuple[str, Site]]  # mutants by number from 1: file and place


def candidates() -> list[tuple[str, Site]]:
    """Returns every place of the rooms, in a fixed order."""
    found = []
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.cpp")):
            name = file.relative_to(ROOT).as_posix()
            found += [(name, site) for site in sites(file.read_text(encoding="utf-8"))]
    return found


def drawn(count: int, seed: int, left_out: set[tuple[str, int]]) -> Chosen:
    """Returns places that do not overlap. A number stays the same whatever is left out."""
    order = candidates()
    random.Random(seed).shuffle(order)
    taken: Chosen = {}
    for number, (name, site) in enumerate(order, 1):
        is_free = all(name != other or site.end <= one.begin or one.end <= site.begin
                      for other, one in taken.values())
        if is_free and (name, site.begin) not in left_out:
            taken[number] = (name, site)
        if len(taken) == count:
            break
    return taken


def write_changed(file: pathlib.Path, content: bytes) -> None:
    """Leaves an equal file alone: it is not compiled again."""
    if not file.exists() or file.read_bytes() != content:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def write_tree(folder: pathlib.Path, chosen: Chosen) -> None:
    """Copies the tracked files, with the mutants in them."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    for name in filter(None, listed.stdout.decode().split("\0")):
        here = {number: site for number, (file, site) in chosen.items() if file == name}
        content = (ROOT / name).read_bytes()
        write_changed(folder / name, mutated(content.decode(), here).encode() if here else content)
        shutil.copymode(ROOT / name, folder / name)
    write_changed(folder / "mutant_switch.hpp", SWITCH.encode())


def uncompilable(folder: pathlib.Path, log: str, chosen: Chosen) -> set[tuple[str, int]]:
    """Returns the places on the lines that the compiler names, or on the next: there it misses what
    a mutant has cut off."""
    found = set()
    for name, line in re.findall(r"(\S+?):(\d+):\d+: (?:error|  required)", log):
        path = os.path.relpath(folder / "build/test" / name, folder)
        if path.startswith("..") or not (folder / path).is_file():
            continue
        text = (folder / path).read_text(encoding="utf-8").split("\n")
        named = "".join(text[int(line) - 1:int(line) + 1])
        for number in re.findall(r"hone_mutant\((\d+)\)", named):
            file, site = chosen[int(number)]
            found.add((file, site.begin))
    return found


def build(folder: pathlib.Path, count: int, seed: int, jobs: int) -> Chosen:
    """Builds the programs with all mutants in them, without those that do not compile."""
    left_out: set[tuple[str, int]] = set()
    while True:
        chosen = drawn(count, seed, left_out)
        write_tree(folder, chosen)
        if not (folder / "build/test/build.ninja").exists():
            subprocess.run(["cmake", "--preset", "test"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
        print(f"building {len(chosen)} mutants", file=sys.stderr, flush=True)
        command = ["ninja", "-k", "0", f"-j{jobs}", "-C", "build/test", *ROOMS.values()]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode == 0:
            return chosen
        bad = uncompilable(folder, done.stdout + done.stderr, chosen)
        if not bad:
            sys.exit(done.stdout[-3000:])
        print(f"{len(bad)} mutants do not compile and are replaced", file=sys.stderr, flush=True)
        left_out |= bad


def room_of(name: str) -> str:
    return next(room for room in ROOMS if name.startswith(room + "/"))


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def passes(folder: pathlib.Path, room: str, number: int, tests: str, bound_s: int) -> bool:
    """Whether these tests pass with the mutant, within so many seconds of CPU time."""
    program = folder / "build/test/bin" / ROOMS[room]
    env = {**os.environ, "HONE_MUTANT": str(number), "GTEST_FAIL_FAST": "1"}
    done = subprocess.run(["prlimit", f"--cpu={bound_s}", "--core=0", program, "--gtest_brief=1",
                           "--gtest_filter=" + tests], env=env, cwd=folder,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def bounds_of(folder: pathlib.Path, room: str) -> dict[str, int]:
    """Returns the CPU seconds that a mutant has for each part of the tests."""
    bounds = {}
    for tests in ("-" + SLOW, SLOW):
        begun = cpu_seconds()
        if not passes(folder, room, 0, tests, 600):
            sys.exit(f"the tests of {room} fail without a mutant")
        bounds[tests] = math.ceil(5 + 10 * (cpu_seconds() - begun))
    return bounds


def judge(folder: pathlib.Path, chosen: Chosen, found: dict[str, bool], save, jobs: int) -> None:
    """Adds to `found` whether each mutant is killed."""
    bounds = {room: bounds_of(folder, room) for room in ROOMS}

    def is_killed(number: int) -> bool:
        room = room_of(chosen[number][0])
        return not all(passes(folder, room, number, tests, bound_s)
                       for tests, bound_s in bounds[room].items())

    left = [number for number in chosen if str(number) not in found]
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(is_killed, number): number for number in left}
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            found[str(waiting[future])] = future.result()
            save()
            eta = (time.monotonic() - begun) / done * (len(left) - done)
            print(f"\r{done} of {len(left)}, {eta / 60:.0f} min left ", end="", file=sys.stderr,
                  flush=True)
    print(file=sys.stderr)


def row(room: str, chosen: Chosen, found: dict[str, bool]) -> str:
    numbers = [number for number, (name, _) in chosen.items() if room_of(name) == room]
    killed = sum(found[str(number)] for number in numbers)
    share = 100 * killed / max(1, len(numbers))
    return f"| {room} | {len(numbers)} | {killed} | {share:.0f} % |"


def survivor(name: str, site: Site) -> str:
    text = (ROOT / name).read_text(encoding="utf-8")
    code = text[site.begin:site.end].split("\n")[0]
    shown = code.replace("](", "] (")  # a link in Markdown
    line = text.count("\n", 0, site.begin) + 1
    reason = REASONS.get((name, code), "")
    return f"| {name}:{line} | `{shown}` | {site.words} | {reason} |".replace("||", "\\|\\|")


def page(chosen: Chosen, found: dict[str, bool], seed: int) -> str:
    left = [one for number, one in chosen.items() if not found[str(number)]]
    return "\n".join([
        f"    tests/mutation/run.py --mutants {len(chosen)} --seed {seed}", "",
        "| room | mutants | killed | share |", "|---|---:|---:|---:|",
        *(row(room, chosen, found) for room in ROOMS), "",
        "| survivor | code | mutant | reason |", "|---|---|---|---|",
        *(survivor(*one) for one in sorted(left, key=lambda one: (one[0], one[1].begin))), ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/mutation")
    parser.add_argument("--page", type=pathlib.Path, help="write the tables to this file, too")
    options = parser.parse_args()
    folder = options.folder.resolve()
    chosen = build(folder, options.mutants, options.seed, options.jobs)
    places = [(name, one.begin, one.words) for name, one in chosen.values()]
    key = json.dumps([options.seed, places])
    state = folder / "found.json"
    saved = json.loads(state.read_text(encoding="utf-8")) if state.exists() else {}
    found = saved["found"] if saved.get("key") == key else {}

    def save() -> None:
        state.write_text(json.dumps({"key": key, "found": found}), encoding="utf-8")

    judge(folder, chosen, found, save, options.jobs)
    text = page(chosen, found, options.seed)
    print(text)
    if options.page:
        options.page.write_text(text, encoding="utf-8")
    sys.exit(0 if sum(found.values()) >= BAR * len(chosen) else 1)


if __name__ == "__main__":
    main()
