"""Bad circumstances: each is one clear sentence, and the page continues when it can."""

import contextlib
import signal
import socket

import world
from test_use import allow_refused_requests


def test_a_browser_without_what_the_pages_need_gets_a_sentence(filled, pages):
    page = pages("about:blank")
    page.call(
        "Page.addScriptToEvaluateOnNewDocument", source="delete Array.prototype.findLast;"
    )
    page.open(filled.url)
    page.wait("document.body.innerText.includes('This browser is too old for the dashboard')")
    assert "connecting" not in page.text() and "Reading" not in page.text()


def test_the_script_for_old_browsers_needs_no_new_one(filled):
    script = filled.server.ask("GET", "/").body.decode()
    [path] = [one.split('"')[0] for one in script.split('src="')[1:] if "old.js" in one]
    text = filled.server.ask("GET", "/" + path).body.decode()
    assert not [form for form in ("=>", "`", "const ", "let ", "?.", "??") if form in text]


def test_a_server_that_hangs_is_a_sentence_and_not_a_spinner(tmp_path, pages):
    server = world.start(tmp_path / "data")
    page = pages(f"http://127.0.0.1:{server.port}/")
    page.wait("document.body.innerText.includes('There is no sweep yet')")
    server.process.send_signal(signal.SIGSTOP)
    try:
        page.go("#/workers")
        page.wait("document.body.innerText.includes('The server has not answered yet')")
    finally:
        server.process.send_signal(signal.SIGCONT)
    page.wait("document.body.innerText.includes('No worker has joined this server')")
    assert server.stop() == 0


def test_a_revoked_token_leads_to_the_form(tmp_path, pages):
    server = world.start(tmp_path / "data", "--auth")
    admin = (server.folder / "admin.token").read_text().strip()
    page = pages(f"http://127.0.0.1:{server.port}/#token={admin}")
    page.wait("document.body.innerText.includes('There is no sweep yet')")
    headers = {"Authorization": f"Bearer {admin}"}
    [token] = server.ask("GET", "/v1/tokens", headers=headers).json["items"]
    assert server.ask("POST", f"/v1/tokens/{token['id']}/revoke", {}, headers).status == 200
    page.go("#/workers")
    page.wait("document.querySelector('input[type=password]')")
    assert "The token was refused: this token is not known here, or was revoked." in page.text()
    allow_refused_requests(page)
    assert server.stop() == 0


def test_a_page_and_a_run_that_are_not_there(filled, pages):
    page = pages(f"{filled.url}#/nowhere")
    alert = "document.querySelector('main [role=alert]')?.innerText"
    page.wait(f"{alert}.includes('There is no page nowhere')")
    for address in ("#/runs/rn_4711.0", "#/trials/tr_4711", "#/sweeps/sw_4711/population"):
        page.go(address)
        page.wait(f"location.hash === {address!r} && {alert}.includes('4711')")
    allow_refused_requests(page)


def open_streams(server, stack, count):
    """Event streams of this address; all have been answered."""
    for _ in range(count):
        one = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
        one.sendall(
            b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
        )
        assert one.recv(4096).startswith(b"HTTP/1.1 200")


def test_a_page_that_gets_no_stream_is_read_again_until_it_gets_one(tmp_path, pages):
    server = world.start(tmp_path / "data")
    mark = "document.getElementById('live')"
    with contextlib.ExitStack() as stack:
        open_streams(server, stack, 64)
        page = pages(f"http://127.0.0.1:{server.port}/")
        page.wait(f"{mark}.title.includes('event streams open, its bound: close one')")
        assert page.run(f"{mark}.innerText") == "refused"
        server.submit(world.sweep_of("sent without a stream"))
        page.wait("document.body.innerText.includes('sent without a stream')")
        assert page.run(f"{mark}.innerText") == "refused"
    page.wait(f"{mark}.dataset.state === 'live'")
    server.submit(world.sweep_of("sent with a stream"))
    page.wait("document.body.innerText.includes('sent with a stream')")
    allow_refused_requests(page)
    assert server.stop() == 0


def test_the_table_of_fleets_shows_what_an_engine_fails_at(tmp_path, pages):
    """Also before any worker has joined: that may be the reason."""
    server = world.start(tmp_path / "data")
    lists = tmp_path / "list.sh"
    lists.write_text("echo 'batchq: no <b>queue</b> master' >&2; exit 3\n")
    commands = {"submit": ["false"], "list": ["sh", str(lists)], "cancel": ["true"]}
    spec = {"name": "batch", "engine": "command", "max": 1, "commands": commands}
    server.post("/v1/fleets", {"request_id": "f1", "spec": spec}, status=201)
    page = pages(f"http://127.0.0.1:{server.port}/#/workers")
    card = "document.querySelector('[data-card=fleets]')?.innerText"
    trouble = "no <b>queue</b> master"
    page.wait(f"{card}.includes('no complete list of its pilots since 20')")
    assert trouble in page.text()
    assert "No worker has joined this server" in page.text()
    lists.write_text("exit 0\n")
    page.wait(f"{card}.includes('batch') && !{card}.includes({trouble!r})")
    assert "Engine trouble" not in page.text()
    server.post("/v1/fleets/fl_1/stop", {})
    assert server.stop() == 0
