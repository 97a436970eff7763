"""A server that was replaced by its standby, acknowledgements that wait for a standby, TLS."""
import signal

import pytest

from commands import hone
from conftest import STOP_SECONDS, problem, sweep_spec
from guarded import Certificate, Secret
from slurm import until
from standby_pair import (SECONDS, caught_up, health, pair, promote, start_alone,  # noqa: F401
                          sync_pair, with_checkpoint)  # (fixtures)


# Fencing.


def test_replaced_server_does_not_start_while_its_successor_answers(pair):
    caught_up(pair.b, pair.a)
    pair.a.kill()
    promote(pair.b)
    assert until(lambda: health(pair.b).get("role") == "primary", SECONDS)
    refused = start_alone(pair.a.folder)
    assert refused.returncode == 1 and "was replaced by" in refused.stderr, refused.stderr
    pair.b.kill()
    assert start_alone(pair.a.folder).returncode == 1, "it remembers"


def test_replaced_server_ends_when_a_client_returns_the_newer_term(pair):
    caught_up(pair.b, pair.a)
    pair.a.process.send_signal(signal.SIGSTOP)  # away, and back later
    promote(pair.b)
    assert until(lambda: health(pair.b).get("role") == "primary", SECONDS)
    term = health(pair.b)["term"]
    pair.b.kill()  # A cannot ask it
    pair.a.process.send_signal(signal.SIGCONT)
    made_up = {"Hone-Term": "9." + "0" * 64}
    assert pair.a.ask("GET", "/healthz", headers=made_up).status == 200, "a term needs its proof"
    with pytest.raises(OSError):
        pair.a.ask("POST", "/v1/sweeps", {"request_id": "x", "spec": sweep_spec()},
                   headers={"Hone-Term": term})
    assert pair.a.process.wait(STOP_SECONDS) == 75
    assert "promoted in place of this server (term 1" in pair.a.log_text()
    pair.a._close()


def test_replaced_server_finds_its_successor_by_itself(pair):
    caught_up(pair.b, pair.a)
    refused = hone("db", "promote", "--data", str(pair.b.folder), "--force")
    assert refused.returncode == 0, refused.stderr  # while A serves: a split
    assert pair.a.process.wait(SECONDS) == 75
    pair.a._close()


def test_replaced_server_becomes_the_standby_of_its_successor(pair):
    pair.a.submit(sweep_spec())
    caught_up(pair.b, pair.a)
    pair.a.kill()
    promote(pair.b)
    assert until(lambda: health(pair.b).get("role") == "primary", SECONDS)
    pair.follow(pair.a, pair.b)
    pair.b.submit(sweep_spec(name="second"))
    caught_up(pair.a, pair.b)
    pair.b.kill()
    promote(pair.a)
    assert until(lambda: health(pair.a).get("role") == "primary", SECONDS)
    assert health(pair.a)["term"].startswith("2.")
    pair.b.start(pair.ports[pair.b])  # its command has --follow A, the newer primary
    caught_up(pair.b, pair.a)


# --sync-replica.


def test_write_without_a_standby_is_not_acknowledged(sync_pair):
    caught_up(sync_pair.b, sync_pair.a)
    body = {"request_id": "once", "spec": sweep_spec()}
    assert sync_pair.a.ask("POST", "/v1/sweeps", body).status == 201
    sync_pair.b.kill()
    later = {"request_id": "later", "spec": sweep_spec(name="later")}
    problem(sync_pair.a.ask("POST", "/v1/sweeps", later), 503, "unavailable",
            words=["no standby has confirmed", "send it again"])
    sync_pair.b.start(sync_pair.ports[sync_pair.b])
    caught_up(sync_pair.b, sync_pair.a)
    repeated = sync_pair.a.ask("POST", "/v1/sweeps", later)
    assert repeated.json["sweep"] == "sw_2", "it was stored, once"


def test_acknowledged_checkpoint_is_on_the_standby(sync_pair):
    caught_up(sync_pair.b, sync_pair.a)
    _, _, digest, blob = with_checkpoint(sync_pair.a)
    sync_pair.a.kill()
    assert sync_pair.b.ask("GET", f"/v1/blobs/{digest}").body == blob


def test_standby_with_a_full_disk_ends_and_nothing_is_acknowledged(sync_pair):
    caught_up(sync_pair.b, sync_pair.a)
    sync_pair.b.stop()
    sync_pair.b.file_bytes_max = 600_000
    sync_pair.b.start(sync_pair.ports[sync_pair.b])
    answers = []
    while sync_pair.b.process.poll() is None:
        spec = {"request_id": f"s{len(answers)}",
                "spec": sweep_spec(name=f"s{len(answers)}", command=["true", "y" * 60_000])}
        answers.append(sync_pair.a.ask("POST", "/v1/sweeps", spec).status)
        assert len(answers) < 100
    assert sync_pair.b.process.wait() == 70 and answers[-1] == 503, answers
    acknowledged = answers.count(201)
    sync_pair.b._close()
    sync_pair.b.file_bytes_max = None
    sync_pair.b.start(sync_pair.ports[sync_pair.b])
    assert len(sync_pair.b.get("/v1/sweeps?limit=200")["items"]) >= acknowledged


# TLS and tokens.


def test_standby_over_tls_with_tokens(tmp_path):
    own = Certificate(tmp_path, "server")
    a = Secret(tmp_path / "a", own).start()
    (tmp_path / "token").write_text(a.create("replica")[1])
    b = Secret(tmp_path / "b", own, "--follow", f"https://localhost:{a.port}",
               "--follow-token-file", str(tmp_path / "token"), "--peer-tls-ca", str(own.cert),
               "--advertise", "https://localhost:1")
    b.token = a.token
    try:
        b.start()
        sweep = a.submit(sweep_spec())
        caught_up(b, a)
        assert b.get(f"/v1/sweeps/{sweep}")["id"] == sweep, "the tokens of A are those of B"
        reader = a.create("read")[1]
        assert until(lambda: b.ask("GET", "/v1/sweeps", token=reader).status == 200, SECONDS)
        problem(a.ask("POST", "/v1/standby/pull", {}, token=reader), 403, "forbidden")
        a.kill()
        promote(b)
        environment = {"HONE_TLS_CA": str(own.cert), "HONE_TOKEN": a.token}
        urls = f"https://localhost:{a.port},https://localhost:{b.port}"
        assert until(lambda: hone("pause", sweep, HONE_SERVER=urls, **environment).returncode == 0,
                     SECONDS)
    finally:
        for one in (a, b):
            if one.process is not None:
                one.kill()
