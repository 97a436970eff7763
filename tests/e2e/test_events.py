"""Requests that wait (long polls, event streams) and requests that are repeated."""
import json
import re
import socket
import threading
import time

import pytest

from conftest import problem, sweep_spec

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


def test_submit_twice_is_one_sweep(server):
    first = server.ask("POST", "/v1/sweeps", {"request_id": "same", "spec": sweep_spec()})
    again = server.ask("POST", "/v1/sweeps", {"request_id": "same", "spec": sweep_spec()})
    assert first.status == 201 and again.status == 200
    assert first.json == again.json
    assert len(server.get("/v1/sweeps")["items"]) == 1
    other = server.ask("POST", "/v1/sweeps", {"request_id": "other", "spec": sweep_spec()})
    assert other.status == 201 and other.json != first.json


def test_a_request_id_with_another_body_was_answered_with_the_first_sweep(server):
    body = {"request_id": "same", "spec": sweep_spec()}
    assert server.ask("POST", "/v1/sweeps", body).status == 201
    answer = server.ask("POST", "/v1/sweeps", {**body, "spec": sweep_spec(seed=18)})
    problem(answer, 409, "conflict", at="/request_id", words=["same"])
    note = {"request_id": "same", "on": "sw_1", "text": "on another path"}
    problem(server.ask("POST", "/v1/notes", note), 409, "conflict", at="/request_id")
    refused = {"request_id": "later", "on": "sw_9", "text": "x"}
    problem(server.ask("POST", "/v1/notes", refused), 404, "not_found")
    server.post("/v1/notes", {**refused, "on": "sw_1"})  # what was refused may be corrected
    server.kill()
    server.start()
    assert server.ask("POST", "/v1/sweeps", body).status == 200
    problem(server.ask("POST", "/v1/sweeps", {**body, "spec": sweep_spec(seed=18)}), 409,
            "conflict")
    assert len(server.get("/v1/sweeps")["items"]) == 1


def test_report_twice_has_one_verdict(server):
    server.submit(sweep_spec())
    grant = server.acquire(server.join())
    assert server.report(grant, 0, 5.0) == server.report(grant, 0, 5.0)
    run = grant["attempt"].split("#")[0]
    assert len(server.get(f"/v1/runs/{run}/curve")["items"]) == 1


def test_long_poll_gets_work_when_it_comes(server):
    worker = server.join()
    assert server.acquire(worker, wait=0) is None
    granted = []
    waiting = threading.Thread(target=lambda: granted.append(server.acquire(worker, wait=30)))
    began = time.monotonic()
    waiting.start()
    while not granted and time.monotonic() - began < 1:
        waiting.join(0.5)  # nothing comes without a sweep
    assert granted == []
    sweep = server.submit(sweep_spec())
    waiting.join(20)
    assert granted and granted[0]["sweep"] == sweep
    assert time.monotonic() - began < 20


def test_long_poll_ends_empty(server):
    began = time.monotonic()
    assert server.acquire(server.join(), wait=1.0) is None
    assert 0.9 < time.monotonic() - began < 10


def test_run_granted_to_a_worker_that_went_away_is_given_back_at_once(server):
    ghost, worker = server.join(), server.join()
    body = json.dumps({"request_id": "ghost", "worker": ghost, "cpus": 1, "gpus": 0,
                       "wait": 30}).encode()
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(
            b"POST /v1/leases HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                           % len(body) + body)
    server.submit(sweep_spec(search={"method": "random", "trials": 1}))
    began = time.monotonic()
    grant = server.acquire(worker, wait=10)
    assert grant is not None and grant["attempt"].startswith("rn_1.0#")
    assert time.monotonic() - began < 5  # a lease lasts 15 s


def test_waiting_workers_are_let_go_at_shutdown(server):
    worker = server.join()
    answers = []
    body = {"request_id": "l", "worker": worker, "cpus": 1, "gpus": 0, "wait": 30}
    waiting = threading.Thread(target=lambda:
                               answers.append(server.ask("POST", "/v1/leases", body)))
    waiting.start()
    waiting.join(0.5)
    assert server.stop() == 0
    waiting.join(10)
    problem(answers[0], 503, "unavailable")
    assert answers[0].headers["retry-after"] == "1" and answers[0].json["retryable"]


class Stream:
    """An open event stream."""

    def __init__(self, server, path, headers=None):
        self.connection = server.connect(timeout=20)
        self.connection.request("GET", path, headers={"Accept": "text/event-stream",
                                                      **(headers or {})})
        self.response = self.connection.getresponse()
        assert self.response.status == 200
        assert self.response.getheader("content-type") == "text/event-stream"

    def next(self):
        lines = []
        while line := self.response.readline().decode().rstrip("\n"):
            lines.append(line)
        fields = dict(line.split(": ", 1) for line in lines)
        event = json.loads(fields["data"])
        assert fields["id"] == str(event["seq"])
        return event

    def close(self):
        self.response.close()  # it holds the socket, too
        self.connection.close()


def test_events_are_replayed_and_followed(server):
    first, second = server.submit(sweep_spec()), server.submit(sweep_spec(name="other"))
    stream = Stream(server, "/v1/events?after=0")
    seen = [stream.next()]
    while seen[-1].get("sweep") != second or seen[-1]["kind"] != "sweep_submitted":
        seen.append(stream.next())
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
    server.post(f"/v1/sweeps/{first}/steer", {"verb": "pause"})
    followed = stream.next()
    assert followed["kind"] == "sweep_steered" and followed["seq"] == seen[-1]["seq"] + 1
    assert followed["sweep"] == first and followed["verb"] == "pause" and TIME.fullmatch(
        followed["at"])
    stream.close()

    only = Stream(server, f"/v1/events?sweep={second}")
    assert only.next()["sweep"] == second
    server.post(f"/v1/sweeps/{first}/steer", {"verb": "resume"})
    server.post(f"/v1/sweeps/{second}/steer", {"verb": "pause"})
    event = only.next()
    assert event["sweep"] == second and event["kind"] == "sweep_steered"
    only.close()

    again = Stream(server, "/v1/events?after=0", {"Last-Event-ID": str(followed["seq"])})
    assert again.next()["seq"] == followed["seq"] + 1
    again.close()


def test_event_stream_ends_with_the_server(server):
    stream = Stream(server, "/v1/events")
    stream.next()
    assert server.stop() == 0
    assert stream.response.read() is not None  # to its end
    stream.close()


def test_watchers_are_bounded_and_seats_come_back(server):
    streams = [Stream(server, "/v1/events") for _ in range(64)]  # as many as an address may have
    refused = server.ask("GET", "/v1/events", headers={"Accept": "text/event-stream"})
    problem(refused, 503, "busy")
    for stream in streams:
        stream.close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        connection = server.connect(timeout=20)
        connection.request("GET", "/v1/events", headers={"Accept": "text/event-stream"})
        response = connection.getresponse()
        response.close()
        connection.close()
        if response.status == 200:
            return
    pytest.fail("no seat was freed")
