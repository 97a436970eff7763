"""Files that are no files, do not end, or were made to be slow: every command that reads a file
ends, names the file and gives a reason. The bound is of processor seconds: the machine may be busy.
"""
import gzip
import json
import os
import resource
import subprocess

import pytest

from commands import hone
from conftest import program, sweep_spec

CPU_SECONDS = 20
MEMORY = 1 << 30  # bytes of address space, of which the programs and libraries are some 200 MiB
STDERR_MAX = 8_000

# FILE is the bad file. What the commands need besides it is there.
COMMANDS = {
    "plan": ("plan", "FILE"),
    "submit": ("submit", "FILE"),
    "submit --set": ("submit", "FILE", "--set", "search.trials=3"),
    "simulate": ("simulate", "FILE", "--table", "curves.csv"),
    "simulate --table": ("simulate", "sweep.json", "--table", "FILE"),
    "simulate cluster": ("simulate", "cluster", "FILE"),
    "advise": ("advise", "FILE", "--target", "1"),
    "init": ("init", "command", "FILE", "-o", "made.yaml"),
    "enqueue": ("enqueue", "sw_1", "--file", "FILE"),
    "fleet create": ("fleet", "create", "FILE"),
    "graph": ("graph", "FILE"),
    "graph --place": ("graph", "inception-v3", "--place", "FILE"),
    "db check --link": ("db", "check", "--data", "data", "--link", "FILE"),
    "--token-file": ("ls", "--token-file", "FILE"),
    **{f"import {name}": ("import", name, "FILE")
       for name in ("hone", "wandb", "katib", "nni", "optuna", "determined", "ray", "hydra")},
}


def journal_of(count, line):
    first = [{"op_code": 0, "worker_id": "w", "study_name": "s", "directions": [1]},
             {"op_code": 4, "worker_id": "w", "study_id": 0}]
    return "\n".join(json.dumps(one) for one in first + [line(n) for n in range(count)])


def parameter(number):
    return {"op_code": 5, "worker_id": "w", "trial_id": 0, "param_name": f"p{number}",
            "param_value_internal": 0.5, "distribution": json.dumps(
                {"name": "FloatDistribution", "attributes": {"low": 0, "high": number + 1}})}


CONTENTS = {
    "nothing": b"",
    "noise": bytes(range(256)) * 64,
    "UTF-16": "seed: 1".encode("utf-16"),
    "a compressed file": gzip.compress(b"seed: 1\n"),
    "a line without an end": b"x" * 3_000_000,
    "brackets of JSON": b"[" * 3_000_000,
    "objects of JSON": b'{"a":' * 600_000,
    "brackets of YAML": b"a: " + b"[" * 900_000,
    "blocks of YAML": "".join(" " * n + "a:\n" for n in range(1_000)).encode(),
    "anchors": "a: &a [x,x,x,x,x,x,x,x,x]\n".encode() + b"".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n".encode()
        for n in range(12)),
    "calls without an end": b"import argparse\np = argparse.ArgumentParser()\n"
                            + b"p.add_argument(" * 40_000,
    "a journal of parameters": journal_of(30_000, parameter).encode(),
    "a journal of studies": journal_of(
        30_000, lambda n: {"op_code": 0, "worker_id": "w", "study_name": f"s{n}",
                           "directions": [1]}).encode(),
}


def make_pipe(path):
    os.mkfifo(path)


def make_endless(path):
    path.symlink_to("/dev/zero")


def make_folder(path):
    path.mkdir()


def make_sparse(path):
    with open(path, "wb") as file:
        file.truncate(300 << 20)


SPECIAL = {"a pipe": make_pipe, "zeros without an end": make_endless, "a folder": make_folder,
           "300 MiB of zeros": make_sparse, "a file that is missing": lambda path: None}


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@pytest.fixture(scope="module")
def places(tmp_path_factory, shared_server):
    folder = tmp_path_factory.mktemp("bad-files")
    (folder / "sweep.json").write_text(json.dumps(sweep_spec()))
    (folder / "curves.csv").write_text("x\n1\n")
    for name, content in CONTENTS.items():
        (folder / name.replace(" ", "-")).write_bytes(content)
    for name, make in SPECIAL.items():
        make(folder / name.replace(" ", "-").replace("/", "-"))
    shared_server.submit(sweep_spec())
    return folder


@pytest.mark.parametrize("bad", [*CONTENTS, *SPECIAL])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_file_ends_its_command_with_a_reason(places, shared_server, command, bad):
    name = bad.replace(" ", "-").replace("/", "-")
    words = [name if word == "FILE" else word for word in COMMANDS[command]]
    environment = {**os.environ, "HONE_SERVER": f"http://127.0.0.1:{shared_server.port}"}
    result = subprocess.run([program("hone"), *words], cwd=places, env=environment, text=True,
                            stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=bounded)
    made = places / "made.yaml"
    if made.exists():  # a program without flags may be no fault of hone's
        made.unlink()
    elif (command, bad) == ("fleet create", "a file that is missing"):
        return  # a name of a fleet
    elif command == "--token-file" and result.returncode == 0:
        return  # a token that a server without tokens does not ask for
    missing = bad == "a file that is missing"
    assert result.returncode in (1, 2, 4, 5, 6) or (missing and result.returncode == 3), result
    assert "terminate called" not in result.stderr and len(result.stderr) < STDERR_MAX, result
    named = name in result.stderr or (command, bad) in UNNAMED
    assert named, (result.returncode, result.stderr[:500])


UNNAMED = set()


def test_the_journal_of_a_study_is_read_within_its_bounds(tmp_path, shared_server):
    path = tmp_path / "study.log"
    path.write_text(journal_of(900, parameter))
    result = hone("import", "optuna", str(path), server=shared_server)
    assert "more than" not in result.stderr, result
