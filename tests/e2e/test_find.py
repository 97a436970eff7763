"""hone find, compare, diff, note, tag, archive, pin, edit, fork, resubmit, lineage, export, import,
replay and bench lineage."""
import csv
import hashlib
import io
import json
import urllib.parse

import pytest

from commands import hone, ok
from conftest import Server, problem, sweep_spec
from trained import done, play_edited, save, train  # noqa: F401 (done is a fixture)


def ids(text):
    return [item["id"] for item in json.loads(text)]


def test_find_by_result_parameter_and_commit(server, done):
    found = ok("find",
               "model where metric.return > 12.5 and params.depth >= 1 and workflow.commit = 3487c*",
               "--format", "json", server=server)
    assert len(ids(found)) >= 3
    assert ids(ok("find", "trial where metric.return >= 33", "--format", "json",
                  server=server)) == ["tr_4"]
    assert ids(ok("find", "run where metric.loss < 0.3", "--format", "json",
                  server=server)) == ["rn_4.0"]
    assert "no trial matches" in hone("find", "trial where metric.return > 99",
                                      server=server).stderr
    page = server.get("/v1/find?where=run&limit=3")
    assert page["kind"] == "run" and len(page["items"]) == 3 and page["next"]
    assert len(server.get(f"/v1/find?where=run&limit=3&after={page['next']}")["items"]) == 1


def pages_of(server, filter, limit):
    """All items of /v1/find, read in pages of `limit`."""
    items, after = [], ""
    while after is not None:
        page = server.get(f"/v1/find?where={urllib.parse.quote(filter)}&limit={limit}"
                          + (f"&after={urllib.parse.quote(after)}" if after else ""))
        assert len(page["items"]) <= limit
        items += page["items"]
        after = page["next"]
    return items


def test_find_knows_reports(server, done):
    above = "report where metric.return > 12.5 and params.depth >= 1 and workflow.commit = 3487c*"
    found = json.loads(ok("find", above, "--format", "json", server=server))
    assert found and all(item["value"] > 12.5 for item in found)
    for item in found:
        curve = server.get(f"/v1/runs/{item['run']}/curve")["items"]
        assert curve[item["phase"]]["value"] == item["value"]
        assert item["id"] == f"{item['run']}@{item['phase']}" and item["sweep"] == done
        assert server.get(f"/v1/lineage/{item['id']}")["nodes"]
    assert ids(ok("find", "report where run = rn_4.0", "--format", "json", server=server)) == [
        item["id"] for item in pages_of(server, "report where run = rn_4.0", 1)]
    assert "no report matches" in hone("find", "report where value > 99", server=server).stderr


def test_find_knows_metrics_and_artifacts(server, done):
    sweep = server.submit(sweep_spec())
    grant = server.acquire(server.join())
    digest = hashlib.sha256(b"a plot").hexdigest()
    server.ask("PUT", f"/v1/blobs/{digest}", b"a plot")
    for name in ("plots/a b.png", "plots/é/1.png", "log.txt"):
        server.post(f"/v1/leases/{grant['lease']}/artifacts",
                    {"name": name, "sha256": digest, "bytes": 6})
    run = grant["attempt"].split("#")[0]
    series = [f"loss/{i}" for i in range(5)]
    server.post(f"/v1/leases/{grant['lease']}/metrics",
                {"points": [{"name": name, "step": step, "value": step / 8}
                            for name in series for step in (1, 2)]})
    (found,) = json.loads(ok("find", "metric where name = loss and value < 0.3",
                             "--format", "json", server=server))
    assert {key: found[key] for key in ("id", "run", "step", "value")} == {
        "id": "rn_4.0/loss", "run": "rn_4.0", "step": 200, "value": 0.25}
    own = f"metric where sweep = {sweep}"
    assert [item["name"] for item in pages_of(server, own, 2)] == series[::-1]
    assert [item["value"] for item in pages_of(server, own, 2)] == [0.25] * 5
    files = f"artifact where run = {run} and name = plots/*"
    assert [item["name"] for item in pages_of(server, files, 1)] == ["plots/é/1.png",
                                                                     "plots/a b.png"]
    rows = list(csv.DictReader(io.StringIO(ok("find", f"artifact where sha256 = {digest[:8]}*",
                                              "--format", "csv", server=server))))
    assert [(row["run"], row["file"], row["bytes"]) for row in rows] == [
        (run, name, "6") for name in ("plots/é/1.png", "plots/a b.png", "log.txt")]
    assert hone("find", "artifact where tag = keep", server=server).returncode == 2


