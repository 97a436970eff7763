"""Metrics on screens, in exports, and through TensorBoard's event files."""
import csv
import io
import json
import os
import struct
import subprocess
import sys

import pytest

from commands import hone, ok
from conftest import ROOT, sweep_spec
from playing import playing
from tfrecord import fields_of

# An interpreter that has the package tensorboard; made by:
#   python3 -m venv venv && venv/bin/pip install tensorboard
TENSORBOARD = os.environ.get("HONE_TENSORBOARD_PYTHON", sys.executable)


def needs_tensorboard():
    found = subprocess.run([TENSORBOARD, "-c", "import tensorboard"], capture_output=True)
    if found.returncode != 0:
        pytest.skip("tensorboard is not installed; name an interpreter that has it in "
                    "HONE_TENSORBOARD_PYTHON")


@pytest.fixture
def logged(server):
    """A sweep of two trials with one seed each, three phases, a metric, and a hostile name."""
    sweep = server.submit(sweep_spec(
        parameters={"lr": {"type": "choice", "values": ["=cmd|' /C calc'!A0", "-0.5"]}},
        command=["python3", "train.py", "${lr}"], search={"method": "grid", "trials": 2},
        budget={"unit": "steps", "per_run": 30, "phases": 3}))
    worker = server.join()
    for trial in (1, 2):
        grant = server.acquire(worker)
        points = [{"name": "loss", "step": step, "value": trial / (step + 1)} for step in range(31)]
        points += [{"name": "train/return", "step": 5, "value": -1.0}]
        server.post(f"/v1/leases/{grant['lease']}/metrics", {"points": points})
        for phase in range(3):
            server.report(grant, phase, 10.0 * trial + phase)
    return sweep


def test_a_metric_of_several_runs_is_drawn_in_one_chart(logged, server):
    chart = ok("curve", "rn_1.0", "rn_2.0", "--metric", "loss", server=server, COLUMNS="80")
    assert chart.startswith("loss\n") and "a=rn_1.0 b=rn_2.0" in chart
    assert all(len(line) <= 80 for line in chart.splitlines())
    rows = list(csv.DictReader(io.StringIO(
        ok("curve", "rn_1.0", "rn_2.0", "--metric", "loss", "--format", "csv", server=server))))
    assert len(rows) == 62 and rows[0]["run"] == "rn_1.0" and rows[-1]["run"] == "rn_2.0"
    assert float(rows[1]["value"]) == 0.5 and rows[1]["step"] == "1"


def test_several_runs_show_the_objective_without_a_metric(logged, server):
    for words in ((), ("--metric", "return")):
        text = ok("curve", "rn_1.0", "rn_2.0", *words, "--format", "jsonl", server=server)
        assert [json.loads(line)["value"] for line in text.splitlines()] == [10, 11, 12, 20, 21, 22]


def test_a_wrong_name_lists_the_metrics_there_are(logged, server):
    wrong = hone("curve", "rn_1.0", "--metric", "los", server=server)
    assert wrong.returncode == 3
    assert "did you mean 'loss'?" in wrong.stderr
    assert "return (the objective), loss, train/return" in wrong.stderr


def test_the_series_of_a_run_are_listed_without_their_points(logged, server):
    items = server.get("/v1/runs/rn_1.0/metrics?fields=names")["items"]
    assert items == [{"name": "loss", "points": 31, "step": 30},
                     {"name": "train/return", "points": 1, "step": 5}]
    assert server.ask("GET", "/v1/runs/rn_1.0/metrics?fields=all").status == 400


def test_the_export_has_trial_seed_phase_from_one_and_metrics(logged, server):
    rows = list(csv.DictReader(io.StringIO(
        ok("export", logged, "--metrics", "--format", "csv", server=server))))
    assert [row["phase"] for row in rows] == ["1", "2", "3"] * 2
    assert {row["trial"] for row in rows} == {"tr_1", "tr_2"}
    assert rows[0]["seed"] == str(server.get("/v1/runs/rn_1.0")["seed"])
    assert [float(row["loss"]) for row in rows[:3]] == [1 / 11, 1 / 21, 1 / 31]
    assert rows[0]["train/return"] == "-1.0"
    plain = [json.loads(line) for line in
             ok("export", logged, "--format", "jsonl", server=server).splitlines()]
    assert plain[0]["phase"] == 1 and plain[0]["trial"] == "tr_1" and "metrics" not in plain[0]


