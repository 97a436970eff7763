"""The Python SDK against schemas/cases, the rows that the C++ codec is tested with, and its
conversation with a worker that is played here. Standard library only."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sdk" / "python"))

import hone  # noqa: E402
from hone import rules, sweep  # noqa: E402

RUN_FILE = {
    "run": "rn_42.0", "attempt": 1, "sweep": "sw_7", "sweep_name": "demo",
    "trainer": {"command": ["train"]},
    "params": {"lr": 0.1}, "seed": 7, "objective": {"metric": "return", "goal": "maximize"},
    "budget": {"unit": "frames", "per_run": 1000, "phases": 3}, "next_phase": 1, "resume": None,
}


class Cases(unittest.TestCase):
    def test_every_row_is_read_or_refused_where_it_says(self):
        rows = 0
        for path in sorted((ROOT / "schemas" / "cases").glob("*.json")):
            for row in json.loads(path.read_text()):
                read = getattr(rules, row["schema"], None)
                if read is None:
                    continue  # a body of workers and administrators
                rows += 1
                with self.subTest(file=path.name, row=row["name"]):
                    self.check(row, read)
        self.assertGreater(rows, 50)

    def check(self, row, read):
        if row.get("ok"):
            read(row["value"])
            return
        with self.assertRaises(hone.Invalid) as caught:
            read(row["value"])
        if row["schema"] not in ("trial_line",
                                 "trial_answer"):  # their schemas say less of the place than this reader
            self.assertEqual(caught.exception.at, row["error_at"])
        self.assertIn(row.get("error_says", ""), caught.exception.detail)


class Fields(unittest.TestCase):
    def test_of_sweep_files_are_those_of_the_schema(self):
        schema = json.loads((ROOT / "schemas" / "v1" / "sweep.json").read_text())
        own = {"name", "objective", "objectives", "trainer", "parameters", "search", "terminator",
               "budget", "command", "steps"}
        self.assertEqual(set(sweep.SWEEP_FIELDS) | own, set(schema["properties"]))


class Worker:
    """Answers one trial process as a worker does; `said` is what it heard."""

    def __init__(self, path, verdicts):
        self.said = []
        self.verdicts = list(verdicts)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        connection, _ = self.listener.accept()
        with connection, connection.makefile("r", encoding="utf-8") as lines:
            for line in lines:
                message = json.loads(line)
                self.said.append(message)
                answer = self.answer(message)
                if answer is not None:
                    connection.sendall(json.dumps(answer).encode() + b"\n")
        self.listener.close()

    def answer(self, message):
        if "checkpoint" in message:
            return {"saved": {"sha256": "ab" * 32}}
        if "metric" in message:
            return {"error": {"code": "invalid", "detail": "no such", "at": "/metric/name"}} \
                if message["metric"]["name"] == "bad" else None
        return self.verdicts.pop(0)


class Trials(unittest.TestCase):
    def run_program(self, text, verdicts, **changes):
        with tempfile.TemporaryDirectory() as folder:
            run_file = pathlib.Path(folder, "run.json")
            run_file.write_text(json.dumps({**RUN_FILE, **changes}))
            worker = Worker(os.path.join(folder, "socket"), verdicts)
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "sdk" / "python"),
                           "HONE_RUN_FILE": str(run_file),
                           "HONE_SOCKET": os.path.join(folder, "socket"),
                           "HONE_CHECKPOINT_DIR": folder}
            done = subprocess.run([sys.executable, "-c", text], env=environment,
                                  capture_output=True, text=True,
                                  timeout=60)
            worker.thread.join(60)
            return done, worker.said

    GOES_ON = {"verdict": "continue", "reason": "good_enough"}
    LAST = {"verdict": "stop", "reason": "last_phase"}

    def test_a_program_trains_the_phases_that_are_left(self):
        done, said = self.run_program(
            "import hone\nrun = hone.current()\n"
            "for phase in run.phases():\n"
            "    run.metric('loss', 1.5, step=phase.end)\n"
            "    verdict = run.report(phase, run.params['lr'] * phase.end)\n"
            "print('end', verdict.reason)\n", [self.GOES_ON, self.LAST])
        self.assertEqual((done.returncode, done.stdout), (0, "end last_phase\n"), done.stderr)
        self.assertEqual([one["report"] for one in said if "report" in one],
                         [{"phase": 1, "step": 666, "value": 66.60000000000001},
                          {"phase": 2, "step": 1000, "value": 100.0}])

    def test_a_stop_ends_the_program_with_status_0(self):
        done, _ = self.run_program(
            "import hone\nhone.current().report(1, 2.0)\nprint('not reached')\n",
            [{"verdict": "stop", "reason": "evicted"}])
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_a_stop_can_be_returned(self):
        done, _ = self.run_program(
            "import hone\nprint(hone.current().report(1, 2.0, raises=False))\n",
            [{"verdict": "pause", "reason": "awaits_promotion"}])
        self.assertEqual(done.stdout, "Verdict(verdict='pause', reason='awaits_promotion')\n",
                         done.stderr)

    def test_a_value_that_is_no_number_has_diverged(self):
        _, said = self.run_program("import hone\nhone.current().report(1, float('nan'))\n",
                                   [self.GOES_ON])
        self.assertEqual(said[0]["report"]["value"], "diverged")

    def test_a_refused_metric_is_a_warning(self):
        done, _ = self.run_program(
            "import hone\nrun = hone.current()\nrun.metric('bad', 1)\nrun.report(1, 1)\n",
                                   [self.GOES_ON])
        self.assertEqual(done.returncode, 0)
        self.assertIn("hone refused a metric: no such", done.stderr)

    def test_a_refused_report_raises(self):
        done, _ = self.run_program(
            "import hone\ntry:\n    hone.current().report(1, 1)\nexcept hone.Problem as error:\n    print(error.code)\n",
            [{"error": {"code": "conflict", "detail": "phase 0 has no report yet",
                        "at": "/phase"}}])
        self.assertEqual(done.stdout, "conflict\n", done.stderr)

    def test_a_checkpoint_outside_the_folder_is_copied_into_it(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            file = os.path.join(elsewhere, "model.bin")
            pathlib.Path(file).write_bytes(b"weights")
            done, said = self.run_program(
                f"import hone, os\nrun = hone.current()\nprint(run.checkpoint({file!r}, 1))\n"
                "assert sorted(os.listdir(run.checkpoint_dir)) == ['run.json', 'socket']\n", [])
        self.assertEqual(done.stdout, "ab" * 32 + "\n", done.stderr)
        self.assertEqual((said[0]["checkpoint"]["step"], said[0]["checkpoint"]["phase"]), (666, 1))

    def test_outside_a_sweep_it_says_so_or_runs_alone(self):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("HONE_")}
        clean["PYTHONPATH"] = str(ROOT / "sdk" / "python")
        refused = subprocess.run([sys.executable, "-c", "import hone; hone.current()"], env=clean,
                                 capture_output=True,
                                 text=True, timeout=60)
        self.assertIn("no sweep of hone runs this program", refused.stderr)
        alone = subprocess.run(
            [sys.executable, "-c", "import hone\nrun = hone.current(params={'lr': 1}, phases=2)\n"
             "print([run.report(p, 1).goes_on for p in run.phases()])"],
            env=clean, capture_output=True, text=True, timeout=60)
        self.assertEqual(alone.stdout, "[True, True]\n", alone.stderr)

    def test_a_worker_that_is_gone_is_unavailable(self):
        clean = {**os.environ, "PYTHONPATH": str(ROOT / "sdk" / "python"),
                 "HONE_SOCKET": "/nonexistent/socket"}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(json.dumps(RUN_FILE))
            file.flush()
            clean["HONE_RUN_FILE"] = file.name
            done = subprocess.run([sys.executable, "-c", "import hone\nhone.current()"], env=clean,
                                  capture_output=True,
                                  text=True, timeout=60)
        self.assertIn("hone.errors.Unavailable: no worker answers", done.stderr)


if __name__ == "__main__":
    unittest.main()
