"""Documents from strangers: exports that were changed by hand, and servers whose names cannot be trusted.

A document is either refused with 400 and a place, or everything that reads its sweep afterwards
answers.
"""
import copy
import hashlib
import json
import os
import random
import subprocess

import pytest

from conftest import problem, program, sweep_spec
from guarded import Guarded
from trained import done, train  # noqa: F401 (done is a fixture)

MUTATIONS = int(os.environ.get("HONE_MUTATIONS", "250"))
HUGE = [2**31 - 1, 2**31, 2**53, 2**63 - 1, -1, -2**63, 0, 10**8]
TEXTS = ["", "../../x", "/etc/passwd", "\x1b[2J", "a\x00b", "x" * 70_000, "$(reboot) \n",
         "\u202egnp", "NaN", "tr_999999", "le_1"]
FRACTIONS = [1e308, -1e308, 5e-324, 0.5, -0.0]


@pytest.fixture
def document(server, done):  # noqa: F811
    return server.get(f"/v1/sweeps/{done}/export")


def kinds(document, kind):
    return [i for i, event in enumerate(document["events"]) if event["kind"] == kind]


def send(server, document, request_id):
    answer = server.ask("POST", "/v1/imports", {"request_id": request_id, "export": document},
                        timeout=10)
    assert answer.status in (200, 201, 400, 409, 413), answer
    return answer.json["sweep"] if answer.status < 300 else None


def read_everything(server, sweep):
    """Asks all that an imported sweep can answer; no answer may be the server's own fault."""
    for path in ("", "/export", "/best", "/trials", "/runs", "/replay", "/events", "/importance",
                 "/confirmation", "/curves"):
        answer = server.ask("GET", f"/v1/sweeps/{sweep}{path}", timeout=10)
        assert answer.status < 500, (path, answer)
    assert server.ask("GET", f"/v1/lineage/{sweep}", timeout=10).status < 500
    for run in server.get(f"/v1/sweeps/{sweep}/runs?limit=50")["items"]:
        trial = "tr_" + run["id"].split("_")[1].split(".")[0]
        for value in (1.0, 3, 33):
            told = server.ask("POST", f"/v1/trials/{trial}/tell", {"value": value}, timeout=10)
            assert told.status < 500, told
        for path in ("", "/explain", "/curve", "/attempts"):
            assert server.ask("GET", f"/v1/runs/{run['id']}{path}", timeout=10).status < 500


def test_a_report_that_was_never_judged_is_refused(server, document):
    for i in kinds(document, "verdict_given"):
        broken = copy.deepcopy(document)
        del broken["events"][i]
        problem(server.ask("POST", "/v1/imports", {"request_id": f"v{i}", "export": broken}), 400,
                "invalid",
                words=["event"])


@pytest.mark.parametrize("kind, name", [
    ("report_recorded", "step"), ("report_recorded", "phase"), ("verdict_given", "phase"),
    ("model_saved", "step"), ("model_saved", "phase"), ("model_saved", "bytes"),
    ("trial_proposed", "number")])
def test_counts_of_events_had_no_bounds(server, document, kind, name):
    """`hone show`, `curve`, `export` and `runs` ended with SIGSEGV on a step of -2^63."""
    first = kinds(document, kind)[0]
    for value in (-2**63, -1, 2**53, 2**63 - 1):
        broken = copy.deepcopy(document)
        broken["events"][first]["body"][name] = value
        problem(server.ask("POST", "/v1/imports", {"request_id": f"{value}", "export": broken}),
                400, "invalid")


@pytest.mark.parametrize("rule", ["hypertrick", "median", "percentile", "asha", "hone"])
def test_the_explanation_of_a_verdict_without_its_inputs_ended_the_server(server, rule):
    sweep = server.submit(sweep_spec(terminator={"rule": rule}, search={"method": "random",
                                                                        "trials": 8}))
    worker = server.join()
    live = []
    while server.get(f"/v1/sweeps/{sweep}")["state"] == "running":
        while len(live) < 4 and (grant := server.acquire(worker)):
            live.append([grant, grant["next_phase"]])
        for one in list(live):
            grant, phase = one
            verdict = server.report(grant, phase, float(grant["params"]["depth"]))["verdict"]
            one[1] += 1
            if verdict == "stop" and phase < 3:
                server.end(grant, "evicted")
            if verdict != "continue":
                live.remove(one)
    document = server.get(f"/v1/sweeps/{sweep}/export")
    judged = [event["body"] for event in document["events"] if event["kind"] == "verdict_given"]
    assert any(body["inputs"] for body in judged)
    for number, keep in enumerate((lambda inputs: {}, lambda inputs: dict(list(inputs.items())[:1]),
                                   lambda inputs: {name: -1e300 for name in inputs})):
        changed = copy.deepcopy(document)
        for event in changed["events"]:
            if event["kind"] == "verdict_given":
                event["body"]["inputs"] = keep(event["body"]["inputs"])
        there = send(server, changed, f"inputs {number}")
        if there is not None:
            read_everything(server, there)


