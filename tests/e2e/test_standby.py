"""A standby: it follows and is promoted, and clients find the primary."""
import json
import shutil
import signal
import sqlite3
import subprocess
import sys

from commands import hone, ok
from conftest import ROOT, Server, problem, program, sweep_spec
from slurm import until
from standby_pair import (SECONDS, Pair, caught_up, free_port, health, pair,  # noqa: F401
                          promote, put, start_alone, sync_pair, with_checkpoint)  # (fixtures)
from test_worker import TRAINER

sys.path.insert(0, str(ROOT / "sdk" / "python"))

import hone as sdk  # noqa: E402


def events_of(server):
    db = sqlite3.connect(f"file:{server.folder}/hone.db?mode=ro", uri=True)
    return db.execute("SELECT seq, at, kind, sweep, body, link FROM event ORDER BY seq").fetchall()

# Following.


def test_standby_has_the_exact_events_and_blobs_and_answers_reads(pair):
    sweep, grant, digest, blob = with_checkpoint(pair.a)
    caught_up(pair.b, pair.a)
    answers = [one.get(f"/v1/sweeps/{sweep}") for one in (pair.a, pair.b)]
    for answer in answers:  # what grows while a run trains
        answer.pop("eta"), answer.pop("work")
    assert answers[0] == answers[1]
    assert pair.b.ask("GET", f"/v1/blobs/{digest}").body == blob
    path = f"/v1/runs/{grant['attempt'].split('#')[0]}/metrics?name=loss"
    assert until(lambda: pair.b.get(path) == pair.a.get(path), SECONDS)
    assert len(pair.a.get(path)["items"]) == 1
    pair.b.stop(), pair.a.kill()
    assert events_of(pair.b) == events_of(pair.a)[:len(events_of(pair.b))]
    checked = json.loads(ok("db", "check", "--data", str(pair.b.folder), "--format", "json"))
    assert {row["health"] for row in checked} == {"ok"}, checked


def test_metrics_of_a_promoted_server_reach_the_standby_that_comes_later(pair):
    """Those that were recorded before it came were kept only on the promoted server."""
    _, grant, _, _ = with_checkpoint(pair.a)
    caught_up(pair.b, pair.a)
    path = f"/v1/runs/{grant['attempt'].split('#')[0]}/metrics?name=loss"
    assert until(lambda: len(pair.b.get(path)["items"]) == 1, SECONDS)
    pair.a.kill()
    promote(pair.b)
    assert until(lambda: health(pair.b).get("role") == "primary", SECONDS)
    pair.b.post(f"/v1/leases/{grant['lease']}/metrics",
                {"points": [{"name": "loss", "step": 300, "value": 0.125}]})
    pair.follow(pair.a, pair.b)
    caught_up(pair.a, pair.b)
    assert until(lambda: len(pair.a.get(path)["items"]) == 2, SECONDS), pair.a.get(path)


def test_answers_of_a_standby_name_it(pair):
    caught_up(pair.b, pair.a)
    answer = pair.b.ask("GET", "/v1/sweeps")
    assert answer.headers["hone-follower"].startswith("events=0, seconds=")
    assert "hone-follower" not in pair.a.ask("GET", "/v1/sweeps").headers
    assert health(pair.a)["role"] == "primary" and health(pair.a)["standbys"] == 1
    assert health(pair.b)["follows"] == f"http://127.0.0.1:{pair.a.port}"
    problem(pair.b.ask("GET", "/readyz"), 503, "unavailable", words=["standby of"])
    assert "hone_follower_lag_events 0" in pair.b.ask("GET", "/metrics").body.decode()


def test_standby_refuses_writes_and_names_the_primary(pair):
    where = f"standby of http://127.0.0.1:{pair.a.port}"
    body = {"request_id": "x", "spec": sweep_spec()}
    problem(pair.b.ask("POST", "/v1/sweeps", body), 503, "unavailable", words=[where])
    problem(pair.b.ask("PUT", "/v1/blobs/" + "0" * 64, b"x"), 503, "unavailable", words=[where])
    problem(pair.b.ask("POST", "/v1/standby/pull", {}), 503, "unavailable", words=[where])


