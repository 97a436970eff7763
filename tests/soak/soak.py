"""Kills real processes at random instants, heals, and checks that no acknowledged result was lost.

An episode is a server, three workers and a sweep of a command trainer (trainer.py). Server, workers
and trial processes get SIGKILL at instants drawn from the seed, and restart a little later; then
the kills stop and the sweep must end. A round is one kill. check() below lists the promises: it
reads the ledger, and the files of the trial programs.

soak.py [--rounds 20] [--seed 1] [--together 2] [--keep]

Standard library only. HONE_BIN names the folder of the programs.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("HONE_BIN", HERE.parents[1] / "build" / "bin"))
ROUNDS_OF_EPISODE = 10
WORKERS = 3
# A lease (15 s), a rest and a reservation (30 s), several of each in a row, on a loaded machine.
END_SECONDS = 240


class Broken(Exception):
    """A promise that does not hold."""


def must(holds, *what):
    if not holds:
        raise Broken(" ".join(str(word) for word in what))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def of_episode(folder):
    """Live processes that were started for a run of this episode, the zombies left out."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes()
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if f"HONE_RUN_FILE={folder}/".encode() in environment and state != "Z":
            found.append(int(entry.name))
    return found


def minds_sigterm(pid):
    """Whether a process blocks or catches SIGTERM: the system ends one that has only just begun."""
    masks = dict(line.split(":\t")
                 for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
                 if ":\t" in line)
    return any(int(masks[name], 16) >> (signal.SIGTERM - 1) & 1 for name in ("SigBlk", "SigCgt"))