def test_reports_and_models_before_a_worse_report_are_found(server):
    """The index of trials holds the last values, which hid better reports before them."""
    server.submit(sweep_spec(search={"method": "random", "trials": 1}))
    grant = server.acquire(server.join())
    model = save(server, grant, 0)
    for phase, value in enumerate((50, 10)):
        server.report(grant, phase, value)
    assert ids(ok("find", "report where metric.return > 40", "--format", "json",
                  server=server)) == [f"{grant['attempt'].split('#')[0]}@0"]
    assert ids(ok("find", "model where metric.return > 40", "--format", "json",
                  server=server)) == [model]
    assert ids(ok("find", "run where metric.return > 40", "--format", "json", server=server)) == []


def test_sweeps_are_found_by_their_creator_project_and_time(server):
    """An experiment has an id, its configuration, a creator, a project and the time it was made."""
    for user, project in (("ada", "walker"), ("bob", "walker"), ("ada", "swimmer")):
        server.post("/v1/sweeps", {"request_id": user + project, "workflow": {"user": user},
                                   "spec": sweep_spec(project=project)}, 201)
    mine = ok("find", "sweep where workflow.user = ada and project = walker", "--format", "json",
              server=server)
    assert ids(mine) == ["sw_1"]
    row = server.get("/v1/sweeps/sw_1")
    assert row["project"] == "walker" and row["spec"]["parameters"], row
    assert ids(ok("find", f"sweep where submitted >= {row['submitted_at']} and workflow.user = bob",
                  "--format", "json", server=server)) == ["sw_2"]
    assert server.get(f"/v1/workflows/{row['workflow']}")["user"] == "ada"


def test_a_wrong_filter_points_at_the_character(server, done):
    text = "model where stpe > 3"
    problem(server.ask("GET", "/v1/find?where=" + text.replace(" ", "%20").replace(">", "%3E")),
            400, "invalid",
            at="/where:12", words=["did you mean 'step'?"])
    result = hone("find", text, server=server)
    assert result.returncode == 2
    lines = result.stderr.splitlines()
    assert lines[-2].strip() == text and lines[-1].index("^") == lines[-2].index("stpe")


def test_lists_take_the_same_filter(server, done):
    assert len(ids(ok("trials", done, "--where", "value > 20", "--format", "json",
                      server=server))) == 2
    assert ids(ok("runs", done, "--where", "value > 30", "--format", "json",
                  server=server)) == ["rn_4.0"]
    assert ids(ok("runs", "tr_4", "--where", "state = failed", "--format", "json",
                  server=server)) == []
    assert ids(ok("best", done, "--where", "value < 20", "--format", "json",
                  server=server)) == ["tr_2", "tr_1"]
    assert ids(ok("ls", "--where", "state = completed", "--format", "json",
                  server=server)) == [done]
    assert ids(ok("ls", "--where", "state = running", "--format", "json", server=server)) == []
    assert hone("trials", done, "--where", "valeu > 1", server=server).returncode == 2


def test_notes_tags_and_the_archive(server, done):
    ok("note", "tr_4", "the one for the paper", server=server)
    ok("tag", "tr_4", "paper/fig-3", "keep", server=server)
    ok("tag", "tr_4", "keep", "--remove", server=server)
    about = server.get("/v1/about/tr_4")
    assert about["tags"] == ["paper/fig-3"] and about["notes"][0]["text"] == "the one for the paper"
    assert ids(ok("find", "trial where tag = paper/*", "--format", "json",
                  server=server)) == ["tr_4"]
    assert hone("tag", "tr_99", "x", server=server).returncode == 3
    ok("archive", done, server=server)
    assert ids(ok("ls", "--format", "json", server=server)) == []
    assert ids(ok("ls", "--all", "--format", "json", server=server)) == [done]
    ok("archive", done, "--undo", server=server)
    assert ids(ok("ls", "--format", "json", server=server)) == [done]
    server.stop()
    server.start()
    assert server.get("/v1/about/tr_4") == about


def test_compare_and_diff(server, done):
    other = json.loads(ok("fork", done, "--set", "seed=18", "--format", "json",
                          server=server))["sweep"]
    worker = server.join()
    while train(server, worker, 5):
        pass
    table = ok("compare", done, other, server=server)
    assert "spec.seed" in table and "best report after" in table
    document = json.loads(ok("compare", done, other, "--format", "json", server=server))
    assert document["left"]["incumbents"][-1]["value"] == 33
    rows = json.loads(ok("diff", "tr_1", "tr_2", "--format", "json", server=server))["rows"]
    assert any(row["what"] == "params.lr" for row in rows)