def test_standby_does_not_say_which_blobs_its_primary_has(pair):
    """A worker left out a checkpoint's bytes, because the standby had them; the primary did not."""
    digest = put(pair.a, b"bytes")
    _, _, known, _ = with_checkpoint(pair.a)
    caught_up(pair.b, pair.a)
    assert pair.a.ask("HEAD", f"/v1/blobs/{digest}").status == 200
    assert pair.b.ask("GET", f"/v1/blobs/{known}").status == 200
    assert pair.b.ask("HEAD", f"/v1/blobs/{known}").status == 503


def test_standby_continues_after_either_server_was_away(pair):
    pair.a.submit(sweep_spec())
    caught_up(pair.b, pair.a)
    pair.b.kill()
    pair.a.submit(sweep_spec(name="meanwhile"))
    pair.b.start(pair.ports[pair.b])
    caught_up(pair.b, pair.a)
    pair.a.kill()
    assert until(lambda: "cannot reach" in health(pair.b).get("trouble", ""), SECONDS)
    assert len(pair.b.get("/v1/sweeps")["items"]) == 2
    pair.a.start(pair.ports[pair.a])
    pair.a.submit(sweep_spec(name="after"))
    caught_up(pair.b, pair.a)


def test_standby_may_begin_with_a_backup(tmp_path, pair):
    with_checkpoint(pair.a)
    ok("db", "backup", str(tmp_path / "copy"), "--data", str(pair.a.folder))
    pair.a.submit(sweep_spec(name="after"))
    third = Server(tmp_path / "copy", f"--follow=http://127.0.0.1:{pair.a.port}").start()
    try:
        caught_up(third, pair.a)
    finally:
        third.kill()


def test_diverged_folder_is_refused(tmp_path, pair):
    other = Server(tmp_path / "other").start()
    other.submit(sweep_spec())
    other.stop()
    other.extra = [f"--follow=http://127.0.0.1:{pair.a.port}"]
    other.start()
    try:
        assert until(lambda: "have diverged" in health(other).get("trouble", ""), SECONDS)
        assert "move its data folder away" in health(other)["trouble"]
    finally:
        other.kill()


def test_pull_is_bounded(pair):
    good = {"after": 0, "link": "", "standby": "0" * 64, "url": "", "term": 0, "wait_ms": 0}
    assert pair.a.ask("POST", "/v1/standby/pull", good).status == 200
    for name, value in (("after", -1), ("link", "x"), ("standby", "1"), ("url", "u" * 301),
                        ("wait_ms", 10_001)):
        answer = pair.a.ask("POST", "/v1/standby/pull", {**good, name: value})
        problem(answer, 400, "invalid", at=f"/{name}")
    ahead = pair.a.ask("POST", "/v1/standby/pull", {**good, "after": 10**6})
    problem(ahead, 409, "conflict", words=["diverged"])
    newer = pair.a.ask("POST", "/v1/standby/pull", {**good, "term": 3})
    problem(newer, 409, "conflict", words=["follow the newer one"])


# Promotion.


def test_promoted_standby_accepts_writes(pair):
    sweep, grant, _, _ = with_checkpoint(pair.a)
    caught_up(pair.b, pair.a)
    pair.a.kill()
    text = promote(pair.b)
    assert "it serves" in text, text
    assert until(lambda: health(pair.b).get("role") == "primary", SECONDS)
    assert health(pair.b)["term"].startswith("1.")
    assert pair.b.report(grant, 1, 2.5)["verdict"] == "continue"
    again = hone("db", "promote", "--data", str(pair.b.folder))
    assert again.returncode != 0 and "promoted already (term 1)" in again.stderr, again.stderr


def test_promotion_of_a_stopped_standby(pair):
    pair.a.submit(sweep_spec())
    caught_up(pair.b, pair.a)
    pair.a.kill(), pair.b.stop()
    plain = start_alone(pair.b.folder)
    assert plain.returncode == 1 and "is a standby of" in plain.stderr, plain.stderr
    assert "start hone-server" in promote(pair.b)
    pair.b.start(pair.ports[pair.b])  # its command still has --follow
    assert health(pair.b)["role"] == "primary"
    assert "was promoted (term 1)" in pair.b.log_text()


