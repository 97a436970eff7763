"""What hone-server rejects, with which status, and the place that the error names."""
import pytest

from conftest import problem, sweep_spec

BAD_SPECS = [
    ("unknown key", sweep_spec(serach={"method": "random", "trials": 4}, search=None),
     "/spec/serach", ["search"]),
    ("min over max", sweep_spec(parameters={"lr": {"type": "float", "min": 2, "max": 1}}),
     "/spec/parameters/lr", []),
    ("log of zero",
     sweep_spec(parameters={"lr": {"type": "float", "min": 0, "max": 1, "scale": "log"}}),
     "/spec/parameters/lr", []),
    ("no such trainer", sweep_spec(command=None, trainer={"name": "ga3d"}), "/spec/trainer",
     ["ga3c"]),
    ("no such method", sweep_spec(search={"method": "randm", "trials": 4}), "/spec/search/method",
     ["random"]),
    ("no such rule", sweep_spec(terminator={"rule": "hypertrik"}), "/spec/terminator/rule",
     ["hypertrick"]),
    ("no trials", sweep_spec(search={"method": "random", "trials": 0}), "/spec/search/trials", []),
    ("no parameters", sweep_spec(parameters=None), "/spec", ["parameters"]),
    ("trainer and command", sweep_spec(trainer={"name": "ga3c"}), "/spec", []),
    ("text for a number", sweep_spec(seed="seventeen"), "/spec/seed", []),
]


@pytest.mark.parametrize("name, spec, at, words", BAD_SPECS, ids=[row[0] for row in BAD_SPECS])
def test_bad_spec_is_refused_at_its_place(shared_server, name, spec, at, words):
    answer = shared_server.ask("POST", "/v1/sweeps", {"request_id": "bad", "spec": spec})
    body = problem(answer, 400, "invalid", words=words)
    assert body["at"].startswith(at), body
    assert shared_server.get("/v1/sweeps")["items"] == []


BAD_BODIES = [
    ("empty", b"", []),
    ("no JSON", b"hello", []),
    ("truncated", b'{"request_id": "x", "spec": {', []),
    ("a list", b"[]", []),
    ("null", b"null", []),
    ("not UTF-8", b'{"request_id": "\xff\xfe"}', []),
    ("deep", b"[" * 100_000, []),
    ("deep objects", b'{"a":' * 1000 + b"1" + b"}" * 1000, []),
    ("key twice", b'{"request_id": "x", "request_id": "y"}', []),
    ("huge number", b'{"request_id": 1e999}', []),
    ("NaN", b'{"request_id": NaN}', []),
    ("unknown key", b'{"request_id": "x", "spc": {}}', ["spec"]),
    ("trailing text", b'{"verb": "pause"} x', []),
]


@pytest.mark.parametrize("name, body, words", BAD_BODIES, ids=[row[0] for row in BAD_BODIES])
def test_bad_body_is_refused(shared_server, name, body, words):
    problem(shared_server.ask("POST", "/v1/sweeps", body), 400, "invalid", words=words)


