"""Every command of `hone` against a server that lies (lying.py): none crashes, none takes memory or
time without a bound, and nothing that a terminal obeys reaches stdout or stderr."""
import json
import os
import re
import resource
import signal
import subprocess

import pytest

from conftest import ROOT, SLOWER, program
from listener import Listener

pytest.importorskip("yaml")
from lying import Answers, Liar  # noqa: E402

SEEDS = range(int(os.environ.get("HONE_LIES", "12")))
MEMORY = 2 << 30
SECONDS = 20 * SLOWER
SWEEP, TRIAL, RUN = "sw_1", "tr_1", "rn_1.0"
FORMATS = ("table", "json", "jsonl", "csv", "value")

# Command -> its lines. {FILE} is a sweep file, {STUDY} a study file, {DIR} an empty folder.
LINES = {
    "submit": ["submit {FILE}"],
    "plan": ["plan {FILE}"],
    "study": ["study show {STUDY} --server http://127.0.0.1:{PORT}"],
    "import": ["import hone {EXPORT}"],
    "watch": [f"watch {SWEEP}"],
    "dashboard": [f"dashboard {SWEEP}"],
    "ls": ["ls", "ls --all"],
    "show": [f"show {one}" for one in (SWEEP, TRIAL, RUN, "rn_1.0#1", "md_1", "wf_1", "ds_1",
                                       "wk_1", "ev_1", "plain")],
    "ls trials": [f"ls trials {SWEEP}"],
    "ls runs": [f"ls runs {SWEEP}", f"ls runs {TRIAL}"],
    "logs": [f"logs {RUN}", f"logs {RUN} -n 5"],
    "events": [f"events {SWEEP}", "events --all", "events --head", f"events {SWEEP} --follow"],
    "find": ["find run"],
    "compare": [f"compare {SWEEP} sw_2", f"compare {TRIAL} tr_2"],
    "reproduce": [f"reproduce {RUN} --yes", f"reproduce {RUN}"],
    "evaluate": ["evaluate md_1 --yes"],
    "best": [f"best {SWEEP}", f"best {SWEEP} --named", f"best {SWEEP} --pareto", "best",
             f"best {SWEEP} --by cost", f"best {SWEEP} --within 2h"],
    "confirm": [f"confirm {SWEEP}", f"confirm {SWEEP} --start --yes"],
    "curve": [f"curve {SWEEP}", f"curve {TRIAL}", f"curve {RUN}", f"curve {RUN} --metric loss",
              f"curve {RUN} rn_2.0"],
    "curve --schedule": [f"curve --schedule {RUN}", f"curve --schedule {SWEEP}"],
    "curve --forecast": [f"curve --forecast {SWEEP}", f"curve --forecast {RUN}"],
    "plan --advise": ["plan --advise {FILE}"],
    "importance": [f"importance {SWEEP}"],
    "explain": [f"explain {TRIAL}"],
    "explain --recompute": [f"explain --recompute {SWEEP}", f"explain {RUN} --recompute"],
    "lineage": [f"lineage {TRIAL} --both", f"lineage {TRIAL} --dot"],
    "ls models": [f"ls models {SWEEP}", "ls models md_1"],
    "fetch": [f"fetch {RUN} -o {{DIR}}", "fetch wf_1 -o {DIR}", "fetch md_1 -o {DIR}/model"],
    "export": [f"export {SWEEP}", f"export {SWEEP} --html", f"export {SWEEP} --bands",
               f"export {SWEEP} --format curves", f"export {SWEEP} --metrics",
               f"export {SWEEP} --optuna {{DIR}}/o.db", f"export {SWEEP} --tensorboard {{DIR}}/tb"],
    "report": [f"report {SWEEP} -o {{DIR}}/report --force",
               *(f"report {SWEEP} --figure {kind}" for kind in
                 ("history", "curves", "confirmation", "importance", "slices", "parallel",
                  "front"))],
    "mark note": [f"mark note {TRIAL} text", f"mark note {TRIAL}"],
    "mark tag": [f"mark tag {TRIAL} good", f"mark tag {TRIAL}"],
    "ask": [f"ask {SWEEP}"],
    "tell": [f"tell {TRIAL} 0.5"],
    "enqueue": [f"enqueue {SWEEP} lr=0.5"],
    "enqueue --again": [f"enqueue --again {TRIAL}"],
    "ask --program": [f"ask --program {SWEEP} -- false"],
    "pause": [f"pause {SWEEP}"], "resume": [f"resume {SWEEP}"], "stop": [f"stop {SWEEP}"],
    "stop --now": [f"stop --now {SWEEP}"], "stop --kill": [f"stop --kill {SWEEP}"],
    "edit": [f"edit {SWEEP} --trials 9"],
    "fork": [f"fork {SWEEP} --set seed=3", f"fork {SWEEP} --dry-run"],
    "mark archive": [f"mark archive {SWEEP}"], "mark pin": [f"mark pin {TRIAL}"],
    "workers": ["workers"], "ls workers": ["ls workers"], "mark": [f"mark {TRIAL}"],
    "workers allow": ["workers allow wk_1"],
    "token": ["token ls", "token create alice --scope read", "token revoke alice"],
    "fleet": ["fleet ls", "fleet show plain", "fleet explain plain", "fleet halt plain",
              "fleet create {FLEET}"],
    "doctor": ["doctor"],
    "doctor --versions": ["doctor --versions"],
    "completion --words": ["completion --words -- best sw_", "completion --words -- ls runs "],
}
# They start programs, or ask no server.
WITHOUT_SERVER = {"up", "init", "simulate", "graph", "db", "server", "worker", "train",
                  "train --track", "bench", "version", "completion", "schema"}
