"""Tokens: scopes, the first token, and secrets that stay secret."""
import hashlib
import json
import os
import pathlib
import stat
import subprocess

import pytest

from commands import hone, ok
from conftest import STOP_SECONDS, Server, problem, program, sweep_spec
from guarded import Guarded


@pytest.fixture
def guarded(tmp_path):
    one = Guarded(tmp_path / "data").start()
    yield one
    if one.process is not None:
        assert one.stop() == 0, one.log_text()


def test_first_token_is_the_owners_alone_and_is_kept(guarded):
    mode = stat.S_IMODE(guarded.admin_file().stat().st_mode)
    assert mode == 0o600
    first = guarded.admin_file().read_text()
    guarded.stop()
    guarded.start()
    assert guarded.admin_file().read_text() == first
    assert guarded.ask("GET", "/v1/tokens").status == 200


def test_lost_administrator_gets_another_token(guarded):
    old = guarded.token
    guarded.stop()
    guarded.admin_file().unlink()
    guarded.token = old
    guarded.start()
    # The first token was stored elsewhere: no second one may be written without a request.
    assert not guarded.admin_file().exists()
    guarded.stop()
    guarded.extra.append("--new-admin-token")
    guarded.token = None
    guarded.start()
    assert guarded.token != old
    names = [token["name"] for token in guarded.get("/v1/tokens")["items"]]
    assert names == ["admin", "admin 2"]


def test_without_a_token_only_health_answers(guarded):
    assert Server.ask(guarded, "GET", "/healthz").status == 200
    for method, path in [("GET", "/v1/sweeps"), ("GET", "/metrics"), ("POST", "/v1/sweeps"),
                         ("GET", "/v1/events"),
                         ("PUT", "/v1/blobs/" + "a" * 64), ("GET", "/v1/tokens"),
                         ("POST", "/v1/tokens")]:
        answer = Server.ask(guarded, method, path, b"" if method == "GET" else b"{}")
        problem(answer, 401, "unauthenticated", words=["asks for a token"])
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_routes_open_to_their_scopes_alone(guarded):
    """Every row of the table, with every scope: 401 and 403 precede every other error."""
    rows = json.loads(subprocess.run([program("hone-server"), "--routes"], capture_output=True,
                                     check=True).stdout)
    scopes = ("read", "submit", "worker", "admin", "replica")
    tokens = {scope: guarded.create(scope)[1] for scope in scopes}
    for row in rows:
        path = row["path"].replace("{", "").replace("}", "")
        if row["path"] == "/v1/events":
            path += "?limit=1"
        needs = set(row["scopes"].split())
        for scope, token in tokens.items():
            has = {"admin": set(scopes), "submit": {"submit", "read"}}.get(scope, {scope})
            body = b"{}" if row["method"] != "GET" else None
            answer = guarded.ask(row["method"], path, body, token=token)
            allowed = not needs or needs & has
            assert (answer.status in (401, 403)) == (not allowed), (row, scope, answer)
            if not allowed:
                problem(answer, 403, "forbidden", words=["has the scope " + scope, "needs"])


def test_revoked_token_opens_nothing_from_the_answer_on(guarded):
    for _ in range(20):
        name, secret = guarded.create("read")
        assert guarded.ask("GET", "/v1/sweeps", token=secret).status == 200
        assert guarded.ask("POST", f"/v1/tokens/{name}/revoke", {}).status == 200
        problem(guarded.ask("GET", "/v1/sweeps", token=secret), 401, "unauthenticated",
                words=["revoked"])


def test_tokens_outlive_the_server(guarded):
    kept, kept_secret = guarded.create("read")
    gone, gone_secret = guarded.create("read")
    guarded.ask("POST", f"/v1/tokens/{gone}/revoke", {})
    guarded.kill()
    guarded.start()
    assert guarded.ask("GET", "/v1/sweeps", token=kept_secret).status == 200
    assert guarded.ask("GET", "/v1/sweeps", token=gone_secret).status == 401
    states = {token["id"]: token["revoked_at"] for token in guarded.get("/v1/tokens")["items"]}
    assert states[kept] is None and states[gone] is not None


def test_an_attempt_names_its_worker_whose_host_and_token_are_known(guarded):
    guarded.submit(sweep_spec())
    token, secret = guarded.create("worker")
    admin, guarded.token = guarded.token, secret
    worker = guarded.join()
    grant = guarded.acquire(worker)
    guarded.token = admin
    attempt = guarded.get(f"/v1/runs/{grant['attempt'].split('#')[0]}/attempts")["items"][0]
    assert attempt["worker"] == worker
    row = guarded.get(f"/v1/workers/{worker}")
    assert (row["host"], row["token"]) == ("testhost", token)