BAD_PATHS = [
    ("GET", "/v1/sweeps/x", 400, "invalid"),
    ("GET", "/v1/sweeps/tr_1", 400, "invalid"),
    ("GET", "/v1/sweeps/sw_01", 400, "invalid"),
    ("GET", "/v1/sweeps/sw_99999999999999999999", 400, "invalid"),
    ("GET", "/v1/sweeps/sw_1", 404, "not_found"),
    ("GET", "/v1/sweeps/sw_1/trials", 404, "not_found"),
    ("GET", "/v1/sweeps/sw_1/best", 404, "not_found"),
    ("GET", "/v1/sweeps/sw_1/curves", 404, "not_found"),
    ("GET", "/v1/sweeps/sw_1/curves?after=rn_1.0", 404, "not_found"),
    ("GET", "/v1/trials/tr_1", 404, "not_found"),
    ("GET", "/v1/trials/tr_1/runs", 404, "not_found"),
    ("GET", "/v1/trials/tr_1/explain", 404, "not_found"),
    ("GET", "/v1/runs/rn_1.0", 404, "not_found"),
    ("GET", "/v1/runs/rn_1.0/curve", 404, "not_found"),
    ("GET", "/v1/runs/rn_1.0/metrics", 404, "not_found"),
    ("GET", "/v1/runs/rn_1.0/attempts", 404, "not_found"),
    ("GET", "/v1/runs/rn_1", 400, "invalid"),
    ("GET", "/v1/models/md_1", 404, "not_found"),
    ("GET", "/v1/models?sweep=x", 400, "invalid"),
    ("GET", "/v1/models?sweep=sw_1&run=rn_1.0", 400, "invalid"),
    ("GET", "/v1/workers/wk_1", 404, "not_found"),
    ("GET", "/v1/workflows/wf_1", 404, "not_found"),
    ("GET", "/v1/lineage/md_1", 404, "not_found"),
    ("GET", "/v1/lineage/x", 400, "invalid"),
    ("GET", "/v1/lineage/sw_1?direction=sideways", 400, "invalid"),
    ("GET", "/v1/events?after=-1", 400, "invalid"),
    ("GET", "/v1/events?sweep=sw_1", 404, "not_found"),
    ("GET", "/v1/sweeps?limit=0", 400, "invalid"),
    ("GET", "/v1/sweeps?limit=1001", 400, "invalid"),
    ("GET", "/v1/sweeps?limit=ten", 400, "invalid"),
    ("GET", "/v1/sweeps?limit=1&limit=2", 400, "invalid"),
    ("GET", "/v1/sweeps?after=nonsense", 400, "invalid"),
    ("GET", "/v1/sweeps?limt=1", 400, "invalid"),
    ("GET", "/v1/sweeps?%zz=1", 400, "invalid"),
    ("GET", "/v1/sweeps/", 404, "not_found"),
    ("GET", "/v2/sweeps", 404, "not_found"),
    ("GET", "/v1/blobs/abc", 400, "invalid"),
    ("GET", "/v1/blobs/..%2F..%2Fhone.db", 400, "invalid"),
    ("GET", "/v1/blobs/" + "A" * 64, 400, "invalid"),
    ("GET", "/v1/blobs/" + "a" * 64, 404, "not_found"),
    ("PUT", "/v1/blobs/abc", 400, "invalid"),
    ("DELETE", "/v1/sweeps", 405, "invalid"),
    ("POST", "/v1/sweeps/sw_1", 405, "invalid"),
    ("GET", "/v1/leases", 405, "invalid"),
    ("PATCH", "/healthz", 405, "invalid"),
]


@pytest.mark.parametrize("method, path, status, code", BAD_PATHS)
def test_bad_path_is_refused(shared_server, method, path, status, code):
    answer = shared_server.ask(method, path)
    problem(answer, status, code)
    if status == 405:
        assert answer.headers["allow"]


def test_write_to_what_is_not_there_is_refused(server):
    problem(server.ask("POST", "/v1/sweeps/sw_9/steer", {"verb": "pause"}), 404, "not_found")
    problem(server.ask("POST", "/v1/sweeps/sw_9/steer", {"verb": "puase"}), 400, "invalid", "/verb",
            ["pause"])
    problem(server.ask("POST", "/v1/leases/le_9/reports", {"phase": 0, "step": 1, "value": 1}), 409,
            "stale_epoch")
    problem(server.ask("POST", "/v1/leases/lease/reports", {"phase": 0, "step": 1, "value": 1}),
            400, "invalid")
    problem(server.ask("POST", "/v1/workers/wk_9/beat", {"leases": []}), 404, "not_found")
    problem(server.ask("POST", "/v1/leases", {"request_id": "l", "worker": "wk_9", "cpus": 1,
                                              "gpus": 0, "wait": 0}),
            404, "not_found")


def test_report_must_be_finite_in_order_and_known(server):
    server.submit(sweep_spec())
    grant = server.acquire(server.join())
    path = f"/v1/leases/{grant['lease']}/reports"
    problem(server.ask("POST", path, b'{"phase": 0, "step": 250, "value": NaN}'), 400, "invalid")
    problem(server.ask("POST", path, {"phase": 0, "step": 250, "value": "high"}), 400, "invalid",
            "/value")
    problem(server.ask("POST", path, {"phase": 1, "step": 500, "value": 1}), 409, "conflict")
    problem(server.ask("POST", path, {"phase": 0, "step": 250}), 400, "invalid", words=["value"])
    assert server.report(grant, 0, "diverged") == {"verdict": "stop", "reason": "diverged",
                                                   "inputs": {}}
    why = server.get(f"/v1/runs/{grant['attempt'].split('#')[0]}/explain")
    assert "diverged" in why["text"] and why["verdicts"][0]["recomputed"] == "stop"
