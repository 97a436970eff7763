"""What a submission records, and how a user gets it back: patch, environment, dataset, notes and
tags."""
import json
import subprocess
import sys

import pytest

from commands import hone, ok, write_spec
from conftest import ROOT, sweep_spec
from trained import done, train  # noqa: F401 (done is a fixture)

sys.path.insert(0, str(ROOT / "sdk" / "python"))
import hone as sdk  # noqa: E402


@pytest.fixture
def checkout(tmp_path):
    """A git repository with one uncommitted change, and a sweep file next to it."""
    folder = tmp_path / "checkout"
    (folder / "data" / "deep").mkdir(parents=True)
    (folder / "data" / "b.csv").write_text("1,2\n")
    (folder / "data" / "deep" / "a.csv").write_text("3,4\n")
    (folder / "train.py").write_text("print('as committed')\n")
    write_spec(folder, command=[sys.executable, "train.py"])

    def git(*words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              cwd=folder, check=True,
                              capture_output=True, text=True).stdout
    try:
        git("init", "-q")
    except FileNotFoundError:
        pytest.skip("git is not installed")
    git("add", "."), git("commit", "-qm", "first")
    (folder / "train.py").write_text("print('as it ran')\n")
    return folder, git


def test_what_was_not_committed_comes_back(server, checkout):
    folder, git = checkout
    sweep = ok("submit", "sweep.json", "-q", server=server, cwd=folder).strip()
    workflow = json.loads(ok("show", sweep, "--format", "json", server=server))["workflow"]
    fetched = hone("fetch", workflow, server=server, cwd=folder)
    assert fetched.stdout.splitlines() == [f"{workflow}/uncommitted.patch",
                                           f"{workflow}/environment.txt"], fetched.stderr
    git("checkout", "-q", "train.py")
    command = fetched.stderr.strip().splitlines()[-1].split(": ", 1)[1]
    commit = git("rev-parse", "HEAD")[:12]
    assert command == f"git checkout {commit} && git apply {workflow}/uncommitted.patch"
    subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True)
    assert (folder / "train.py").read_text() == "print('as it ran')\n"
    assert "pytest==" in (folder / workflow / "environment.txt").read_text()
    assert "as it ran" in ok("fetch", workflow, "uncommitted.patch", "-o", "-", server=server)
    assert hone("fetch", workflow, server=server,
                cwd=folder).returncode == 4, "nothing is written over"
    assert "hone fetch " + workflow in ok("show", workflow, server=server)


def test_a_workflow_that_kept_nothing_says_so(server, done):
    result = hone("fetch", "wf_1", server=server)
    assert result.returncode == 3 and "wf_1 kept no patch and no environment" in result.stderr
    assert hone("fetch", "wf_9", server=server).returncode == 3


def dataset_of(server, sweep):
    dataset = server.get(f"/v1/sweeps/{sweep}")["dataset"]
    return dataset and {key: value for key, value in server.get(f"/v1/datasets/{dataset}").items()
                        if key in ("name", "version", "digest")}


def test_datasets_are_recorded_by_their_content(server, checkout):
    folder, _ = checkout

    def submitted(*words):
        return ok("submit", "sweep.json", "-q", *words, server=server, cwd=folder).strip()

    def summed(command):
        return subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True,
                              text=True).stdout.split()[0]
    assert dataset_of(server, submitted()) is None
    file = submitted("--dataset", "data/b.csv")
    assert dataset_of(server, file) == {"name": "b.csv", "version": "",
                                        "digest": summed("sha256sum data/b.csv")}
    (row,) = server.ask("GET", "/v1/find?where=dataset").json["items"]
    assert row["location"].endswith(f":{folder}/data/b.csv")
    whole = submitted("--dataset", "data/")
    assert dataset_of(server, whole) == {"name": "data", "version": "", "digest": summed(
        "cd data; find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum")}
    assert dataset_of(server, submitted("--dataset", "digits@2=md5:12")) == {
        "name": "digits", "version": "2", "digest": "md5:12"}
    assert submitted("--dataset", "data") != whole
    assert len(json.loads(ok("find", "dataset", "--format", "json",
                             server=server))) == 3, "the same content is the same dataset"
    assert json.loads(ok("find", "sweep where dataset.name = b.csv", "--format", "json",
                         server=server))[0]["id"] == file
    forked = ok("fork", file, "--set", "seed=5", "-q", server=server).split()[0]
    assert dataset_of(server, forked)["name"] == "b.csv"
    other = ok("fork", file, "--dataset", "other=1", "-q", server=server).split()[0]
    assert dataset_of(server, other)["name"] == "other"


