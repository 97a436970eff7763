"""For operators: readiness, request ids, and the numbers of /metrics."""
import re
import signal
import time

import pytest

from conftest import STOP_SECONDS, Server, sweep_spec


def samples(server):
    text = server.ask("GET", "/metrics").body.decode()
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def test_readiness_ends_before_the_server_does(tmp_path):
    server = Server(tmp_path / "data", "--drain-delay", "600").start()
    assert server.get("/readyz") == {"ready": True}
    server.process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while server.ask("GET", "/readyz").status == 200:
        assert time.monotonic() < deadline
    assert server.ask("GET", "/readyz").status == 503
    assert server.get("/healthz")["status"] == "ok"  # new clients are still answered
    assert server.stop() == 0  # a second signal ends the wait


def test_every_answer_names_its_request(tmp_path):
    server = Server(tmp_path / "data", "--log-level", "debug").start()
    named = server.ask("GET", "/v1/sweeps", headers={"X-Request-Id": "ada-7.x"})
    assert named.headers["x-request-id"] == "ada-7.x"
    ours = [server.ask("GET", path).headers["x-request-id"] for path in ("/v1/sweeps", "/nothing")]
    assert len(set(ours)) == 2 and all(re.fullmatch(r"[0-9a-z]+-\d+", one) for one in ours)
    assert server.stop() == 0
    assert "GET /v1/sweeps 200 [ada-7.x]" in server.log_text()
    assert f"GET /nothing 404 [{ours[1]}]" in server.log_text()


@pytest.mark.parametrize("name", ["a b", "x" * 65, "a\"b", "é"])
def test_a_request_id_that_could_break_a_log_is_replaced(server, name):
    request = (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
               b"X-Request-Id: " + name.encode() + b"\r\n\r\n")
    found = re.search(rb"X-Request-Id: (\S+)\r\n", server.raw(request))
    assert found and found[1] != name.encode()


def test_metrics_tell_what_became_of_the_runs(tmp_path):
    server = Server(tmp_path / "data", "--lease", "5").start()
    sweep = server.submit(sweep_spec(objective={"metric": 'a"b\\c', "goal": "maximize"}))
    worker = server.join(cpus=6)
    grant = server.acquire(worker)
    assert server.report(grant, 0, 2.5)["verdict"] == "continue"
    before = samples(server)
    assert before["hone_workers"] == "1" and before["hone_worker_cpus"] == "6"
    assert before["hone_leases"] == "1"
    assert before["hone_report_seconds_count"] == "1" and before["hone_ask_seconds_count"] == "0"
    assert before[f'hone_best_value{{sweep="{sweep}",metric="a\\"b\\\\c"}}'] == "2.5"
    deadline = time.monotonic() + 40
    while 'hone_requeue_total{reason="worker_lost"}' not in samples(
        server):  # no heartbeat renews the lease
        assert time.monotonic() < deadline
    end = {"reason": "exit_code", "exit_code": 3, "detail": "", "log_tail": ""}
    again = server.acquire(worker)
    server.post(f"/v1/leases/{again['lease']}/end", end)
    after = samples(server)
    assert after['hone_requeue_total{reason="worker_lost"}'] == "1"
    assert after['hone_failures_total{class="user_error"}'] == "1"
    assert server.stop() == 0