def test_promotion_is_refused_while_the_primary_answers(pair):
    caught_up(pair.b, pair.a)
    refused = hone("db", "promote", "--data", str(pair.b.folder))
    assert refused.returncode != 0 and "still answers as the primary" in refused.stderr
    assert health(pair.b)["role"] == "follower"


def test_promotion_is_refused_before_the_copy_was_complete(tmp_path):
    alone = Server(tmp_path / "b", f"--follow=http://127.0.0.1:{free_port()}").start()
    try:
        refused = hone("db", "promote", "--data", str(alone.folder))
        assert refused.returncode != 0 and "has never had all events" in refused.stderr
        promote(alone, "--force")
        assert until(lambda: health(alone).get("role") == "primary", SECONDS)
    finally:
        alone.kill()


def test_folder_of_a_primary_is_not_promoted(tmp_path):
    server = Server(tmp_path / "data").start()
    refused = hone("db", "promote", "--data", str(server.folder))
    assert refused.returncode != 0 and "is no standby's data folder" in refused.stderr
    assert server.stop() == 0


# Clients and workers with both URLs.


def test_commands_go_to_the_primary(pair):
    pair.a.submit(sweep_spec())
    caught_up(pair.b, pair.a)
    backwards = ",".join(reversed(pair.urls.split(",")))
    for urls in (pair.urls, backwards):
        ok("pause", "sw_1", HONE_SERVER=urls)
        ok("resume", "sw_1", HONE_SERVER=urls)
    pair.a.kill()
    assert "sw_1" in ok("ls", HONE_SERVER=pair.urls), "a standby answers reads"
    refused = hone("pause", "sw_1", HONE_SERVER=pair.urls)
    assert refused.returncode != 0 and "hone db promote" in refused.stderr, refused.stderr
    promote(pair.b)
    ok("pause", "sw_1", HONE_SERVER=pair.urls)


def test_python_client_goes_to_the_primary(pair):
    with sdk.Client(",".join(reversed(pair.urls.split(","))), patience_s=SECONDS) as client:
        sweep = client.submit(sweep_spec())
        caught_up(pair.b, pair.a)
        pair.a.kill()
        promote(pair.b)
        assert client.pause(sweep) == "paused"


def test_sweep_continues_on_the_promoted_standby(sync_pair, tmp_path):
    pids = tmp_path / "pids"
    pids.mkdir()
    (tmp_path / "train.py").write_text(TRAINER)
    sweep = sync_pair.a.submit(sweep_spec(
        command=["python3", str(tmp_path / "train.py"), "0.2", str(pids), "--lr", "${lr}"],
        parameters={"lr": {"type": "float", "min": 0.1, "max": 1}}))
    worker = subprocess.Popen(
        [program("hone-worker"), "--server", sync_pair.urls, "--slots", "2", "--data",
         str(tmp_path / "worker"), "--die-with-parent"], stdout=subprocess.PIPE,
        stderr=open(tmp_path / "worker.log", "wb"))
    try:
        assert until(lambda: sync_pair.a.get(f"/v1/sweeps/{sweep}")["best"] is not None, SECONDS)
        acknowledged = sync_pair.a.get(f"/v1/sweeps/{sweep}/trials")["items"]
        sync_pair.a.kill()
        promote(sync_pair.b)
        # The new primary waits for a standby, too. The old folder may have diverged.
        shutil.rmtree(sync_pair.a.folder)
        sync_pair.follow(sync_pair.a, sync_pair.b)
        assert until(lambda: sync_pair.b.get(f"/v1/sweeps/{sweep}")["state"] == "completed", 60)
        assert len(acknowledged) <= len(sync_pair.b.get(f"/v1/sweeps/{sweep}/trials")["items"])
        once = sqlite3.connect(f"file:{sync_pair.b.folder}/hone.db?mode=ro", uri=True).execute(
            "SELECT count(*), count(DISTINCT trial || '/' || phase) FROM report").fetchone()
        assert once == (16, 16), "four trials of four phases, each report once"
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(SECONDS)