@pytest.mark.parametrize("word, says", [("nowhere.csv", "no such file"), ("=x", "NAME=DIGEST"),
                                        ("x=", "NAME=DIGEST"),
                                        ("empty", "holds no files")])
def test_a_dataset_that_is_none_is_refused_before_anything_is_submitted(
    server, tmp_path, word, says):
    (tmp_path / "empty").mkdir()
    write_spec(tmp_path)
    result = hone("submit", "sweep.json", "--dataset", word, server=server, cwd=tmp_path)
    assert result.returncode == 2 and says in result.stderr, result.stderr
    assert server.get("/v1/sweeps")["items"] == []


@pytest.mark.parametrize("thing", ["sw_1", "tr_4", "rn_4.0", "rn_4.0#1", "md_2", "wf_1", "wk_1"])
def test_show_tells_what_users_said(server, done, thing):
    plain = json.loads(ok("show", thing, "--format", "json", server=server))
    assert plain["tags"] == [] and plain["notes"] == []
    ok("tag", thing, "paper/fig-3", "best", server=server)
    ok("note", thing, "the one for the paper", server=server)
    shown = ok("show", thing, server=server)
    assert "best paper/fig-3" in shown and "the one for the paper" in shown
    said = json.loads(ok("show", thing, "--format", "json", server=server))
    assert said["tags"] == ["best",
                            "paper/fig-3"] and said["notes"][0]["text"] == "the one for the paper"


def test_a_trial_of_an_ended_sweep_is_submitted_again_in_one_of_its_own(server, done):
    said = ok("resubmit", "tr_4", "--set", "depth=2", server=server)
    assert said == "tr_4 enqueued again in sw_2\n"
    worker = server.join()
    grant = train(server, worker, 5)
    assert grant["params"]["depth"] == 2
    assert grant["params"]["lr"] == server.get("/v1/trials/tr_4")["params"]["lr"]
    assert server.get("/v1/sweeps/sw_2")["state"] == "completed" and server.acquire(worker) is None
    up = {(edge["from"], edge["relation"], edge["to"])
          for edge in server.get("/v1/lineage/tr_5?direction=up")["edges"]}
    assert {("tr_5", "resubmitted_from", "tr_4"), ("sw_2", "forked_from", done)} <= up
    refused = hone("resubmit", "tr_4", "--set", "depth=99", server=server)
    assert refused.returncode == 2 and "depth" in refused.stderr
    assert [sweep["state"]
            for sweep in server.get("/v1/sweeps")["items"]] == ["canceled", "completed",
                                                                "completed"]


def test_a_fork_keeps_its_patch_as_well(server, checkout):
    folder, _ = checkout
    ok("submit", "sweep.json", "-q", server=server, cwd=folder)
    (folder / "train.py").write_text("print('as forked')\n")
    sweep = ok("fork", "sw_1", "-q", server=server, cwd=folder).split()[0]
    workflow = server.get(f"/v1/sweeps/{sweep}")["workflow"]
    assert "as forked" in ok("fetch", workflow, "uncommitted.patch", "-o", "-", server=server)
    assert server.get(f"/v1/workflows/{workflow}")["environment_sha256"]


def test_the_lineage_of_a_measurement_tells_the_seed(server, done):
    facts = {node["id"]: node["facts"]
             for node in server.get("/v1/lineage/rn_4.0%2Floss%40200?direction=up")["nodes"]}
    seed = server.get("/v1/runs/rn_4.0")["seed"]
    assert facts["rn_4.0"]["seed"] == str(seed)
    assert f"seed={seed}" in ok("lineage", "rn_4.0/loss@200", "--up", server=server)


def test_python_records_a_dataset(server):
    client = sdk.Client(f"http://127.0.0.1:{server.port}")
    sweep = client.submit(sweep_spec(), dataset={"name": "digits", "version": "2",
                                                 "digest": "md5:12"})
    assert dataset_of(server, sweep)["digest"] == "md5:12"
