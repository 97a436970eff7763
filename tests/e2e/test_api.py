"""Calls every route of hone-server: a sweep from its file to its end."""
import hashlib
import json
import re
import subprocess

from conftest import ROOT, problem, program, sweep_spec

WORKFLOW = {"command": ["hone", "submit", "small.yaml"], "cwd": "/home/ada", "host": "testhost",
            "user": "ada",
            "git_commit": "0123456789abcdef0123456789abcdef01234567", "git_branch": "main",
            "patch_sha256": "",
            "hone_version": "0.1.0"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


def routes():
    text = subprocess.run([program("hone-server"), "--routes"], check=True,
                          capture_output=True).stdout
    return json.loads(text)


class Walk:
    """Sends requests and records which rows of the route table answered."""

    def __init__(self, server):
        self.server = server
        self.table = [(row["method"], re.compile(re.sub(r"\{[^}]*\}", "[^/]+", row["path"]) + "$"),
                       row["path"])
                      for row in routes()]
        self.hit = set()

    def __call__(self, method, path, body=None, status=200, headers=None):
        answer = self.server.ask(method, path, body, headers)
        assert answer.status == status, (method, path, answer)
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["server"].startswith("hone/")
        bare = path.split("?")[0]
        matching = [(verb, pattern) for verb, regex, pattern in self.table if verb == method
                    and regex.match(bare)]
        assert len(matching) == 1, (method, path, matching)
        self.hit.add(matching[0])
        return answer

    def missed(self):
        return {(verb, pattern) for verb, _, pattern in self.table} - self.hit


def submit_sweep(walk):
    spec = sweep_spec(terminator={"rule": "hypertrick", "eviction_rate": 0.25})
    planned = walk("POST", "/v1/plan", spec).json
    assert planned["spec"]["limits"]["max_retries"] == 3  # a default
    assert walk("GET", "/v1/sweeps").json["items"] == []
    body = {"request_id": "s1", "spec": spec, "workflow": WORKFLOW}
    sweep = walk("POST", "/v1/sweeps", body, status=201).json["sweep"]
    assert sweep == "sw_1"
    (listed,) = walk("GET", "/v1/sweeps").json["items"]
    one = walk("GET", f"/v1/sweeps/{sweep}").json
    assert one.pop("spec")["budget"]["per_run"] == 1000
    # Lists have none of these; nothing trains yet.
    assert one.pop("eta") is None
    assert one.pop("outcome") == {"remarks": [], "causes": [], "ended_early": 0}
    assert one.pop("work") == {"busy_seconds": 0, "run_seconds": 0}
    assert one == listed
    assert one["state"] == "running" and one["trials"] == {"total": 4, "proposed": 0}
    assert one["best"] is None and one["ended_at"] is None and TIME.fullmatch(one["submitted_at"])
    return one


def lease_first_run(walk):
    join = {"request_id": "w1", "host": "testhost", "pid": 7, "cpus": 2, "gpus": 0,
            "hone_version": "0.1.0"}
    joined = walk("POST", "/v1/workers", join).json
    worker = joined["worker"]
    assert joined["lease"] == 15.0 and joined["heartbeat"] == 3.0
    acquire = {"request_id": "l1", "worker": worker, "cpus": 1, "gpus": 0, "wait": 0}
    grant = walk("POST", "/v1/leases", acquire).json["grant"]
    assert set(grant["params"]) == {"lr", "depth"} and grant["seed"] < 2**53
    assert grant["next_phase"] == 0 and grant["resume"] is None
    beat = walk("POST", f"/v1/workers/{worker}/beat", {"leases": [grant["lease"]]}).json
    assert walk("POST", f"/v1/workers/{worker}/allow", {}).json == {}
    assert beat["leases"][0]["order"] == "none" and TIME.fullmatch(beat["leases"][0]["expires_at"])
    return worker, grant


def create_and_revoke_token(walk):
    """This server does not ask for tokens, but keeps them."""
    secret = {"request_id": "t1", "name": "ada", "scopes": ["read"],
              "sha256": hashlib.sha256(b"secret").hexdigest()}
    token = walk("POST", "/v1/tokens", secret, status=201).json["token"]
    (row,) = walk("GET", "/v1/tokens").json["items"]
    assert row["id"] == token and row["scopes"] == ["read"] and "sha256" not in row
    assert walk("POST", f"/v1/tokens/{token}/revoke", {}).json == {}


def save_checkpoint_metrics_and_file(walk, lease, run):
    blob = b"weights" * 1000
    digest = hashlib.sha256(blob).hexdigest()
    walk("GET", f"/v1/blobs/{digest}", status=404)
    put = walk("PUT", f"/v1/blobs/{digest}", blob, status=201).json
    assert put == {"sha256": digest, "bytes": len(blob)}
    got = walk("GET", f"/v1/blobs/{digest}")
    assert got.body == blob and got.headers["content-type"] == "application/octet-stream"
    save = {"sha256": digest, "bytes": len(blob), "step": 250, "phase": 0}
    model = walk("POST", f"/v1/leases/{lease}/models", save).json["model"]
    code = {"workflow": {"git_commit": "c0ffee", "hone_version": "0.1.0"}}
    assert walk("POST", f"/v1/leases/{lease}/code", code).json == {}
    points = {"points": [{"name": "loss", "step": 100, "value": 0.5},
                         {"name": "loss", "step": 200, "value": 0.25}]}
    assert walk("POST", f"/v1/leases/{lease}/metrics", points).json == {}
    file = {"name": "plots/loss.png", "sha256": digest, "bytes": len(blob)}
    assert walk("POST", f"/v1/leases/{lease}/artifacts", file).json == {}
    assert walk("POST", f"/v1/leases/{lease}/artifacts", file).json == {}
    problem(walk("POST", f"/v1/leases/{lease}/artifacts", {**file, "name": "../x"}, status=400),
            400, "invalid", "/name")
    problem(walk("POST", f"/v1/leases/{lease}/artifacts", {**file, "sha256": "0" * 64}, status=400),
            400, "invalid",
            "/sha256")
    (artifact,) = walk("GET", f"/v1/runs/{run}/artifacts").json["items"]
    assert TIME.fullmatch(artifact.pop("saved_at")) and artifact == file
    evaluate_model(walk, model, run)
    return model, digest


def evaluate_model(walk, model, run):
    values = {"request_id": "ev1", "metric": "return", "values": [10, 12.5], "seed": 3,
              "environment": "CartPole-v1"}
    assert walk("POST", f"/v1/models/{model}/evaluations", values).json == {"evaluation": "ev_1"}
    assert walk("POST", f"/v1/models/{model}/evaluations", values).json == {"evaluation": "ev_1"}
    row = walk("GET", "/v1/evaluations/ev_1").json
    assert row["mean"] == 11.25 and row["values"] == [10, 12.5] and row["run"] == run
    problem(walk("POST", f"/v1/models/{model}/evaluations", {**values, "values": []}, status=400),
            400, "invalid", "/values")
    problem(walk("POST", "/v1/models/md_99/evaluations", {**values, "request_id": "e2"},
                 status=404), 404, "not_found")


def report_first_phase(walk, lease):
    verdict = walk("POST", f"/v1/leases/{lease}/reports", {"phase": 0, "step": 250,
                                                           "value": 12.5}).json
    assert verdict["verdict"] == "continue" and verdict["reason"] in ("collecting", "good_enough")
    return verdict


def read_trial_run_and_curve(walk, sweep, worker, grant, verdict):
    lease, run, trial = names_of(grant)
    (row,) = walk("GET", f"/v1/sweeps/{sweep}/trials?sort=value").json["items"]
    assert row == walk("GET", f"/v1/trials/{trial}").json
    assert row["value"] == 12.5 and row["state"] == "running" and row["params"] == grant["params"]
    (entry,) = walk("GET", f"/v1/trials/{trial}/runs").json["items"]
    assert entry == walk("GET", f"/v1/runs/{run}").json
    assert entry["seed"] == grant["seed"] and entry["worker"] == worker and entry["phase"] == 1
    (attempt,) = walk("GET", f"/v1/runs/{run}/attempts").json["items"]
    assert attempt["id"] == grant["attempt"] and attempt["lease"] == lease
    assert attempt["end_reason"] is None
    (point,) = walk("GET", f"/v1/runs/{run}/curve").json["items"]
    assert point["value"] == 12.5 and point["verdict"] == "continue"
    assert point["inputs"] == verdict["inputs"]
    series = walk("GET", f"/v1/runs/{run}/metrics?name=loss&limit=1").json
    assert series["items"][0]["value"] == 0.5 and series["next"]
    rest = walk("GET", f"/v1/runs/{run}/metrics?name=loss&limit=1&after={series['next']}").json
    assert rest["items"][0]["value"] == 0.25


def read_results(walk, sweep, grant, model, digest):
    _, run, trial = names_of(grant)
    (best,) = walk("GET", f"/v1/sweeps/{sweep}/best").json["items"]
    assert best["rank"] == 1 and best["run"] == run and best["model"] == model
    (curve,) = walk("GET", f"/v1/sweeps/{sweep}/curves?limit=1").json["items"]
    assert curve["run"] == run and curve["params"] == grant["params"]
    assert curve["state"] == "running"
    assert curve["curve"][0]["value"] == 12.5 and curve["curve"][0]["seconds"] > 0
    read_whole_sweep(walk, sweep)
    (saved,) = walk("GET", f"/v1/models?run={run}").json["items"]
    assert saved == walk("GET", f"/v1/models/{model}").json
    assert saved["sha256"] == digest and saved["value"] == 12.5 and saved["parent"] is None
    explained = walk("GET", f"/v1/trials/{trial}/explain").json
    assert explained == walk("GET", f"/v1/runs/{run}/explain").json
    assert "is running" in explained["text"] and "12.5" in explained["text"]
    assert explained["verdicts"][0]["recomputed"] == "continue"


def read_whole_sweep(walk, sweep):
    """The routes that cover a whole sweep; tests/dashboard/test_routes.py compares their numbers."""
    seq = walk("GET", f"/v1/sweeps/{sweep}/summary").json["seq"]
    for path in ("history", "columns", "phases"):
        assert walk("GET", f"/v1/sweeps/{sweep}/{path}").json["seq"] >= seq, path
    walk("GET", f"/v1/sweeps/{sweep}/curves/matrix")  # in binary
    report = walk("GET", f"/v1/sweeps/{sweep}/report").json
    assert report["answers"][f"/v1/sweeps/{sweep}"]["id"] == report["about"]["sweep"] == sweep
    problem(walk("GET", "/v1/studies/none", status=404), 404, "not_found")
    assert walk("GET", "/v1/timeline").json["seq"] >= seq
    assert walk("GET", "/v1/workers/wk_1/history").json["seq"] >= seq
    assert len(walk("GET", "/v1/ledger").json["link"]) == 64
    assert walk("GET", "/v1/me").json["scopes"]


def ask_and_tell(walk, sweep, trial):
    """A trial that a client asks for, with a parameter set it enqueued."""
    mine = {"request_id": "q1", "params": {"lr": 0.001}}
    assert walk("POST", f"/v1/sweeps/{sweep}/enqueue", mine).json == {"waiting": 1}
    asked = walk("POST", f"/v1/sweeps/{sweep}/ask", {"asker": "ada"}).json
    assert asked["params"]["lr"] == 0.001 and asked["number"] == 1 and asked["next_phase"] == 0
    told = walk("POST", f"/v1/trials/{asked['trial']}/tell", {"value": 3.5, "step": 250}).json
    assert told["verdict"] in ("continue", "stop")
    assert walk("POST", f"/v1/trials/{asked['trial']}/tell", {"value": 3.5, "phase": 0,
                                                              "step": 250}).json == told
    assert walk("GET", f"/v1/sweeps/{sweep}/incumbent").json["trial"]["sweep"] == sweep
    (band,) = walk("GET", f"/v1/trials/{trial}/curve").json["items"]
    assert band["n"] == 1 and band["iqm"] == 12.5 and band["low"] is None
    return asked["trial"]


def refuse_too_early(walk, sweep):
    problem(walk("GET", f"/v1/sweeps/{sweep}/confirm", status=404), 404, "not_found",
            words=["hone confirm"])
    problem(walk("POST", "/v1/sweeps/sw_999/confirm", {"request_id": "k", "top": 1}, status=404),
            404, "not_found")
    problem(walk("GET", f"/v1/sweeps/{sweep}/pareto", status=400), 400, "invalid",
            words=["one objective, return"])
    problem(walk("GET", f"/v1/sweeps/{sweep}/importance?objective=return", status=409), 409,
            "conflict",
            words=["at least 10 trials"])


def read_origins(walk, one, worker, model, run, trial):
    sweep = one["id"]
    workflow = walk("GET", f"/v1/workflows/{one['workflow']}").json
    assert workflow["git_commit"] == WORKFLOW["git_commit"]
    assert workflow["command"] == WORKFLOW["command"]
    walk("GET", "/v1/datasets/ds_999", status=404)
    graph = walk("GET", f"/v1/lineage/{model}?direction=up").json
    relations = {(edge["from"], edge["relation"], edge["to"]) for edge in graph["edges"]}
    assert (model, "saved_by", run) in relations and (trial, "proposed_by", sweep) in relations
    assert {node["kind"] for node in graph["nodes"]} >= {"model", "run", "trial", "sweep",
                                                         "workflow"}
    seen, asker = walk("GET", "/v1/workers").json["items"]
    assert asker["host"] == "ada" and asker["cpus"] == 0
    assert {**seen, "use": None} == walk("GET", f"/v1/workers/{worker}").json
    assert seen["running"] == 1 and seen["host"] == "testhost"
    events = walk("GET", "/v1/events").json["items"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {"server_started", "sweep_submitted", "trial_proposed",
            "verdict_given"} <= {e["kind"] for e in events}


def find_annotate_and_edit(walk, sweep, asked, trial, run):
    found = walk("GET", "/v1/find?where=trial").json["items"]
    assert [item["id"] for item in found] == [asked, trial]
    first = walk("GET", f"/v1/sweeps/{sweep}/runs?where=value").json["items"][0]
    assert first == walk("GET", f"/v1/runs/{run}").json
    assert walk("POST", "/v1/notes", {"request_id": "n1", "on": trial, "text": "good"}).json == {}
    assert walk("POST", "/v1/tags", {"on": trial, "add": ["keep"]}).json == {}
    assert walk("GET", f"/v1/about/{trial}").json["tags"] == ["keep"]
    assert walk("POST", f"/v1/trials/{trial}/pin", {"pinned": True}).json == {}
    assert walk("POST", f"/v1/sweeps/{sweep}/archive", {"archived": False}).json == {}
    assert walk("POST", f"/v1/sweeps/{sweep}/edit", {"request_id": "e1", "trials": 5}).json == {}
    assert walk("GET", f"/v1/sweeps/{sweep}/replay").json["same"]
    document = walk("GET", f"/v1/sweeps/{sweep}/export").json
    problem(walk("POST", "/v1/imports", {"request_id": "i1", "export": document}, status=400), 400,
            "invalid",
            "/export/events", words=["had not ended"])


def end_run_and_sweep(walk, sweep, lease, trial):
    end = {"reason": "exit_code", "exit_code": 3, "detail": "",
           "log_tail": "Traceback: no such file"}
    assert walk("POST", f"/v1/leases/{lease}/end", end).json == {}
    why = walk("GET", f"/v1/trials/{trial}/explain").json
    assert why["state"] == "failed" and "status 3" in why["text"] and "no such file" in why["text"]
    steered = walk("POST", f"/v1/sweeps/{sweep}/steer", {"verb": "cancel"}).json
    assert steered["sweep"] == sweep and steered["state"] in ("stopping", "canceled")
    text = walk("GET", "/metrics").body.decode()
    assert 'hone_runs{state="failed"} 1' in text and "hone_events_total" in text
    assert re.search(r"^hone_db_wal_bytes [1-9]", text, re.M)
    for line in text.splitlines():
        assert line.startswith("#") or re.fullmatch(
            r'[a-z_]+(\{([a-z]+="[a-z_I0-9.+]+",?)+\})? -?\d+(\.\d+)?', line), line


def create_and_stop_fleet(walk):
    """Its engine rejects every submission."""
    spec = {"name": "nowhere", "engine": "command", "max": 1,
            "commands": {"submit": ["false"], "list": ["true"], "cancel": ["true"]}}
    fleet = walk("POST", "/v1/fleets", {"request_id": "f1", "spec": spec}, status=201).json["fleet"]
    (listed,) = walk("GET", "/v1/fleets").json["items"]
    one = walk("GET", f"/v1/fleets/{fleet}").json
    assert one["spec"] == listed["spec"] and one["name"] == "nowhere" and one["joined"] == 0
    assert isinstance(walk("GET", f"/v1/fleets/{fleet}/pilots").json["items"], list)
    walk("GET", "/v1/pilots/pi_999/log", status=404)
    assert one["engine_trouble"] is None
    refused = walk("POST", f"/v1/fleets/{fleet}/forget", {}, status=409).json
    assert f"{fleet} is not stopping" in refused["detail"]
    assert walk("POST", f"/v1/fleets/{fleet}/stop", {}).json == {}
    assert walk("POST", f"/v1/fleets/{fleet}/forget", {}).json == {}
    assert walk("GET", f"/v1/fleets/{fleet}").json["state"] == "stopped"


def send_and_read_log(walk, worker, lease, run):
    assert not walk("GET", f"/v1/runs/{run}/log").json["received"]
    beat = walk("POST", f"/v1/workers/{worker}/beat", {"leases": [lease]}).json
    assert beat["leases"][0]["log_wanted"]
    path = f"/v1/workers/{worker}/log?lease={lease}&offset="
    assert walk("POST", path + "0", b"gr\xc3\xbc\xc3").json == {"wanted": True}
    log = walk("GET", f"/v1/runs/{run}/log").json
    assert (log["text"], log["next"]) == ("gr\xfc", 4), "half a character waits for its end"
    assert walk("POST", path + "5", b"\x9fe\n").json == {"wanted": True}
    assert walk("GET", f"/v1/runs/{run}/log?attempt=1&from=4").json["text"] == "\xdfe\n"


def pull_a_page(walk):
    pull = {"after": 0, "standby": "0" * 64, "url": "http://127.0.0.1:1"}
    answer = walk("POST", "/v1/standby/pull", pull)
    head, event, body = answer.body.split(b"\n")[:3]
    assert json.loads(head)["term"] == 0
    assert event.startswith(b"1 ") and json.loads(body)["hone_version"]


def names_of(grant):
    """The lease, run and trial of a grant."""
    run = grant["attempt"].split("#")[0]
    return grant["lease"], run, "tr_" + run[3:].split(".")[0]


def test_every_route_answers(server):
    walk = Walk(server)
    assert walk("GET", "/healthz").json["status"] == "ok"
    assert walk("GET", "/readyz").json == {"ready": True}
    assert walk("GET", "/v1/version").json["api"] == "v1"
    one = submit_sweep(walk)
    sweep = one["id"]
    worker, grant = lease_first_run(walk)
    lease, run, trial = names_of(grant)
    create_and_revoke_token(walk)
    model, digest = save_checkpoint_metrics_and_file(walk, lease, run)
    verdict = report_first_phase(walk, lease)
    read_trial_run_and_curve(walk, sweep, worker, grant, verdict)
    read_results(walk, sweep, grant, model, digest)
    asked = ask_and_tell(walk, sweep, trial)
    refuse_too_early(walk, sweep)
    read_origins(walk, one, worker, model, run, trial)
    find_annotate_and_edit(walk, sweep, asked, trial, run)
    create_and_stop_fleet(walk)
    pull_a_page(walk)
    send_and_read_log(walk, worker, lease, run)
    end_run_and_sweep(walk, sweep, lease, trial)
    assert walk.missed() == set()


def test_openapi_describes_every_route():
    """The file is regular YAML: two levels of keys are enough here and need no package."""
    described, path = set(), None
    for line in (ROOT / "schemas" / "openapi.yaml").read_text().splitlines():
        if found := re.fullmatch(r"  (/\S*):", line):
            path = found[1]
        elif found := re.fullmatch(r"    (get|put|post|delete|patch):", line):
            described.add((found[1].upper(), path))
    assert described == {(row["method"], row["path"]) for row in routes()}


def test_evicted_run_is_explained(server):
    server.submit(sweep_spec(search={"method": "random", "trials": 8},
                             terminator={"rule": "hypertrick", "eviction_rate": 0.25}))
    worker = server.join(cpus=8)
    grants = [server.acquire(worker) for _ in range(8)]
    verdicts = [server.report(grant, 0, float(8 - i)) for i, grant in enumerate(grants)]
    stopped = [i for i, verdict in enumerate(verdicts) if verdict["verdict"] == "stop"]
    assert stopped, verdicts
    run = grants[stopped[0]]["attempt"].split("#")[0]
    server.end(grants[stopped[0]], reason="evicted")
    why = server.get(f"/v1/runs/{run}/explain")
    assert why["state"] == "stopped" and why["reason"] == "evicted"
    for words in ("stopped early", "phase 1 of 4", f"return = {8 - stopped[0]}",
                  "HyperTrick evicted it", "worse"):
        assert words in why["text"], why["text"]
    assert why["verdicts"][0]["recomputed"] == "stop" and "bug" not in why["text"]
    assert why["verdicts"][0]["inputs"] == verdicts[stopped[0]]["inputs"]


def test_completed_run_is_explained(server):
    server.submit(sweep_spec())
    grant = server.acquire(server.join())
    for phase, value in enumerate([1.0, 4.0, 3.0]):
        assert server.report(grant, phase, value)["verdict"] == "continue"
    assert server.report(grant, 3, 2.0) == {"verdict": "stop", "reason": "last_phase", "inputs": {}}
    server.end(grant)
    why = server.get(f"/v1/runs/{grant['attempt'].split('#')[0]}/explain")
    assert why["state"] == "completed" and "whole budget" in why["text"]
    assert "4, in phase 2" in why["text"]
    assert [row["recomputed"] for row in why["verdicts"]] == ["continue"] * 3 + ["stop"]