def test_a_trial_names_the_token_with_which_a_user_made_it(guarded):
    """What the sampler proposes has no creator, nor has what is enqueued without tokens."""
    sweep = guarded.submit(sweep_spec())
    worker = guarded.join()
    guarded.acquire(worker)
    _, secret = guarded.create("submit", name="alice")
    for number, more in enumerate([{}, {"from": "tr_1"}]):
        body = {"request_id": f"mine-{number}", "params": {"lr": 0.001}, **more}
        answer = guarded.ask("POST", f"/v1/sweeps/{sweep}/enqueue", body, token=secret)
        assert answer.status == 200, answer
        guarded.acquire(worker)
    trials = guarded.get(f"/v1/sweeps/{sweep}/trials")["items"]
    assert {trial["id"]: trial["creator"] for trial in trials} == {
        "tr_1": None, "tr_2": "alice", "tr_3": "alice"}
    guarded.kill()
    guarded.start()

    def said(*words):
        return ok(*words, server=guarded, HONE_TOKEN=guarded.token)
    found = json.loads(said("find", "trial where creator = alice", "--format", "json"))
    assert [item["id"] for item in found] == ["tr_3", "tr_2"]
    assert "alice" in said("show", "tr_2") and "creator" not in said("show", "tr_1")
    assert "alice" in said("lineage", "tr_3", "--format", "json")


def test_lease_belongs_to_the_token_that_took_it(guarded):
    guarded.submit(sweep_spec())
    owner, other = guarded.create("worker")[1], guarded.create("worker")[1]
    admin, guarded.token = guarded.token, owner
    worker = guarded.join()
    grant = guarded.acquire(worker)
    lease = grant["lease"]
    calls = [(f"/v1/leases/{lease}/reports", {"phase": 0, "step": 250, "value": 1}),
             (f"/v1/leases/{lease}/metrics", {"points": []}),
             (f"/v1/leases/{lease}/end", {"reason": "budget_reached"}),
             (f"/v1/workers/{worker}/beat", {"leases": [lease]}),
             ("/v1/leases", {"request_id": "theirs", "worker": worker, "cpus": 1})]
    for path, body in calls:
        problem(guarded.ask("POST", path, body, token=other), 403, "forbidden",
                words=["another token"])
    assert guarded.report(grant, 0, 1.0)["verdict"] == "continue"
    guarded.kill()
    guarded.token = owner
    guarded.start()
    path, body = calls[0]
    problem(guarded.ask("POST", path, body, token=other), 403, "forbidden", words=["another token"])
    assert guarded.report(grant, 1, 1.0)["verdict"] == "continue"
    run = grant["attempt"].split("#")[0]
    curve = guarded.ask("GET", f"/v1/runs/{run}/curve", token=admin).json["items"]
    assert [point["phase"] for point in curve] == [0, 1]


def test_secrets_are_in_no_answer_no_log_and_no_ledger(guarded):
    name, secret = guarded.create("read")
    guarded.ask("GET", "/v1/sweeps", token=secret)
    guarded.ask("GET", "/v1/sweeps", token="hone_not_known_at_all")
    digest = hashlib.sha256(secret.encode()).hexdigest()
    texts = [json.dumps(guarded.get(path)) for path in ("/v1/tokens", "/v1/events", "/v1/workers")]
    texts.append(guarded.ask("GET", "/v1/events",
                             headers={"Accept": "application/json"}).body.decode())
    assert any("token_created" in text for text in texts)
    for text in texts:
        assert secret not in text and digest not in text and "sha256" not in text
    guarded.stop()
    for file in [*guarded.folder.rglob("*"), guarded.folder.parent / f"{guarded.folder.name}.log"]:
        if file.is_file() and file.name != "admin.token":
            held = file.read_bytes()
            assert secret.encode() not in held and guarded.token.encode() not in held, file


