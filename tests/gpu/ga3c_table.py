#!/usr/bin/env python3
"""Trains GA3C on a GPU with its published network and prints what the training and the GPU did.

    ga3c_table.py BIN            configurations, then one to eight trainings on one GPU
    ga3c_table.py BIN --atari    Atari's Pong, with the emulator on the processors (needs ale_py)

BIN is the folder of hone-train. GPU busy is the median of nvidia-smi's utilization.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import threading

LIMIT_S = 90
SCREENS = ["--env", "Synthetic-screens", "--set", "optimizer=adam", "--set", "learning_rate=0.0005"]


class Watch:
    """Samples the GPU five times a second while it is open."""

    def __enter__(self):
        self.busy, self.memory = [], []
        self.process = subprocess.Popen(["nvidia-smi", "--query-gpu=utilization.gpu,memory.used",
                                         "--format=csv,noheader,nounits", "-lms", "200"],
                                        stdout=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()
        return self

    def read(self):
        for line in self.process.stdout:
            busy, memory = line.split(",")
            self.busy.append(int(busy))
            self.memory.append(int(memory))

    def __exit__(self, *_):
        self.process.terminate()
        self.thread.join()


def train(program, words, count=1):
    """Results of `count` trainings in parallel, and what the GPU did meanwhile."""
    command = [program, "ga3c", "--format", "json", *words]
    with Watch() as watch:
        processes = [start([*command, "--seed", str(seed)]) for seed in range(1, count + 1)]
        rows = [row for row in map(result_of, processes) if row is not None]
    return rows, watch


def start(command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def result_of(process):
    """What the training printed; None, with the reason on the screen, where it did not end well."""
    why = f"did not end in {LIMIT_S} s"
    try:
        out, err = process.communicate(timeout=LIMIT_S)
        if process.returncode == 0:
            return json.loads(out)
        why = err[-400:]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    print("failed:", " ".join(process.args), why, flush=True)
    return None


HEAD = (
    f"{'':26}{'frames/s':>9}{'predictions/s':>14}{'of':>5}{'updates/s':>10}{'of':>5}{'lag':>6}{'busy %':>7}{'MiB':>7}"
    f"{'cores':>6}{'return':>8}")


def print_row(name, rows, watch):
    if not rows:
        return

    def total(metric): return sum(row["metrics"].get(metric, 0) for row in rows)  # noqa: E731
    def mean(metric): return total(metric) / len(rows)  # noqa: E731
    cores = sum(row["cpu_s"] / row["seconds"] for row in rows)
    print(
        f"{name:26}{sum(row['frames_per_s'] for row in rows):9.0f}{total('predictions_per_s'):14.0f}"
        f"{mean('predict_batch'):5.0f}{total('updates_per_s'):10.0f}{mean('train_batch'):5.0f}{mean('policy_lag'):6.1f}"
        f"{statistics.median(watch.busy or [0]):7.0f}{max(watch.memory or [0]):7}{cores:6.1f}"
        f"{statistics.mean(row['return'] for row in rows):8.1f}", flush=True)


def settings(**values):
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def of(agents, envs, predictors, trainers, train_batch):
    return settings(
        backend="cuda",
        hidden=256,
        agents=agents,
        envs=envs,
        predictors=predictors,
        trainers=trainers,
        predict_batch=1024,
        train_batch=train_batch)


def screens(program):
    print(HEAD)
    print_row("published 32x1", *train(program,
              [*SCREENS, *of(32, 1, 2, 2, 32), "--frames", "100k"]))
    for agents, envs, predictors, trainers, batch in [
            (16, 16, 2, 2, 256), (16, 32, 2, 4, 512), (16, 64, 2, 4, 1024),
            (16, 64, 3, 4, 2048), (16, 128, 4, 4, 4096)]:
        print_row(f"{agents}x{envs}, {predictors} + {trainers}, {batch}", *train(program,
                  [*SCREENS, *of(agents, envs, predictors, trainers, batch), "--frames", "1M"]))
    print("\ntrainings of 4x32, 1 + 1, 512 on one GPU")
    for count in (1, 2, 4, 8):
        print_row(f"{count} in parallel", *train(program,
                  [*SCREENS, *of(4, 32, 1, 1, 512), "--frames", "200k"], count))
    print_row("CartPole: the context", *train(program,
              [*settings(backend="cuda"), "--frames", "30k"]))


def atari(program):
    print(HEAD)
    for agents, envs in [(16, 8), (32, 16)]:
        print_row(f"Pong {agents}x{envs}, 2 + 2, 256", *train(program,
                  ["--env", "atari:Pong", *of(agents, envs, 2, 2, 256), "--frames", "200k"]))


def main():
    program = str(pathlib.Path(sys.argv[1]) / "hone-train")
    (atari if "--atari" in sys.argv else screens)(program)


if __name__ == "__main__":
    main()
