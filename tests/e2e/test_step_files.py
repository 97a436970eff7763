"""Transfers of the files of pipeline steps that fail: nothing starts without its files."""
import pytest

from test_pipelines import check_every_step, place  # noqa: F401 (place is a fixture)
from test_worker import wait_for


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