def test_hone_token_makes_lists_and_revokes(guarded, tmp_path):
    admin = {"server": guarded, "HONE_TOKEN_FILE": str(guarded.admin_file())}
    made = hone("token", "create", "alice", "--scope", "submit", **admin)
    assert made.returncode == 0, made.stderr
    secret = made.stdout.strip()
    assert secret.startswith("hone_") and "tk_2 'alice' may submit" in made.stderr
    assert ok("ls", "--format", "json", server=guarded, HONE_TOKEN=secret) == "[]\n"
    out = tmp_path / "node.token"
    ok("token", "create", "node", "--scope", "worker,read", "--expires", "90d", "--out", str(out),
       **admin)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    ok("workers", "--token-file", str(out), server=guarded)
    listed = json.loads(ok("token", "ls", "--format", "json", **admin))
    assert [(token["name"], token["scopes"]) for token in listed] == [
        ("admin", ["admin"]), ("alice", ["submit"]), ("node", ["read", "worker"])]
    ok("token", "revoke", "alice", **admin)
    refused = hone("ls", server=guarded, HONE_TOKEN=secret)
    assert refused.returncode == 5 and "revoked" in refused.stderr
    assert secret not in refused.stderr


def test_hone_token_makes_one_in_a_folder_without_a_server(guarded, tmp_path):
    """How to get a new token if the administrator's is lost and the server cannot be restarted with
    the option that makes one."""
    words = ("token", "create", "ada", "--scope", "admin", "--data", str(guarded.folder))
    refused = hone(*words)
    assert refused.returncode == 4 and "another hone server" in refused.stderr
    guarded.stop()
    secret = ok(*words).strip()
    again = hone(*words)
    assert again.returncode != 0 and "ada" in again.stderr
    assert hone(*words[:-1],
                str(tmp_path / "nothing")).returncode == 3 and not (tmp_path / "nothing").exists()
    guarded.start()
    listed = json.loads(ok("token", "ls", "--format", "json",
                           HONE_SERVER=f"http://127.0.0.1:{guarded.port}", HONE_TOKEN=secret))
    assert {"admin", "ada"} <= {one["name"] for one in listed}


@pytest.mark.parametrize("words, says", [
    (["create"], "no name given"),
    (["create", "x"], "--scope"),
    (["create", "x", "--scope", "raed"], "did you mean 'read'?"),
    (["create", "x", "--scope", "read", "--expires", "soon"], "90d"),
    (["create", "x", "--scope", "read", "--out", "/proc/nothing/here"], "cannot create the file"),
    (["make", "x"], "the actions are create, ls and revoke"),
    (["revoke"], "no token given"),
    (["revoke", "unknown"], "unknown token 'unknown'"),
    (["revoke", "tk_99"], "there is no token tk_99"),
])
def test_hone_token_refuses_with_what_to_do(tmp_path_factory, words, says):
    server = Guarded(tmp_path_factory.mktemp("refuse") / "data").start()
    try:
        refused = hone("token", *words, server=server, HONE_TOKEN=server.token)
        assert refused.returncode in (2, 3) and says in refused.stderr, refused
        assert len(server.get("/v1/tokens")["items"]) == 1
    finally:
        server.stop()


def test_token_on_the_command_line_is_hidden_from_other_users(guarded):
    """`hone events --follow` stays; its arguments in /proc no longer hold the secret once it is
    connected."""
    process = subprocess.Popen(
        [program("hone"), "events", "--all", "--follow", "--format", "jsonl", "--token",
         guarded.token, "--server",
         f"http://127.0.0.1:{guarded.port}"], stdout=subprocess.PIPE, text=True)
    try:
        assert "server_started" in process.stdout.readline()
        words = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
        assert guarded.token.encode() not in words and b"xxxxxxxx" in words
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def test_trial_does_not_inherit_the_workers_token(guarded, tmp_path):
    secret = guarded.create("worker")[1]
    token_file = tmp_path / "worker.token"
    token_file.write_text(secret + "\n")
    seen = tmp_path / "seen"
    guarded.submit(sweep_spec(
        command=["sh", "-c", f"env > {seen}; echo '@hone {{\"report\": {{\"value\": 1}}}}'"],
        parameters={"lr": {"type": "float", "min": 0, "max": 1}},
        search={"method": "random", "trials": 1}, budget={"unit": "steps", "per_run": 1,
                                                          "phases": 1}))
    environment = {**os.environ, "HONE_TOKEN_FILE": str(token_file)}
    subprocess.run([program("hone-worker"), "--server", f"http://127.0.0.1:{guarded.port}",
                    "--slots", "1", "--data",
                    str(tmp_path / "worker"), "--until-idle"], env=environment, check=True,
                   timeout=60,
                   capture_output=True)
    text = seen.read_text()
    assert "HONE_RUN_FILE" in text
    assert "HONE_TOKEN" not in text and secret not in text