def test_no_cell_of_csv_is_a_formula(logged, server):
    text = ok("export", logged, "--format", "csv", server=server)
    cells = {row["lr"] for row in csv.DictReader(io.StringIO(text))}
    assert cells == {"'=cmd|' /C calc'!A0", "-0.5"}
    exact = ok("export", logged, "--format", "jsonl", server=server).splitlines()
    assert {json.loads(line)["params"]["lr"] for line in exact} == {"=cmd|' /C calc'!A0", "-0.5"}


def test_an_export_for_tensorboard_is_not_overwritten(logged, server, tmp_path):
    folder = tmp_path / "board"
    ok("export", logged, "--tensorboard", str(folder), server=server)
    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    assert files == [f"rn_{n}.0/events.out.tfevents.hone.rn_{n}.0" for n in (1, 2)]
    assert hone("export", logged, "--tensorboard", str(folder), server=server).returncode == 4
    ok("export", logged, "--tensorboard", str(folder), "--force", server=server)


READ = """
import json, sys
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
for event in EventFileLoader(sys.argv[1]).Load():
    for value in event.summary.value:
        if not value.tag.startswith("_hparams_/"):
            print(json.dumps([value.tag, event.step, value.tensor.float_val[0]]))
"""

BOARD = """
import json, sys
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.plugins.hparams import plugin_data_pb2
from google.protobuf.json_format import MessageToDict
for event in EventFileLoader(sys.argv[1]).Load():
    for value in event.summary.value:
        if value.tag.startswith("_hparams_/"):
            data = plugin_data_pb2.HParamsPluginData()
            data.ParseFromString(value.metadata.plugin_data.content)
            print(json.dumps(MessageToDict(data)))
"""


