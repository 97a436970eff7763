"""Kills the primary at random instants under load, promotes its standby, and checks that no
acknowledged result was lost.

An episode is a primary with --sync-replica, a standby, workers that know both URLs, and a sweep of
a command trainer (trainer.py). In each round the primary gets SIGKILL at an instant drawn from the
seed, the standby is promoted, and a standby is started in the place of the old primary: with its
data folder if the two ledgers have not diverged, else with a backup of the new primary. Then the
sweep must end, and soak.py's check() must hold on the last primary.

standby.py [--rounds 20] [--seed 1] [--together 2] [--keep]

Standard library only. HONE_BIN names the folder of the programs.
"""
import json
import shutil
import subprocess
import sys
import time

import soak
from soak import BIN, END_SECONDS, Episode, free_port, must


class StandbyEpisode(Episode):
    def __init__(self, folder, seed, rounds):
        super().__init__(folder, seed, rounds)
        self.ports = {"a": free_port(), "b": free_port()}
        self.kills = {"server": 0, "worker": 0, "trial": 0, "rejoined": 0}
        self.primary, self.other = "a", "b"

    def url(self, name):
        return f"http://127.0.0.1:{self.ports[name]}"

    def data(self, name):
        return self.folder / ("data" if name == "a" else "data-b")

    def start(self, name):
        if name in ("a", "b"):
            command = [BIN / "hone-server", "--data", self.data(name), "--listen",
                       f"127.0.0.1:{self.ports[name]}", "--sync-replica"]
            if name != self.primary:
                command += ["--follow", self.url(self.primary)]
        else:
            command = [BIN / "hone-worker", "--server", f"{self.url('a')},{self.url('b')}",
                       "--slots", "2", "--data", self.folder / name, "--name", name]
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen([*map(str, command), "--die-with-parent"],
                                                    stdout=log, stderr=log,
                                                    stdin=subprocess.DEVNULL)

    def call(self, path, body=None):
        self.port = self.ports[self.primary]
        return super().call(path, body)

    def health(self, name):
        self.port = self.ports[name]
        try:
            return Episode.call(self, "/healthz")
        except OSError:
            return {}

    def hone(self, *words):
        done = subprocess.run([str(BIN / "hone"), *map(str, words)], capture_output=True, text=True,
                              timeout=60)
        must(done.returncode == 0, "hone", *words, "failed:", done.stderr)

    def is_copied(self):
        """Whether the standby may be promoted."""
        state = json.loads((self.data(self.other) / "standby.json").read_text())
        return state["complete"]

    def await_standby(self):
        """Until the standby is complete. A folder that has diverged is replaced by a new one."""
        end = time.monotonic() + 60
        while True:
            health = self.health(self.other)
            follows = health.get("role") == "follower" and "trouble" not in health
            if follows and health["lag_seconds"] < 1 and self.is_copied():
                return
            if "diverged" in health.get("trouble", ""):
                self.kill(self.other)
                shutil.rmtree(self.data(self.other))
                self.hone("db", "backup", self.data(self.other), "--data", self.data(self.primary))
                self.start(self.other)
                self.kills["rejoined"] -= 1
            must(time.monotonic() < end, "the standby does not follow:", health)
            time.sleep(0.02)

    def one_round(self):
        self.await_standby()
        time.sleep(self.rng.uniform(0, 0.8))
        self.kill(self.primary)
        self.hone("db", "promote", "--data", self.data(self.other))
        self.primary, self.other = self.other, self.primary
        self.kills["server"] += 1
        self.kills["rejoined"] += 1
        self.start(self.other)
        return True

    def run(self):
        self.start("a")
        self.start("b")
        self.await_standby()
        sweep = self.insist("/v1/sweeps", {"request_id": "soak", "spec": self.spec()})["sweep"]
        for i in range(soak.WORKERS):
            self.start(f"worker-{i}")
        for _ in range(self.rounds):
            self.one_round()
        self.await_standby()  # without one, nothing is acknowledged, and the sweep cannot end
        end = time.monotonic() + END_SECONDS
        while (state := self.insist(f"/v1/sweeps/{sweep}")["state"]) == "running":
            must(time.monotonic() < end, "the sweep does not end")
            time.sleep(0.2)
        must(state == "completed", "the sweep is", state)
        self.await_standby()
        for i in range(soak.WORKERS):
            self.stop(f"worker-{i}")
        self.stop(self.primary)
        self.stop(self.other)
        if self.primary != "a":  # check() reads data
            self.data("a").rename(self.folder / "data-a")
            self.data("b").rename(self.folder / "data")
        return self.check()


if __name__ == "__main__":
    soak.Episode = StandbyEpisode
    sys.exit(soak.main())