NOT_SHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
                       "\ufeff]")


def test_every_command_has_lines():
    table = (ROOT / "sdk/cli/app/command_table.cpp").read_text()
    known = set(re.findall(r'^    \{"([a-z -]+)", Group::', table, re.M))
    known |= set(re.findall(r'^    \{"([a-z -]+)",$', table, re.M))
    assert known == set(LINES) | WITHOUT_SERVER


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ended(words, port, folder):
    """(exit status, stdout and stderr) of one command; one that would wait permanently is
    stopped."""
    words = [word.replace("{PORT}", str(port)) for word in words]
    process = subprocess.Popen(
        [program("hone"), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, cwd=folder, preexec_fn=None if SLOWER > 1 else bounded,
        env={**os.environ, "HONE_SERVER": f"http://127.0.0.1:{port}", "HOME": str(folder)})
    try:
        texts = process.communicate(timeout=1 if waits(words) else SECONDS)
    except subprocess.TimeoutExpired:
        assert waits(words), f"{words} did not end"
        process.send_signal(signal.SIGINT)
        texts = process.communicate(timeout=SECONDS)
    return process.returncode, b"".join(texts).decode()


def waits(words):
    """Whether the command follows something that only the server ends."""
    return words[0] in ("watch", "logs") or "--follow" in words or "--program" in words


@pytest.fixture
def places(tmp_path):
    spec = {"name": "a", "objective": {"metric": "value"}, "command": ["true"],
            "parameters": {"lr": {"type": "float", "min": 0.1, "max": 1}},
            "search": {"method": "random", "trials": 2},
            "budget": {"unit": "steps", "per_run": 10, "phases": 1}}
    study = {"study": "a", "equal": {"trials": 2}, "methods": {"a": {"search": spec["search"]}},
             "problems": {"p": {"scale": [0, 1], **{key: spec[key] for key in (
                 "objective", "command", "parameters", "budget")}}}}
    fleet = {"name": "plain", "engine": "local", "max": 2}
    for name, document in (("sweep.json", spec), ("fleet.json", fleet), ("export.json", {}),
                           ("study.json", study)):
        (tmp_path / name).write_text(json.dumps(document))
    (tmp_path / "out").mkdir()
    return {"{FILE}": "sweep.json", "{FLEET}": "fleet.json", "{EXPORT}": "export.json",
            "{STUDY}": "study.json", "{DIR}": "out"}


def words_of(line, places):
    words = line.split()
    for place, name in places.items():
        words = [word.replace(place, name) for word in words]
    return words


@pytest.mark.parametrize("command", sorted(LINES))
def test_a_command_survives_a_server_that_lies(command, places, tmp_path):
    """`show`, `curve`, `export`, `runs`, `compare` and `best` ended with SIGSEGV."""
    with Listener(liar := Liar()) as server:
        for seed in SEEDS:
            liar.seed = seed
            for number, line in enumerate(LINES[command]):
                words = words_of(line, places)
                if "--format" not in words and not waits(words):
                    words += ["--format", FORMATS[(seed + number) % len(FORMATS)]]
                status, text = ended(words, server.port, tmp_path)
                assert 0 <= status < 64 or status == 130, (seed, words, status, text[-2000:])
                raw = NOT_SHOWN.search(text)
                assert not raw, (seed, words, text[max(0, raw.start() - 100):raw.end() + 100])
    assert {file.name for file in tmp_path.iterdir()} <= {*places.values(), ".hone", ".config"}


def test_a_worker_survives_a_server_that_lies(tmp_path):
    with Listener(liar := Liar()) as server:
        for seed in SEEDS:
            liar.seed = seed
            worker = subprocess.Popen(
                [program("hone-worker"), "--server", f"http://127.0.0.1:{server.port}", "--data",
                 str(tmp_path / f"data-{seed}")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            try:
                text, _ = worker.communicate(timeout=1.5)
            except subprocess.TimeoutExpired:
                worker.send_signal(signal.SIGTERM)
                text, _ = worker.communicate(timeout=SECONDS)
            assert worker.returncode >= 0, (seed, worker.returncode, text[-2000:])
            raw = NOT_SHOWN.search(text.decode(errors="replace"))
            assert not raw, (seed, text[-2000:])


def test_the_lies_are_told():
    """The commands above would pass against a server that answers nothing."""
    answers = Answers()
    told = [answers.answer("GET", path, seed)[0] for seed in range(48)
            for path in ("/v1/sweeps/sw_1", "/v1/sweeps/sw_1/best", "/v1/runs/rn_1.0/curve")]
    assert "spec" in told[0] and told[1]["items"][0]["id"] == "tr_1"
    text = json.dumps(told, ensure_ascii=False)
    assert "gnp.exe" in text and str(-2**63) in text and "key 2999" in text