class Episode:
    def __init__(self, folder, seed, rounds):
        self.folder, self.seed, self.rounds = folder, seed, rounds
        self.rng = random.Random(seed)
        self.port = free_port()
        self.processes = {}  # name -> Popen
        self.kills = {"server": 0, "worker": 0, "trial": 0}
        for name in ("acks", "pids"):
            (folder / name).mkdir(parents=True)

    # Processes.

    def start(self, name):
        server = name == "server"
        command = ([str(BIN / "hone-server"), "--data", str(self.folder / "data"), "--listen",
                    f"127.0.0.1:{self.port}"]
                   if server else
                   [str(BIN / "hone-worker"), "--server", f"http://127.0.0.1:{self.port}",
                    "--slots", "2",
                    "--data", str(self.folder / name), "--name", name])
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen([*command, "--die-with-parent"], stdout=log,
                                                    stderr=log,
                                                    stdin=subprocess.DEVNULL)

    def kill(self, name):
        process = self.processes.pop(name)
        must(process.poll() is None, name, "ended by itself with status", process.poll())
        process.kill()
        process.wait()

    def stop(self, name, seconds=60):
        process = self.processes.pop(name)
        end = time.monotonic() + seconds
        while process.poll() is None and not minds_sigterm(process.pid):
            must(time.monotonic() < end, name, "does not start")
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        must(process.wait(seconds) == 0, name, "ended with status", process.returncode)

    def call(self, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}",
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def insist(self, path, body=None):
        """Until the server is there."""
        end = time.monotonic() + 60
        while True:
            try:
                return self.call(path, body)
            except urllib.error.HTTPError:
                raise
            except OSError:
                must(time.monotonic() < end, "the server does not come back")
                time.sleep(0.05)

    # The story.

    def spec(self):
        rule = self.rng.choice([{"rule": "none"}, {"rule": "median"}])
        return {"name": f"soak-{self.seed}", "seed": self.seed,
                "objective": {"metric": "score", "goal": "maximize"},
                "command": [sys.executable, str(HERE / "trainer.py"), str(self.folder),
                            "${seconds}"],
                "parameters": {"seconds": {"type": "float", "min": 0.02, "max": 0.3}},
                "search": {"method": "random", "trials": 6 * self.rounds}, "terminator": rule,
                "budget": {"unit": "steps", "per_run": 60, "phases": self.rng.randint(3, 8)},
                "limits": {"max_retries": 1000}}

    def a_trial(self):
        alive = [path for path in sorted((self.folder / "pids").iterdir())
                 if path.read_text() and int(path.read_text()) in of_episode(self.folder)]
        return int(self.rng.choice(alive).read_text()) if alive else None

    def one_round(self):
        time.sleep(self.rng.uniform(0, 1.2))
        what = self.rng.choice(["server", "worker", "trial"])
        if what == "trial":
            pid = self.a_trial()
            if pid is None:
                return False
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:  # it had just ended
                return False
        else:
            name = what if what == "server" else self.rng.choice([f"worker-{i}"
                                                                   for i in range(WORKERS)])
            self.kill(name)
            time.sleep(self.rng.uniform(0, 0.8))
            if what == "worker" and self.rng.random() < 0.2:
                # The machine is gone: a new one takes its place.
                shutil.rmtree(self.folder / name)
            self.start(name)
        self.kills[what] += 1
        return True

    def run(self):
        self.start("server")
        sweep = self.insist("/v1/sweeps", {"request_id": "soak", "spec": self.spec()})["sweep"]
        for i in range(WORKERS):
            self.start(f"worker-{i}")
        done = 0
        while done < self.rounds:
            done += self.one_round() is True
        end = time.monotonic() + END_SECONDS
        while (state := self.insist(f"/v1/sweeps/{sweep}")["state"]) == "running":
            must(time.monotonic() < end, "the sweep does not end")
            time.sleep(0.2)
        must(state == "completed", "the sweep is", state)
        for i in range(WORKERS):
            self.stop(f"worker-{i}")
        self.stop("server")
        return self.check()

    def close(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
        for pid in of_episode(self.folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    # What must hold.

    def check(self):
        must(not of_episode(self.folder), "processes are left:", of_episode(self.folder))
        db = sqlite3.connect(f"file:{self.folder}/data/hone.db?mode=ro", uri=True)
        ask = lambda sql, *words: db.execute(sql, words).fetchall()
        must(ask("PRAGMA integrity_check") == [("ok",)], "the file is damaged")
        must(ask("SELECT max(seq) - count(*) FROM event") == [(0,)], "the ledger has gaps")
        reports = {(f"rn_{trial}.{replicate}", phase): (value, json.loads(verdict)["verdict"])
                   for trial, replicate, phase, value, verdict
                   in ask("SELECT trial, replicate, phase, value, verdict FROM report")}
        self.check_reports(ask, reports)
        self.check_runs(ask)
        acks = self.check_acks(reports)
        return {"reports": len(reports), "acknowledged": acks,
                "attempts": ask("SELECT count(*) FROM attempt")[0][0],
                **self.kills}

    def check_reports(self, ask, reports):
        """Once each, contiguous, with the value that every attempt computes, and one verdict for
        ever."""
        for kind in ("report_recorded", "verdict_given"):
            once = ask(
                "SELECT count(*), count(DISTINCT body ->> '$.run' || '/' || (body ->> '$.phase'))"
                       " FROM event WHERE kind = ?", kind)
            must(once == [(len(reports), len(reports))], kind, once, "for", len(reports), "reports")
        sys.path.insert(0, str(HERE))
        from value import value_of
        for (run, phase), (value, _) in reports.items():
            must(value == value_of(run, phase), run, "phase", phase,
                 "has the value of something else")
        holes = ask(
            "SELECT trial, replicate FROM report GROUP BY 1, 2 HAVING max(phase) + 1 <> count(*)")
        must(not holes, "phases are missing:", holes)
        bare = ask(
            "SELECT r.trial, r.phase FROM report r LEFT JOIN metric_point m ON m.trial = r.trial"
                   " AND m.replicate = r.replicate AND m.step = r.step AND m.name = 'loss' WHERE m.step IS NULL")
        must(not bare, "metric points are missing:", bare)

    def check_runs(self, ask):
        odd = ask("SELECT trial, replicate, state, reason, failure, detail FROM run"
                  " WHERE state NOT IN ('completed', 'stopped') OR reason = 'exited_early'")
        must(not odd, "runs that did not end as they should:", odd)
        two = ask("SELECT a.trial, a.number FROM attempt a JOIN attempt b ON b.trial = a.trial AND"
                  " b.replicate = a.replicate AND b.number = a.number + 1"
                  " WHERE a.ended_at IS NULL OR b.granted_at < a.ended_at")
        must(not two, "two live leases on one run:", two)

    def check_acks(self, reports):
        count = 0
        for path in (self.folder / "acks").iterdir():
            run = path.name.rsplit(".", 2)[0]
            for line in path.read_text().splitlines():
                if not line.endswith("}"):
                    continue  # killed while it wrote: it knew, but could not say
                ack = json.loads(line)
                recorded = reports.get((run, ack["phase"]))
                must(recorded is not None, "an acknowledged report is lost:", run, ack)
                must(recorded == (ack["value"], ack["verdict"]), "acknowledged", run, ack,
                     "but recorded", recorded)
                count += 1
        return count


def play(folder, seed, rounds, results):
    episode = Episode(folder, seed, rounds)
    try:
        results.append((seed, episode.run(), None))
    except Exception:  # told at the end, with the seed
        results.append((seed, None, traceback.format_exc()))
    finally:
        episode.close()


def main():
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--together", type=int, default=2, help="episodes at a time")
    parser.add_argument("--keep", action="store_true", help="keep the folders")
    options = parser.parse_args()
    top = pathlib.Path(tempfile.mkdtemp(prefix="hone-soak-"))
    sizes = [ROUNDS_OF_EPISODE] * (options.rounds // ROUNDS_OF_EPISODE)
    if options.rounds % ROUNDS_OF_EPISODE:
        sizes.append(options.rounds % ROUNDS_OF_EPISODE)
    results, began = [], time.monotonic()
    waiting = list(enumerate(sizes, options.seed))
    for i in range(0, len(waiting), options.together):
        threads = [threading.Thread(target=play, args=(top / f"seed-{seed}", seed, rounds, results))
                   for seed, rounds in waiting[i:i + options.together]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    failed = [result for result in results if result[2]]
    for seed, facts, _ in sorted(results, key=lambda result: result[0]):
        print(f"seed {seed}:",
              "BROKEN" if facts is None else " ".join(f"{name} {n}" for name, n in facts.items()))
    total = {name: sum(facts[name] for _, facts, _ in results if facts) for name in
             ("server", "worker", "trial", "acknowledged", "reports", "attempts")}
    print(f"{options.rounds} rounds in {time.monotonic() - began:.0f} s:",
          " ".join(f"{name} {n}" for name, n in total.items()), f"broken {len(failed)}")
    for seed, _, why in failed:
        print(
            f"\nseed {seed} (soak.py --seed {seed} --rounds {ROUNDS_OF_EPISODE}; folder {top / f'seed-{seed}'})\n{why}")
    if not failed and not options.keep:
        shutil.rmtree(top)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
