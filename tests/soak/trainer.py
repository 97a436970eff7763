"""A trial program that writes every answer to disk before it continues.

Standard library only. Arguments: a folder, the seconds of a phase. In the folder it leaves
pids/RUN.ATTEMPT (its process), and acks/RUN.ATTEMPT.jsonl, a line for each report that was
answered. It keeps two children, one of them in a separate session, which only end when they are
killed.
"""
import json
import os
import socket
import sys
import time

from value import value_of


def keep_children():
    for own_session in (False, True):
        if os.fork() == 0:
            if own_session:
                os.setsid()
            os.execv("/bin/sleep", ["sleep", "100000"])


class Link:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["HONE_SOCKET"])
        self.lines = self.socket.makefile("rw")

    def say(self, message):
        self.lines.write(json.dumps(message) + "\n")
        self.lines.flush()

    def ask(self, message):
        self.say(message)
        answer = json.loads(self.lines.readline())
        assert "error" not in answer, answer
        return answer


def main():
    folder, seconds = sys.argv[1], float(sys.argv[2])
    with open(os.environ["HONE_RUN_FILE"]) as file:
        run = json.load(file)
    name = f"{run['run']}.{run['attempt']}"
    with open(os.path.join(folder, "pids", name), "w") as file:
        file.write(str(os.getpid()))
    keep_children()
    phases, per_run = run["budget"]["phases"], run["budget"]["per_run"]
    begin = 0
    if run["resume"]:
        with open(run["resume"]["path"]) as file:
            saved = json.load(file)
        assert saved == {"run": run["run"], "step": run["resume"]["step"]}, (saved, run["resume"])
        begin = saved["step"] * phases // per_run
    assert begin >= run["next_phase"] or run["next_phase"] - begin <= 1, (begin, run["next_phase"])
    acks = os.open(os.path.join(folder, "acks", name + ".jsonl"),
                   os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    link = Link()
    for phase in range(min(begin, run["next_phase"]), phases):
        time.sleep(seconds)
        step = per_run * (phase + 1) // phases
        link.say({"metric": {"name": "loss", "step": step,
                             "value": 1 - value_of(run["run"], phase) / 100}})
        path = os.path.join(os.environ["HONE_CHECKPOINT_DIR"], f"{phase}.json")
        with open(path, "w") as file:
            json.dump({"run": run["run"], "step": step}, file)
        link.ask({"checkpoint": {"path": path, "step": step, "phase": phase}})
        value = value_of(run["run"], phase)
        verdict = link.ask({"report": {"phase": phase, "step": step, "value": value}})["verdict"]
        os.write(acks, json.dumps({"phase": phase, "value": value, "verdict": verdict}).encode() +
                 b"\n")
        os.fsync(acks)
        if verdict != "continue":
            break


main()
