"""hone-train NAME --hosts FILE: actors that hone-relay plays elsewhere, here on the same machine."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess

import pytest

import slurm
from conftest import program
from test_processes import COUNTS, NO_END, SPEED, children, has_ended, is_serving, until

# Their actors can be on other hosts.
TRAINERS = ["apex", "gorila", "impala"]


class Player:
    """A program whose stderr goes to a file."""

    def __init__(self, folder, name, *words, environment=None):
        self.log = folder / f"{name}.log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [program(words[0]), *words[1:]], stdout=subprocess.PIPE, stderr=log, text=True,
                start_new_session=True, cwd=folder, env={**os.environ, **(environment or {})})

    def said(self, text):
        return text in self.log.read_text(encoding="utf-8")

    def end(self):
        out, _ = self.process.communicate(timeout=240)
        return self.process.returncode, out

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture(name="play")
def fixture_play(tmp_path):
    """Starts programs, and ends those that a test leaves."""
    started = []

    def play(*words, environment=None):
        started.append(Player(tmp_path, str(len(started)), *words, environment=environment))
        return started[-1]

    yield play
    for player in started:
        player.stop()


def training(play, *words, frames="40k", environment=None, trainer="apex", env="CartPole-v1"):
    return play("hone-train", trainer, "--env", env, "--frames", frames, "--seed", "1",
                "--hosts", "run.hosts", "--address", "127.0.0.1", "--format", "json", *words,
                environment=environment)


def serving(player):
    """Actors that a program has started."""
    return {pid for pid in children(player.process.pid) if is_serving(pid)}


def relay_of(player):
    """The process by which a training talks to other hosts."""
    for pid in children(player.process.pid):
        try:
            if b"hone-relay" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
        except (FileNotFoundError, ProcessLookupError):
            pass
    return None


def away(player, guests):
    """Whether all actors of the training are on the other side."""
    return sum(len(serving(guest)) for guest in guests) == 2 and not serving(player)


def check_end(player, frames=40_000):
    status, out = player.end()
    assert status == 0, player.log.read_text(encoding="utf-8")
    outcome = json.loads(out)
    assert outcome["frames"] >= frames
    return outcome


@pytest.mark.parametrize("trainer", TRAINERS)
def test_actors_on_another_host_play_a_training_to_its_end(play, tmp_path, trainer):
    frames = 40_000 * SPEED[trainer]
    trained = training(play, COUNTS[trainer], "2", "--out", "model", frames=str(frames),
                       trainer=trainer)
    guest = play("hone-relay", "join", "run.hosts", "--actors", "2")
    until(lambda: away(trained, [guest]), "two actors on the other side")
    assert os.stat(tmp_path / "run.hosts").st_mode & 0o777 == 0o600
    outcome = check_end(trained, frames)
    assert outcome["return"] > 50, "a random player has 22"
    assert guest.end()[0] == 0
    assert guest.said(f"playing {trainer} as actor 2 of 2") and guest.said("the training has ended")
    assert not (tmp_path / "run.hosts").exists()
    played = subprocess.run(
        [program("hone-train"), trainer, "--evaluate", "model", "--episodes", "5"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert played.returncode == 0, played.stderr


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_guest_that_is_killed_is_replaced_on_the_host_of_the_training(play, trainer):
    trained = training(play, COUNTS[trainer], "2", frames=NO_END, trainer=trainer)
    guests = [play("hone-relay", "join", "run.hosts") for _ in range(2)]
    until(lambda: away(trained, guests), "two actors on the other side")
    orphans = serving(guests[0])
    guests[0].process.kill()
    until(lambda: all(has_ended(pid) for pid in orphans), "the end of its actor")
    until(lambda: len(serving(trained)) == 1, "an actor in its place")
    late = play("hone-relay", "join", "run.hosts")
    until(lambda: away(trained, [guests[1], late]), "the actor at a guest that came later")
    trained.process.terminate()
    assert trained.end()[0] == 128 + signal.SIGTERM
    assert guests[1].end()[0] == 0 and late.end()[0] == 0


@pytest.mark.parametrize("reward", ["nan", "1e30"])
@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_guest_that_sends_what_no_actor_plays_loses_its_place(play, trainer, reward):
    folder = {"PYTHONPATH": str(pathlib.Path(__file__).parents[1] / "data" / "gym")}
    trained = training(play, COUNTS[trainer], "1", frames=NO_END, trainer=trainer,
                       env="gym:toy_envs:PaidWalk", environment=folder)
    until(lambda: trained.said(" frames "), "progress of the training")
    guest = play("hone-relay", "join", "run.hosts",
                 environment={**folder, "WALK_REWARD": reward})
    assert guest.end()[0] == 1
    assert guest.said("the training refused what this host played")
    assert trained.said("the guest of actor 1 loses its place")
    until(lambda: serving(trained), "an actor in its place")
    trained.process.terminate()
    status, out = trained.end()
    assert status == 128 + signal.SIGTERM, out


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_guest_whose_actor_is_killed_plays_again(play, trainer):
    trained = training(play, COUNTS[trainer], "1", frames=NO_END, trainer=trainer)
    guest = play("hone-relay", "join", "run.hosts")
    before = until(lambda: serving(guest), "an actor on the other side")
    until(lambda: guest.said("playing"), "its first sentence")
    (victim,) = before
    # It may be killed only after it has played, or the guest would say that it cannot.
    until(lambda: trained.said(" frames "), "progress of the training")
    os.kill(victim, signal.SIGKILL)
    until(lambda: serving(guest) - before, "another actor on the other side")
    trained.process.terminate()
    assert trained.end()[0] == 128 + signal.SIGTERM and guest.end()[0] == 0


def test_a_training_goes_on_alone_when_its_relay_is_killed(play):
    trained = training(play, "--actors", "2", frames="100M")
    guest = play("hone-relay", "join", "run.hosts", "--actors", "2", "--wait", "1")
    until(lambda: away(trained, [guest]), "two actors on the other side")
    os.kill(relay_of(trained), signal.SIGKILL)
    until(lambda: len(serving(trained)) == 2, "two actors on the host of the training")
    assert guest.end()[0] == 1
    assert guest.said("nothing was heard from the training")
    trained.process.terminate()
    assert trained.end()[0] == 128 + signal.SIGTERM


def test_guests_find_a_training_that_was_killed_and_continues(play, tmp_path):
    # Phases of a few milliseconds: guests that were given actors once a second never got any.
    words = ["--actors", "2", "--out", "model", "--save-every", "500"]
    trained = training(play, *words, frames="100M")
    guest = play("hone-relay", "join", "run.hosts", "--actors", "2")
    until(lambda: away(trained, [guest]), "two actors on the other side")
    until((tmp_path / "model").exists, "a checkpoint")
    trained.process.kill()
    trained.end()
    until(lambda: guest.said("looking for it again"), "guests that miss the training")
    resumed = training(play, *words, "--resume", "model", frames="200k")
    until(lambda: away(resumed, [guest]), "the guests at the training that continues")
    check_end(resumed, frames=1)
    assert guest.end()[0] == 0


def test_strangers_disturb_no_training(play, tmp_path):
    trained = training(play, "--actors", "2", frames="60k")
    until((tmp_path / "run.hosts").exists, "the file")
    meeting = json.loads((tmp_path / "run.hosts").read_text(encoding="utf-8"))
    port = int(meeting["address"].rpartition(":")[2])
    for bytes_ in (b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 100,
                   b"\xff" + bytes(8) + b"\x7f\x03\x01NULL" + bytes(48)):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as stranger:
            stranger.sendall(bytes_)
    # Keys of another training.
    meeting["guest_secret"] = meeting["guest_secret"][::-1]
    (tmp_path / "forged.hosts").write_text(json.dumps(meeting), encoding="utf-8")
    forged = play("hone-relay", "join", "forged.hosts", "--wait", "1")
    check_end(trained, frames=60_000)
    assert forged.end()[0] == 1
    assert not forged.said("playing")


def test_a_task_of_a_job_that_is_not_the_first_plays(play):
    trained = training(play, "--actors", "2", environment={"SLURM_PROCID": "0"})
    actors = [training(play, "--actors", "2", environment={"SLURM_PROCID": str(i)}) for i in (1, 2)]
    check_end(trained)
    for actor in actors:
        assert actor.end()[0] == 0
    assert all(actor.said("the training has ended") for actor in actors)


@pytest.mark.parametrize("words, sentence", [
    (["apex", "--hosts", "no/such/file"], "cannot write no/such/file"),
    (["apex", "--hosts", "x", "--set", "deterministic=yes"], "actors on this host alone"),
    (["impala", "--hosts", "x", "--set", "deterministic=yes"], "actors on this host alone"),
    (["impala", "--hosts", "x", "--set", "observation_scale=yes"], "actors on this host alone"),
    (["impala", "--hosts", "x", "--agents", "300"], "at most 256 agents"),
    (["gorila", "--hosts", "x", "--set", "deterministic=yes"], "actors on this host alone"),
    (["dqn", "--hosts", "x"], "--hosts"),
    (["apex", "--address", "x"], "--hosts"),
])
def test_what_cannot_be_is_refused_in_a_sentence(tmp_path, words, sentence):
    done = subprocess.run([program("hone-train"), *words, "--frames", "1k"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert sentence in done.stderr


def test_a_file_that_never_comes_is_named(tmp_path):
    done = subprocess.run([program("hone-relay"), "join", "none.hosts", "--wait", "1"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert re.search(r"cannot read none\.hosts; gave up after 1 s", done.stderr)


@pytest.mark.skipif(bool(slurm.why_not()), reason=slurm.why_not() or "no reason")
@pytest.mark.parametrize("trainer", TRAINERS)
def test_an_allocation_of_slurm_holds_one_training(tmp_path, trainer):
    """One srun: its first task trains, the others are actors."""
    frames = 40_000 * SPEED[trainer]
    cluster = slurm.Slurm(tmp_path / "slurm")
    try:
        cluster.start()
        done = subprocess.run(
            ["srun", "--ntasks", "3", program("hone-train"), trainer, "--env", "CartPole-v1",
             "--frames", str(frames), COUNTS[trainer], "2", "--hosts",
             str(tmp_path / "run.hosts"), "--format", "json"],
            capture_output=True, text=True, timeout=240, check=False,
            env={**os.environ, **cluster.environment})
    finally:
        cluster.stop()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["frames"] >= frames
    assert done.stderr.count("the training has ended") == 2