def test_tensorboard_itself_reads_the_export(logged, server, tmp_path):
    needs_tensorboard()
    ok("export", logged, "--tensorboard", str(tmp_path / "board"), server=server)
    file = next((tmp_path / "board" / "rn_2.0").iterdir())
    done = subprocess.run([TENSORBOARD, "-c", READ, str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    points = [json.loads(line) for line in done.stdout.splitlines()]
    assert [p[1:] for p in points if p[0] == "return"] == [[10, 20], [20, 21], [30, 22]]
    assert len([p for p in points if p[0] == "loss"]) == 31


def settings_in(data):
    """What the records of an event file say of the tab HParams, decoded by hand: tag, message."""
    while data:
        size = struct.unpack_from("<Q", data)[0]
        event, data = data[12:12 + size], data[16 + size:]
        for summary in fields_of(event).get(5, []):
            for value in fields_of(summary).get(1, []):
                found = fields_of(value)
                if 9 in found:
                    plugin = fields_of(fields_of(found[9][0])[1][0])
                    assert plugin[1] == [b"hparams"]
                    yield found[1][0].decode(), fields_of(plugin[2][0])


def test_the_tab_hparams_has_the_parameters_and_the_end_of_each_run(logged, server, tmp_path):
    """It said that no hparams data was found: the export wrote the scalars alone."""
    ok("export", logged, "--tensorboard", str(tmp_path / "board"), server=server)
    file = next((tmp_path / "board" / "rn_2.0").iterdir())
    (start_tag, start), (end_tag, end) = settings_in(file.read_bytes())
    assert (start_tag, end_tag) == ("_hparams_/session_start_info", "_hparams_/session_end_info")
    session = fields_of(start[3][0])
    entry = fields_of(session[1][0])
    assert entry[1] == [b"lr"] and fields_of(entry[2][0])[3] == [b"-0.5"]
    assert session[4] == [b"tr_2"] and session[5][0] > 0
    assert fields_of(end[4][0])[1] == [1], "a completed run is a success"


def test_tensorboard_itself_reads_the_settings(logged, server, tmp_path):
    needs_tensorboard()
    ok("export", logged, "--tensorboard", str(tmp_path / "board"), server=server)
    file = next((tmp_path / "board" / "rn_2.0").iterdir())
    done = subprocess.run([TENSORBOARD, "-c", BOARD, str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    start, end = [json.loads(line) for line in done.stdout.splitlines()]
    assert start["sessionStartInfo"]["hparams"] == {"lr": "-0.5"}
    assert start["sessionStartInfo"]["groupName"] == "tr_2"
    assert end["sessionEndInfo"]["status"] == "STATUS_SUCCESS"


# In the manner of CleanRL: it writes TensorBoard's files and nothing else.
SCRIPT = """
import sys, time
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util
import numpy as np
writer = EventFileWriter("runs/CartPole__ppo__1", flush_secs=1)
V = summary_pb2.Summary.Value
for step in range(1, 101):
    loss = tensor_util.make_tensor_proto(np.float32(1 / step))
    values = [V(tag="charts/episodic_return", simple_value=step / 2),
              V(tag="losses/value_loss", tensor=loss)]
    for value in values:
        writer.add_event(event_pb2.Event(wall_time=time.time(), step=step,
                                         summary=summary_pb2.Summary(value=[value])))
writer.close()
"""


def test_a_script_that_only_writes_tensorboard_files_is_swept_unchanged(server, tmp_path):
    needs_tensorboard()
    play_written(server, tmp_path, TENSORBOARD, SCRIPT)


# The same bytes by hand: the format of records, and an Event with a simple_value.
BY_HAND = f"""
import os, struct, sys
sys.path.insert(0, {str(ROOT / "tests" / "e2e")!r})
from tfrecord import scalar_record
os.makedirs("runs/by_hand/deeper")
with open("runs/by_hand/deeper/events.out.tfevents.1.host.1.0", "wb") as file:
    for step in range(1, 101):
        file.write(scalar_record(step, "charts/episodic_return", step / 2))
        file.write(scalar_record(step, "losses/value_loss", 1 / step))
        file.flush()
"""


def play_written(server, folder, python, code):
    script = folder / "ppo.py"
    script.write_text(code)
    with playing(server, folder) as play:
        run = play(sweep_spec(
            command={"run": [python, str(script)], "folder": "fresh",
                     "collect": {"file": "runs", "format": "tensorboard",
                                 "objective": "charts/episodic_return",
                                 "metrics": ["losses/value_loss"]}},
            objective={"metric": "return"}, parameters={"lr": {"type": "fixed", "value": 0.5}},
            search={"method": "random", "trials": 1},
            budget={"unit": "steps", "per_run": 100, "phases": 4}))
    assert run["state"] == "completed", run
    curve = server.get(f"/v1/runs/{run['id']}/curve")["items"]
    assert [(point["step"], point["value"]) for point in curve] == [
        (25, 12.5), (50, 25), (75, 37.5), (100, 50)]
    points = server.get(
        f"/v1/runs/{run['id']}/metrics?name=losses%2Fvalue_loss&limit=1000")["items"]
    assert len(points) == 100 and points[3]["step"] == 4 and points[3]["value"] == 0.25


def test_event_files_are_read_while_they_grow(server, tmp_path):
    play_written(server, tmp_path, sys.executable, BY_HAND)


def test_a_tag_that_is_not_written_is_named_in_the_log(server, tmp_path):
    script = tmp_path / "ppo.py"
    script.write_text(BY_HAND)
    with playing(server, tmp_path) as play:
        run = play(sweep_spec(
            command={"run": [sys.executable, str(script)], "folder": "fresh",
                     "collect": {"file": "runs", "format": "tensorboard",
                                 "objective": "episodic_return"}},
            objective={"metric": "return"}, parameters={"lr": {"type": "fixed", "value": 0.5}},
            search={"method": "random", "trials": 1}, limits={"max_retries": 0},
            budget={"unit": "steps", "per_run": 100, "phases": 4}))
    assert run["state"] == "failed", run
    assert "no scalar 'episodic_return'; they have charts/episodic_return" in run["log_tail"]
