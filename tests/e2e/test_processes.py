"""hone-train apex and gorila with processes=yes: killed processes are replaced, and none remains.

HONE_PROCESS_KILLS is the number of kills of each training.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import pytest

from conftest import program

KILLS = int(os.environ.get("HONE_PROCESS_KILLS", "8"))
PATIENCE_S = 120  # for what takes a second on a machine at rest

TRAINERS = ["apex", "gorila"]


def until(condition, what):
    """The first true result of the condition."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.005)
    raise AssertionError(f"not within {PATIENCE_S} s: {what}")


def children(pid):
    try:
        tasks = list(pathlib.Path(f"/proc/{pid}/task").iterdir())
        return {int(word) for task in tasks for word in (task / "children").read_text().split()}
    except (FileNotFoundError, ProcessLookupError):
        return set()


def is_gone(pid):
    return not pathlib.Path(f"/proc/{pid}").exists()


def state(pid):
    """R, S, T (stopped), Z (has ended, and its parent has not noticed), ...; X: no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def has_ended(pid):
    """Also of an orphan that the first process of a container never collects."""
    return state(pid) in "XZ"


def is_serving(pid):
    """Whether the process runs the program of actors: a new child is a copy of its parent."""
    try:
        return b"--serve" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def descriptors(pid):
    """How many are open; 0 where the process has ended."""
    try:
        return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:
        return 0


class Training:
    def __init__(self, trainer, *words, frames="40k"):
        self.process = subprocess.Popen(
            [program("hone-train"), trainer, "--frames", frames, "--seed", "1", "--processes",
             "yes", "--actors", "2", "--format", "json", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.seen = set()

    def actors(self):
        """Both, or nothing while one is missing or the training is over."""
        found = {pid for pid in children(self.process.pid) if is_serving(pid)}
        self.seen |= found
        return found if len(found) == 2 else None

    def ended(self):
        return self.process.poll() is not None

    def result(self):
        out, err = self.process.communicate(timeout=300)
        return self.process.returncode, out, err


@pytest.mark.parametrize("trainer", TRAINERS)
def test_killed_processes_are_replaced_and_the_training_goes_to_its_end(tmp_path, trainer):
    file = tmp_path / "model"
    training = Training(trainer, "--out", str(file), frames=f"{max(40, 5 * KILLS)}k")
    rng = random.Random(trainer)
    before = None
    kills = 0
    while kills < KILLS:
        actors = until(lambda: training.actors() or training.ended(), "two processes")
        if training.ended():
            break
        before = before or descriptors(training.process.pid)
        victim = rng.choice(sorted(actors))
        os.kill(victim, signal.SIGKILL)
        kills += 1
        until(lambda: is_gone(victim), "the end of a killed process: it is a zombie")
    if not training.ended():
        until(lambda: training.ended() or (training.actors() and
                                           descriptors(training.process.pid) <= before),
              f"as many open files as before {kills} kills")
    status, out, err = training.result()
    assert status == 0, err
    outcome = json.loads(out)
    assert kills >= min(KILLS, 3), "the training was over before it could be disturbed"
    assert len(training.seen) > 2, "no process was replaced"
    assert outcome["frames"] >= 40_000, "lost frames were not played again"
    assert outcome["return"] > 30, "a random player has 22"
    until(lambda: all(is_gone(pid) for pid in training.seen), "the end of all processes")
    # The file is that of a training in threads, too.
    for processes in ("yes", "no"):
        done = subprocess.run(
            [program("hone-train"), trainer, "--frames", f"{max(40, 5 * KILLS) + 2}k", "--resume",
             str(file), "--actors", "2", "--processes", processes, "--format", "json"],
            capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["frames"] >= 2_000, "not those after the file's"


def test_a_node_learns_as_a_process_what_it_learns_as_a_thread(tmp_path):
    """Both write their gradients to the same parameter server, so the weights are equal."""
    means = []
    for processes in ("no", "yes"):
        file = tmp_path / processes
        words = ["--frames", "6k", "--seed", "3", "--actors", "1", "--processes", processes]
        for command in (["gorila", *words, "--out", str(file)],
                        ["gorila", "--evaluate", str(file), "--episodes", "20", "--seed", "1"]):
            done = subprocess.run([program("hone-train"), *command, "--format", "json"],
                                  capture_output=True, text=True, timeout=300, check=False)
            assert done.returncode == 0, done.stderr
        means.append(json.loads(done.stdout)["returns"])
    assert means[0] == means[1]


@pytest.mark.parametrize("trainer", TRAINERS)
def test_processes_that_end_while_the_training_is_stopped_are_replaced(trainer):
    training = Training(trainer, frames="100M")
    actors = until(training.actors, "two processes")
    os.kill(training.process.pid, signal.SIGSTOP)
    until(lambda: state(training.process.pid) == "T", "a stopped training")
    for pid in actors:
        os.kill(pid, signal.SIGKILL)
    until(lambda: all(has_ended(pid) for pid in actors), "the end of the killed processes")
    os.kill(training.process.pid, signal.SIGCONT)
    until(lambda: actors.isdisjoint(training.actors() or actors), "two other processes")
    until(lambda: all(is_gone(pid) for pid in actors), "no zombies")
    training.process.terminate()
    training.result()
    until(lambda: all(has_ended(pid) for pid in training.seen), "the end of all processes")


@pytest.mark.parametrize("trainer", TRAINERS)
def test_processes_end_with_a_training_that_is_killed(trainer):
    training = Training(trainer, frames="100M")
    actors = until(training.actors, "two processes")
    training.process.kill()
    training.process.communicate()
    until(lambda: all(has_ended(pid) for pid in actors), "the end of the processes")


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_signal_for_the_group_ends_the_training_in_order(tmp_path, trainer):
    file = tmp_path / "model"
    training = Training(trainer, "--out", str(file), frames="100M")
    actors = until(training.actors, "two processes")
    os.killpg(training.process.pid, signal.SIGTERM)
    training.result()
    assert file.exists(), "the model was not saved"
    until(lambda: all(has_ended(pid) for pid in actors), "the end of the processes")


@pytest.mark.parametrize("trainer", TRAINERS)
def test_processes_are_refused_where_a_run_has_to_repeat(trainer):
    done = subprocess.run([program("hone-train"), trainer, "--processes", "yes", "--deterministic",
                           "yes"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "processes=no" in done.stderr