def test_a_worker_that_was_imported_leases_nothing_to_anybody(server, document):
    worker_report = {"phase": 0, "step": 250, "value": 1.0}
    sweep = send(server, document, "i")
    for lease in range(1, 12):
        for route in ("reports", "end", "metrics", "models"):
            body = {"reports": worker_report, "end": {"reason": "budget_reached", "exit_code": 0,
                                                      "detail": "", "log_tail": ""},
                    "metrics": {"points": [{"name": "x", "step": 1, "value": 1.0}]},
                    "models": {"sha256": "0" * 64, "bytes": 1, "step": 1, "phase": 0}}[route]
            answer = server.ask("POST", f"/v1/leases/le_{lease}/{route}", body)
            assert answer.status < 500, (lease, route, answer)
    read_everything(server, sweep)


@pytest.mark.parametrize("change", [
    {"replicates": {"seeds": 2**31 - 1}},
    {"budget": {"unit": "frames", "per_run": 2**31 - 1, "phases": 2**31 - 1}},
    {"search": {"method": "random", "trials": 0}},
    {"search": {"method": "random", "trials": 2**40}},
    {"name": "n" * 1_000_000},
    {"name": "a\x1b[2Jb"},
    {"parameters": {"$(reboot) \n": {"type": "float", "min": 0, "max": 1}}},
    {"parameters": {f"p{i}": {"type": "float", "min": 0, "max": 1} for i in range(5000)}},
    {"parameters": {"lr": {"type": "float", "min": 0, "max": 1e10, "step": 1e-9}}},
])
def test_a_spec_in_a_document_obeys_the_rules_of_a_submission(server, document, change):
    broken = copy.deepcopy(document)
    broken["events"][0]["body"]["spec"].update(change)
    problem(server.ask("POST", "/v1/imports", {"request_id": "s", "export": broken}, timeout=10),
            400, "invalid")
    assert server.get("/healthz")


@pytest.mark.parametrize("params", [{"lr": 63}, {"lr": "x"}, {"depth": 2.5}, {"none": 1},
                                    {"lr": True}])
def test_a_waiting_parameter_set_outside_of_the_space_ended_the_replay(server, document, params):
    """GET .../replay answered 500: the proposal was repeated with a value that has no place."""
    submitted = document["events"][0]
    waiting = {"kind": "trial_enqueued", "at_us": submitted["at_us"],
               "body": {"sweep": submitted["body"]["sweep"], "request_id": "q", "params": params}}
    document["events"].insert(1, waiting)
    problem(server.ask("POST", "/v1/imports", {"request_id": "w", "export": document}), 400,
            "invalid")
    waiting["body"]["params"] = {"depth": 2}
    read_everything(server, send(server, document, "in the space"))


@pytest.mark.parametrize("name", ["../../.bashrc", "/abs/path", "a/../../b", "..", "a\x1b[2Jb",
                                  "a\nb", "", "x" * 5000])
def test_the_name_of_a_file_in_a_document_stays_inside_its_folder(server, document, name):
    broken = copy.deepcopy(document)
    end = kinds(broken, "run_ended")[0]
    run = broken["events"][end]["body"]["run"]
    saved = {"kind": "artifact_saved", "at_us": broken["events"][end]["at_us"],
             "body": {"run": run, "name": name, "sha256": "a" * 64, "bytes": 3}}
    broken["events"].insert(end, saved)
    problem(server.ask("POST", "/v1/imports", {"request_id": "f", "export": broken}), 400,
            "invalid")


@pytest.mark.parametrize("step, low, high", [(1e-9, 0, 1e10), (1e-19, 0, 1), (5e-324, 0, 1e308),
                                             (1e-3, -1e300, 1e300)])
def test_more_steps_than_a_number_can_count_are_refused(server, tmp_path, step, low, high):
    parameters = {"lr": {"type": "float", "min": low, "max": high, "step": step}}
    body = {"request_id": "s", "spec": sweep_spec(parameters=parameters)}
    problem(server.ask("POST", "/v1/sweeps", body), 400, "invalid", words=["step"])
    sweep = server.submit(sweep_spec(parameters={"lr": {"type": "float", "min": 0, "max": 1,
                                                        "step": 1e-9}}))
    widened = server.ask("POST", f"/v1/sweeps/{sweep}/edit",
                         {"request_id": "q", "widen": [{"name": "lr", "max": 1e18}]})
    problem(widened, 400, "invalid")
    file = tmp_path / "sweep.json"
    file.write_text(json.dumps(body["spec"]))
    plan = subprocess.run([program("hone"), "plan", str(file)], capture_output=True, text=True)
    assert plan.returncode == 2 and "step" in plan.stderr, plan