def test_fork_resubmit_pin_and_edit(server):
    sweep = server.submit(sweep_spec())
    worker = server.join()
    train(server, worker, 1)
    ok("edit", sweep, "--trials", "6", "--widen", "lr=:0.1", "--concurrency", "1", server=server)
    spec = server.get(f"/v1/sweeps/{sweep}")["spec"]
    assert spec["search"]["trials"] == 6 and spec["parameters"]["lr"]["max"] == 0.1
    held = server.acquire(worker)
    assert held and server.acquire(worker) is None
    assert "wider" in hone("edit", sweep, "--widen", "lr=:0.05", server=server).stderr
    ok("pin", "tr_1", server=server)
    assert ids(ok("find", "trial where pinned", "--format", "json", server=server)) == ["tr_1"]
    ok("resubmit", "tr_1", "--set", "depth=8", server=server)
    ok("edit", sweep, "--concurrency", "0", server=server)
    again = server.acquire(worker)
    assert again["params"]["depth"] == 8
    assert ids(ok("find", "trial where from = tr_1", "--format", "json",
                  server=server)) == [again["attempt"].split("#")[0].replace("rn_", "tr_").split(
                      ".")[0]]
    fork = json.loads(ok("fork", sweep, "--set", "seed=18", "--format", "json",
                         server=server))["sweep"]
    edges = {(e["from"], e["relation"], e["to"])
             for e in server.get(f"/v1/lineage/{fork}?direction=up")["edges"]}
    assert (fork, "forked_from", sweep) in edges
    facts = server.get(f"/v1/lineage/{sweep}?depth=0")["nodes"][0]["facts"]
    assert '"trials":6' in facts["edits"]


def test_export_import_export_gives_equal_bytes(server, done, tmp_path):
    ok("note", done, "taken along", server=server)
    ok("tag", "tr_2", "odd", server=server)
    ok("pin", "tr_3", server=server)
    first = ok("export", done, "--format", "json", server=server)
    (tmp_path / "sweep.json").write_text(first)
    elsewhere = Server(tmp_path / "elsewhere").start()
    try:
        own = elsewhere.submit(sweep_spec(name="own"))
        elsewhere.acquire(elsewhere.join())
        sweep = ok("import", "hone", str(tmp_path / "sweep.json"), server=elsewhere).strip()
        assert sweep != own
        assert ok("import", "hone", str(tmp_path / "sweep.json"), server=elsewhere).strip() == sweep
        assert ok("export", sweep, "--format", "json", server=elsewhere) == first
        assert elsewhere.get(f"/v1/sweeps/{sweep}")["best"]["value"] == 33
        assert len(ids(ok("find", "run where metric.loss < 0.3", "--format", "json",
                          server=elsewhere))) == 1
        assert len(ids(ok("find", "trial where tag = odd", "--format", "json",
                          server=elsewhere))) == 1
        assert json.loads(ok("replay", sweep, "--format", "json", server=elsewhere))["same"]
        elsewhere.kill()
        elsewhere.start()
        assert ok("export", sweep, "--format", "json", server=elsewhere) == first
        broken = json.loads(first)
        del broken["events"][3]
        answer = elsewhere.ask("POST", "/v1/imports", {"request_id": "broken", "export": broken})
        assert answer.status == 400 and answer.json["at"].startswith("/export/events/")
        running = ok("export", own, "--format", "json", server=elsewhere)
        (tmp_path / "running.json").write_text(running)
        assert "had not ended" in hone("import", "hone", str(tmp_path / "running.json"),
                                       server=elsewhere).stderr
    finally:
        assert elsewhere.stop() == 0, elsewhere.log_text()


def test_replay_proposes_and_decides_the_same_again(server):
    sweep = play_edited(server, lambda sweep: ok("edit", sweep, "--trials", "26", "--widen",
                                                 "depth=:12", server=server))
    result = json.loads(ok("replay", sweep, "--format", "json", server=server))
    assert result["same"] and result["proposals"] == 26 and result["verdicts"] > 26, result


def test_the_optuna_file_is_a_study(server, done, tmp_path):
    import sqlite3
    ok("export", done, "--optuna", "study.db", server=server, cwd=tmp_path)
    with sqlite3.connect(tmp_path / "study.db") as study:
        assert study.execute("SELECT state, count(*) FROM trials GROUP BY state").fetchall() == [
            ("COMPLETE", 4)]
        assert study.execute("SELECT count(*) FROM trial_intermediate_values").fetchone() == (16,)
    assert hone("export", done, "--optuna", "study.db", server=server, cwd=tmp_path).returncode == 4
    optuna = pytest.importorskip("optuna")
    loaded = optuna.load_study(study_name=None, storage=f"sqlite:///{tmp_path}/study.db")
    assert loaded.best_value == 33 and len(loaded.trials) == 4


def test_bench_lineage_measures_a_folder_that_it_makes(tmp_path):
    result = json.loads(ok("bench", "lineage", "--sweeps", "3", "--trials", "12", "--points", "60",
                           "--repetitions", "3",
                           "--folder", str(tmp_path), "--format", "json"))
    assert result["trials"] == 12 and len(result["questions"]) >= 15
    assert all(question["median_ms"] > 0 for question in result["questions"])
    assert list(tmp_path.iterdir()) == []
