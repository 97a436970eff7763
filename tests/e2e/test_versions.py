"""Which version runs where: `hone doctor --versions` and the lines of `hone doctor`."""
import json
import uuid

from commands import hone


def check(server):
    done = hone("doctor", "--versions", "--format", "json", server=server)
    return done, {row["what"]: row["version"] for row in json.loads(done.stdout)}


def test_a_worker_of_another_version_is_named(server):
    server.join()
    done, versions = check(server)
    assert done.returncode == 0, done.stderr
    assert {"hone", "hone-server", "hone-worker", "hone-train", "server"} <= versions.keys()
    assert len(set(versions.values())) == 1
    older = server.post("/v1/workers", {"request_id": str(uuid.uuid4()), "host": "testhost",
                                        "pid": 1, "cpus": 1, "gpus": 0,
                                        "hone_version": "0.0.9"})["worker"]
    done, versions = check(server)
    assert done.returncode == 1 and versions[f"worker {older}"] == "0.0.9"
    assert "1 has another version than this command" in done.stderr
    looked = hone("doctor", "--data", server.folder, "--format", "json", server=server)
    line, = [row for row in json.loads(looked.stdout) if row["what"] == "workers"]
    assert line["health"] == "warn" and "1 of another version" in line["detail"]


def test_without_a_server_the_programs_here_are_compared():
    done = hone("doctor", "--versions", "--format", "json", "--server", "http://127.0.0.1:9")
    assert done.returncode == 0 and "no server answers" in done.stderr
    assert {row["what"] for row in json.loads(done.stdout)} == {"hone", "hone-server",
                                                                "hone-worker", "hone-train"}