def mutate(document, rng):
    """One or two random changes to the events of an export: their order, their numbers and texts, their shape."""
    broken = copy.deepcopy(document)
    events = broken["events"]
    for _ in range(rng.randint(1, 2)):
        i, j = rng.randrange(len(events)), rng.randrange(len(events))
        kind = rng.choice(["drop", "swap", "twice", "number", "text", "key", "move"])
        if kind == "drop":
            del events[i]
        elif kind == "swap":
            events[i], events[j] = events[j], events[i]
        elif kind == "twice":
            events.insert(j, copy.deepcopy(events[i]))
        elif kind == "move":
            events.insert(j, events.pop(i))
        else:
            change_leaf(broken, kind, rng)
    return broken


def leaves(node, at=()):
    if isinstance(node, (dict, list)) and node:
        for key in (node if isinstance(node, dict) else range(len(node))):
            yield from leaves(node[key], at + (key,))
    else:
        yield at


def change_leaf(document, kind, rng):
    at = rng.choice(list(leaves(document)))
    node = document
    for key in at[:-1]:
        node = node[key]
    if kind == "key" and isinstance(node, dict):
        node.pop(at[-1])
    elif kind == "text":
        node[at[-1]] = rng.choice(TEXTS)
    else:
        node[at[-1]] = rng.choice(HUGE + FRACTIONS)


def test_mutated_documents_neither_stop_nor_confuse_the_server(server, document):
    accepted = 0
    for seed in range(MUTATIONS):
        broken = mutate(document, random.Random(seed))
        sweep = send(server, broken, f"m{seed}")
        if sweep is not None:
            accepted += 1
            read_everything(server, sweep)
    assert server.get("/healthz")
    server.kill()
    server.start()
    assert accepted < MUTATIONS, "every document was accepted"


@pytest.mark.parametrize("name", ["../../escaped", "/tmp/hone-escaped-absolute", "..",
                                  "a/../../escaped", "a\x1b[2Jb"])
def test_fetch_writes_nothing_where_a_server_names_another_folder(tmp_path, name):
    """A server of an attacker's: it answers as hone would, with a name that leads out of the folder."""
    data = b"attacker's bytes"
    with AttackersServer({"items": [{"name": name, "sha256": hashlib.sha256(data).hexdigest(),
                                     "bytes": len(data)}]},
                         data) as url:
        home = tmp_path / "home" / "work"
        home.mkdir(parents=True)
        fetched = subprocess.run([program("hone"), "fetch", "rn_1.0", "--force"], cwd=home,
                                 capture_output=True,
                                 env={**os.environ, "HONE_SERVER": url}, text=True)
    assert fetched.returncode != 0, fetched
    assert "\x1b" not in fetched.stdout + fetched.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert not os.path.exists("/tmp/hone-escaped-absolute")


class AttackersServer:
    """Answers every list with `page` and every blob with `data`."""

    def __init__(self, page, data):
        import http.server
        import threading
        text = json.dumps(page).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body = data if "/blobs/" in self.path else text
                self.send_response(200)
                self.send_header("Content-Type", "application/octet-stream" if body is data
                                 else "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *failure):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def test_request_ids_of_one_command_do_not_answer_another(tmp_path):
    server = Guarded(tmp_path / "data").start()
    try:
        sweep = server.post("/v1/sweeps", {"request_id": "s",
                                           "spec": sweep_spec(trainer={"name": "ask"},
                                                              command=None)},
                            201)["sweep"]
        asked = server.ask("POST", f"/v1/sweeps/{sweep}/ask", {"asker": "alice"})
        assert asked.status < 300, asked
        _, worker_token = server.create("worker")
        joined = server.ask("POST", "/v1/workers", {"request_id": "ask/bob", "host": "h", "pid": 1,
                                                    "cpus": 1, "gpus": 0,
                                                    "hone_version": "0.1.0"}, token=worker_token)
        assert joined.status < 500, joined
        assert server.ask("POST", f"/v1/sweeps/{sweep}/ask", {"asker": "bob"}).status < 300
        worker = server.ask("POST", "/v1/workers", {"request_id": "w", "host": "h", "pid": 1,
                                                    "cpus": 1, "gpus": 0,
                                                    "hone_version": "0.1.0"},
                            token=worker_token).json["worker"]
        lease = server.ask("POST", "/v1/leases", {"request_id": f"ask/{sweep}/alice",
                                                  "worker": worker, "cpus": 1, "gpus": 0,
                                                  "wait": 0}, token=worker_token)
        assert lease.status < 500, lease
    finally:
        if server.process is not None:
            assert server.stop() == 0, server.log_text()
