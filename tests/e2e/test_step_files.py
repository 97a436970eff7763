"""Transfers of the files of pipeline steps that fail: nothing starts without its files."""
import http.client
import threading

import pytest

from listener import Listener
from test_pipelines import check_every_step, place  # noqa: F401 (place is a fixture)
from test_worker import Worker, wait_for


def stored(place, name):  # noqa: F811
    """The server's copy of a file of the run."""
    sha = place.files()[name]
    (path,) = (place.folder / "data").rglob(f"{sha[:2]}/{sha[2:]}")
    return path


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_a_file_that_the_server_cannot_give_fails_the_run(place, damage):  # noqa: F811
    """The second worker has no copy: what it fetches is missing, or is not what was kept."""
    place.worker("first").ready()
    place.gate("train")
    sweep = place.submit(limits={"max_retries": 0})
    place.started("train")
    path = stored(place, "prepare/out")
    place.workers["first"].kill()
    path.chmod(0o644)
    path.unlink() if damage == "gone" else path.write_bytes(b"other bytes")
    place.worker("second").ready()
    place.open("train")
    assert place.end(sweep) == "failed"
    run = place.run()
    assert run["failure"] == "infra", run
    assert len(place.journal("start", "train")) == 1, "the program started without its file"


class Relay(Listener):
    """Passes requests on to a server. The first answer with a file's bytes is spoiled."""

    def __init__(self, server, fault):
        self.spoiled = []
        lock = threading.Lock()

        def pass_on(handler):
            body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
            behind = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            behind.request(handler.command, handler.path, body, dict(handler.headers))
            answer = behind.getresponse()
            data = answer.read()
            behind.close()
            with lock:
                spoil = (handler.command == "GET" and "/blobs/" in handler.path
                         and not self.spoiled)
                if spoil:
                    self.spoiled.append(handler.path)
            if spoil and fault == "away":  # no byte of an answer
                handler.close_connection = True
                return
            handler.send_response(answer.status)
            for name in ("Content-Type", "Retry-After"):
                if answer.headers[name]:
                    handler.send_header(name, answer.headers[name])
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            if spoil and fault == "short":
                data, handler.close_connection = data[:len(data) // 2], True
            if spoil and fault == "other":
                data = bytes(len(data))
            handler.wfile.write(data)

        super().__init__(pass_on)


@pytest.mark.parametrize("fault", ["away", "short", "other"])
def test_a_step_gets_its_files_though_one_answer_was_spoiled(place, tmp_path, fault):  # noqa: F811
    """The connection ends before the answer or in the middle of it, or other bytes arrive."""
    place.worker("first").ready()
    place.gate("train")
    sweep = place.submit(limits={"max_retries": 1})  # the attempt that is killed
    place.started("train")
    place.workers["first"].kill()
    with Relay(place.server, fault) as relay:
        second = Worker(relay, tmp_path / "second", "--workdir", str(tmp_path), slots=1)
        place.workers["second"] = second
        second.ready()
        place.open("train")
        assert place.end(sweep) == "completed", second.log_text()
        second.kill()
    assert len(relay.spoiled) == 1
    (prepared,) = place.journal("end", "prepare")
    trained = place.journal("start", "train")
    assert len(trained) == 2, "one of the killed worker, one of the other"
    assert trained[1]["got"] == {"prepare/out": prepared["out"]}


def test_a_transfer_that_breaks_off_is_made_again(place):  # noqa: F811
    """The server ends before a worker stores a file: nothing is lost, nothing is kept twice."""
    place.worker("first").ready()
    for step in ("prepare", "train"):
        place.gate(step)
    sweep = place.submit()
    place.started("prepare")
    place.server.kill()
    place.open("prepare")
    wait_for(lambda: place.journal("end", "prepare"))  # its file waits for the server
    place.server.start(place.server.port)
    place.started("train")
    place.open("train")
    assert place.end(sweep) == "completed"
    (prepared,) = place.journal("end", "prepare")
    assert place.journal("start", "train")[0]["got"] == {"prepare/out": prepared["out"]}
    check_every_step(place, 1)


def test_a_step_with_more_files_than_may_be_kept_fails(place):  # noqa: F811
    place.worker("one").ready()
    spec = place.spec(limits={"max_retries": 0})
    spec["steps"][0]["command"] = {"run": ["sh", "-c", "cd $HONE_FOLDER; seq 101 | xargs touch"],
                                   "artifacts": ["*"]}
    assert place.end(place.server.submit(spec)) == "failed"
    assert place.run()["reason"] == "disk_limit", place.run()
    assert not place.journal("start", "train")
