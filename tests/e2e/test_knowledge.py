"""Find a sweep again over the API: filters, notes, tags, edits, forks, lineage, export, import."""
import re
import urllib.parse
import uuid

from commands import ok
from conftest import ROOT, Server, problem, sweep_spec
from trained import done, play_edited, save, train  # noqa: F401 (done is a fixture)


def where(text):
    return urllib.parse.quote(text, safe="")


def found(server, text, limit=100):
    return [item["id"]
            for item in server.get(f"/v1/find?limit={limit}&where={where(text)}")["items"]]


def test_find_by_result_parameter_and_commit(server, done):
    assert len(found(server,
                     "model where metric.return > 12.5 and params.depth >= 1 and workflow.commit = 3487c*")) >= 3
    assert found(server, "trial where metric.return >= 33") == ["tr_4"]
    assert found(server, "run where metric.loss < 0.3") == ["rn_4.0"]
    page = server.get("/v1/find?where=run&limit=3")
    assert page["kind"] == "run" and len(page["items"]) == 3 and page["next"]
    assert len(server.get(f"/v1/find?where=run&limit=3&after={page['next']}")["items"]) == 1
    problem(server.ask("GET", "/v1/find?where=" + where("model where stpe > 3")), 400, "invalid",
            at="/where:12",
            words=["did you mean 'step'?"])
    problem(server.ask("GET", "/v1/find"), 400, "invalid", at="/where")


def test_lists_take_the_same_filter(server, done):
    def listed(path):
        return [item["id"] for item in server.get(path)["items"]]
    assert listed(f"/v1/sweeps/{done}/trials?sort=value&where={where('value > 20')}") == [
        "tr_4", "tr_3"]
    assert listed(f"/v1/sweeps/{done}/runs") == ["rn_1.0", "rn_2.0", "rn_3.0", "rn_4.0"]
    assert listed(f"/v1/sweeps/{done}/runs?where={where('value > 30')}") == ["rn_4.0"]
    assert listed(f"/v1/trials/tr_4/runs?where={where('state = failed')}") == []
    assert listed(f"/v1/sweeps/{done}/best?where={where('value < 20')}") == ["tr_2", "tr_1"]
    assert listed(f"/v1/sweeps?where={where('state = completed')}") == [done]
    problem(server.ask("GET", f"/v1/sweeps/sw_9/runs?where={where('id = rn_1.0')}"), 404,
            "not_found")


def test_notes_tags_and_the_archive(server, done):
    server.post("/v1/notes", {"request_id": "n", "on": "tr_4", "text": "the one for the paper",
                              "author": "ada"})
    server.post("/v1/notes", {"request_id": "n", "on": "tr_4", "text": "the one for the paper",
                              "author": "ada"})
    server.post("/v1/tags", {"on": "tr_4", "add": ["paper/fig-3", "keep"]})
    server.post("/v1/tags", {"on": "tr_4", "remove": ["keep"]})
    about = server.get("/v1/about/tr_4")
    assert about["tags"] == ["paper/fig-3"] and [note["text"]
                                                 for note in about["notes"]] == [
                                                     "the one for the paper"]
    assert found(server, "trial where tag = paper/*") == ["tr_4"]
    problem(server.ask("POST", "/v1/tags", {"on": "tr_99", "add": ["x"]}), 404, "not_found",
            at="/on")
    server.post(f"/v1/sweeps/{done}/archive", {"archived": True})
    assert server.get("/v1/sweeps")["items"] == []
    assert len(server.get("/v1/sweeps?all=true")["items"]) == 1
    server.kill()
    server.start()
    assert server.get("/v1/about/tr_4") == about and server.get("/v1/sweeps")["items"] == []


def test_edits_pins_and_forks_are_links_and_events(server):
    sweep = server.submit(sweep_spec())
    worker = server.join()
    train(server, worker, 1)
    server.post(f"/v1/sweeps/{sweep}/edit", {"request_id": "e", "trials": 6, "concurrency": 1,
                                             "widen": [{"name": "lr", "max": 0.1}]})
    spec = server.get(f"/v1/sweeps/{sweep}")["spec"]
    assert spec["search"]["trials"] == 6 and spec["parameters"]["lr"]["max"] == 0.1
    assert server.acquire(worker) and server.acquire(worker) is None
    problem(server.ask("POST", f"/v1/sweeps/{sweep}/edit",
                       {"request_id": "f", "widen": [{"name": "lr", "max": 0.05}]}),
            400, "invalid", at="/widen/0", words=["wider"])
    server.post("/v1/trials/tr_1/pin", {"pinned": True})
    assert found(server, "trial where pinned") == ["tr_1"]
    facts = server.get(f"/v1/lineage/{sweep}?depth=0")["nodes"][0]["facts"]
    assert '"trials":6' in facts["edits"].replace(" ", "")
    server.kill()
    server.start()
    assert server.get(f"/v1/sweeps/{sweep}")["spec"] == spec


def edges_of(server, root, direction, extra=""):
    graph = server.get(f"/v1/lineage/{root}?direction={direction}{extra}")
    return {(edge["from"], edge["relation"], edge["to"]) for edge in graph["edges"]}


def relations_of_the_code():
    """Every relation that lineage knows: a new one must be walked, drawn and described as well."""
    return set(re.findall(r'Relation\{\w+, \w+, "(\w+)"',
                          (ROOT / "db/lineage/steps.cpp").read_text()))


def relations(edges):
    return {relation for _, relation, _ in edges}


def test_every_relation_is_drawn_and_described():
    known = relations_of_the_code()
    assert "confirms" in known and len(known) >= 19
    drawn = set(re.findall(r'^    \{"(\w+)", "[^"]+", "[^"]+"\},$',
                           (ROOT / "sdk/cli/render/lineage_tree.cpp").read_text(), re.M))
    assert drawn == known
    picture = (ROOT / "docs/knowledge.md").read_text().split("## 3. Lineage")[1].split("## 4.")[0]
    assert not [name for name in known if name not in picture]


def fork_of(server, first):
    """A fork of a sweep that also starts from its results, with a workflow and a dataset."""
    search = {"method": "random", "trials": 2, "warm_start": [first]}
    workflow = {"git_commit": "a" * 40, "patch_sha256": "b" * 64, "environment_sha256": "c" * 64}
    dataset = {"name": "digits", "version": "2", "digest": "d" * 64}
    spec = sweep_spec(search=search, datasets=[{"name": "held-out", "role": "validation"}])
    return server.post("/v1/sweeps", {"request_id": "fork", "spec": spec,
                                      "workflow": workflow, "forked_from": first,
                                      "dataset": dataset})["sweep"]


def edges_of_a_replaced_member(server):
    """A population of two, the poorer of which a fork of the other replaces, and the edges up from
    that fork.
    """
    population = server.submit(sweep_spec(
        command={"run": ["python3", "train.py", "--lr", "${lr}"], "may_change": ["lr"]},
        search={"method": "pbt", "population": 2}, terminator=None))
    worker = server.join()

    def acquire():
        grant = server.acquire(worker)
        return grant if grant["sweep"] == population else acquire()
    for grant, value in [(acquire(), 2), (acquire(), 1)]:
        save(server, grant, 0)
        server.report(grant, 0, value)
    fork = acquire()["attempt"].split(".")[0].replace("rn_", "tr_")
    return population, edges_of(server, fork, "up")


def edges_of_a_second_step(server):
    """A pipeline of which a run has begun its second step, and the edges up from that attempt."""
    words = ["python3", "step.py"]
    pipeline = server.submit(sweep_spec(command=None, terminator=None, steps=[
        {"name": "prepare", "command": words}, {"name": "train", "command": words}]))
    worker = server.join()

    def acquire():
        grant = server.post("/v1/leases", {"request_id": str(uuid.uuid4()), "worker": worker,
                                           "cpus": 1, "gpus": 0, "wait": 0.0, "steps": True})["grant"]
        return grant if grant["sweep"] == pipeline else acquire()
    server.end(acquire())
    step = acquire()["attempt"]
    edges = edges_of(server, step.replace("#", "%23"), "up")
    assert (step, "got_files_of", step.replace("#2", "#1")) in edges
    return pipeline, edges


def edges_of_code_and_evaluation(server, run, model):
    code = edges_of(server, f"{run}%231", "up")
    assert (f"{run}#1", "executed", "wf_3") in code
    assert server.post(f"/v1/models/{model}/evaluations", {
        "request_id": "ev", "metric": "return", "values": [3, 5],
        "environment": "CartPole-v1"}) == {"evaluation": "ev_1"}
    measured = edges_of(server, "ev_1", "up")
    assert ("ev_1", "measured_of", model) in measured
    assert found(server, "evaluation where mean = 4 and model.phase = 3") == ["ev_1"]
    assert found(server, "model where evaluated >= 4") == [model]
    return code, measured


def test_every_edge_of_the_lineage_is_walked_from_a_metric_point_and_back(server):
    """A model's ancestors across two resumes, a fork and a warm start; and the point of a metric up
    to its commit."""
    first = server.submit(sweep_spec(search={"method": "random", "trials": 1}))
    worker = server.join()
    train(server, worker, 1)
    fork = fork_of(server, first)
    grant = server.acquire(worker)
    executed = {"git_commit": "e" * 40, "hone_version": "0.1.0", "hone_commit": "f" * 40}
    server.post(f"/v1/leases/{grant['lease']}/code", {"workflow": executed})
    model = None
    for phase in range(3):  # two resumes
        server.post(f"/v1/leases/{grant['lease']}/metrics",
                    {"points": [{"name": "loss", "step": 100 * phase, "value": 1 / (phase + 1)}]})
        model = save(server, grant, phase)
        server.report(grant, phase, phase)
        if phase < 2:
            server.end(grant, "requeue_requested", 85)
            grant = server.acquire(worker)
    trial = grant["attempt"].split(".")[0].replace("rn_", "tr_")
    run = grant["attempt"].split("#")[0]
    up = edges_of(server, model, "up")
    assert {relation for _, relation, _ in up} == {
        "continued_from", "saved_by", "saved_in", "judged_by", "reported_by", "reported_in",
        "attempt_of", "executed", "executed_by", "resumed_from", "run_of", "proposed_by",
        "submitted_as", "trained_on", "validated_on", "forked_from", "warm_started_from"}
    models = [one for one, relation, _ in up if relation == "continued_from"]
    assert len(models) == 2  # md_3 <- md_2 <- md_1
    assert (fork, "forked_from", first) in up and (fork, "warm_started_from", first) in up
    point = edges_of(server, f"{run}%2Floss%40200", "up")
    for link in [(f"{run}/loss@200", "point_of", f"{run}/loss"), (f"{run}/loss", "logged_by", run),
                 (run, "run_of", trial), (trial, "proposed_by", fork),
                 (fork, "submitted_as", "wf_2"), (fork, "trained_on", "ds_1")]:
        assert link in point
    assert (f"{run}/loss@200", "logged_in", f"{run}#3") in point
    code, measured = edges_of_code_and_evaluation(server, run, model)
    facts = {node["id"]: node["facts"] for node in server.get("/v1/lineage/wf_2?depth=0")["nodes"]}
    assert facts["wf_2"]["git_commit"] == "a" * 40
    assert facts["wf_2"]["environment_sha256"] == "c" * 64
    down = edges_of(server, first, "down", "&measurements=true")
    assert (f"{run}/loss", "logged_by", run) in down and (f"{run}/loss@200", "point_of",
                                                          f"{run}/loss") in down
    server.post(f"/v1/sweeps/{fork}/enqueue", {"request_id": "again", "params": {}, "from": trial})
    again = server.acquire(worker)["attempt"].split(".")[0].replace("rn_", "tr_")
    resubmitted = edges_of(server, again, "up")
    assert (again, "resubmitted_from", trial) in resubmitted
    confirmation = server.post(f"/v1/sweeps/{first}/confirm", {"request_id": "sure", "top": 1,
                                                               "seeds": 2}, 201)["sweep"]
    confirmed = edges_of(server, confirmation, "up")
    assert (confirmation, "confirms", first) in confirmed
    population, followed = edges_of_a_replaced_member(server)
    pipeline, passed_on = edges_of_a_second_step(server)
    known = relations_of_the_code()
    seen = up | point | code | measured | resubmitted | confirmed | followed | passed_on
    assert relations(seen) == known
    # Down from the roots: the first sweep, and the objects above sweeps.
    roots = [first, population, pipeline, worker, "wf_1", "wf_2", "wf_3", "ds_1", "ds_2"]
    assert set().union(*(relations(edges_of(server, root, "down", "&measurements=true"))
                         for root in roots)) == known
    problem(server.ask("GET", "/v1/lineage/rn_1.0@99"), 404, "not_found")


def test_the_data_sets_of_a_sweep_file_are_found_shown_and_exported(server, tmp_path):
    datasets = [{"name": "digits", "version": "2", "digest": "9f86", "location": "node3:/digits"},
                {"name": "held-out", "role": "validation", "location": "node3:/held-out"}]
    sweep = server.submit(sweep_spec(datasets=datasets, search={"method": "random", "trials": 1}))
    server.submit(sweep_spec(datasets=datasets[1:], search={"method": "random", "trials": 1}))
    assert server.get("/v1/datasets/ds_1")["location"] == "node3:/digits"
    assert server.get(f"/v1/sweeps/{sweep}")["dataset"] == "ds_1"
    assert found(server, "sweep where dataset.name = digits") == [sweep]
    assert sorted(found(server, "sweep where dataset.name = held-out")) == ["sw_1", "sw_2"]
    edges = edges_of(server, "ds_2", "down")
    assert ("sw_1", "validated_on", "ds_2") in edges and ("sw_2", "validated_on", "ds_2") in edges
    assert re.search("validation +held-out +node3:/held-out", ok("show", sweep, server=server))
    train(server, server.join(), 1)
    document = server.get(f"/v1/sweeps/{sweep}/export")
    elsewhere = Server(tmp_path / "elsewhere").start()
    try:
        elsewhere.post("/v1/imports", {"request_id": "i", "export": document})
        assert found(elsewhere, "sweep where dataset.name = held-out") == ["sw_1"]
        assert ("sw_1", "validated_on", "ds_2") in edges_of(elsewhere, "sw_1", "up")
    finally:
        elsewhere.kill()
    wrong = server.ask("POST", "/v1/sweeps", {"request_id": "w", "workflow": {}, "spec": sweep_spec(
        datasets=[{"name": "x", "role": "test"}])})
    problem(wrong, 400, "invalid", "/spec/datasets/0/role")


def test_export_import_export_gives_equal_bytes(server, done, tmp_path):
    server.post("/v1/notes", {"request_id": "n", "on": done, "text": "taken along"})
    server.post("/v1/tags", {"on": "tr_2", "add": ["odd"]})
    server.post("/v1/trials/tr_3/pin", {"pinned": True})
    first = server.ask("GET", f"/v1/sweeps/{done}/export").json
    elsewhere = Server(tmp_path / "elsewhere").start()
    try:
        own = elsewhere.submit(sweep_spec(name="own"))
        elsewhere.acquire(elsewhere.join())
        sweep = elsewhere.post("/v1/imports", {"request_id": "i", "export": first}, 201)["sweep"]
        assert sweep != own
        assert elsewhere.post("/v1/imports", {"request_id": "i", "export": first},
                              200)["sweep"] == sweep
        text = server.ask("GET", f"/v1/sweeps/{done}/export").body
        assert elsewhere.ask("GET", f"/v1/sweeps/{sweep}/export").body == text
        assert elsewhere.get(f"/v1/sweeps/{sweep}")["best"]["value"] == 33
        assert len(found(elsewhere, "run where metric.loss < 0.3")) == 1
        assert len(found(elsewhere, "trial where tag = odd")) == 1
        assert elsewhere.get(f"/v1/sweeps/{sweep}/replay")["same"]
        elsewhere.kill()
        elsewhere.start()
        assert elsewhere.ask("GET", f"/v1/sweeps/{sweep}/export").body == text
        broken = elsewhere.ask("GET", f"/v1/sweeps/{sweep}/export").json
        del broken["events"][3]
        problem(elsewhere.ask("POST", "/v1/imports", {"request_id": "b", "export": broken}), 400,
                "invalid")
        running = elsewhere.get(f"/v1/sweeps/{own}/export")
        problem(elsewhere.ask("POST", "/v1/imports", {"request_id": "r", "export": running}), 400,
                "invalid",
                words=["had not ended"])
    finally:
        assert elsewhere.stop() == 0, elsewhere.log_text()


def test_replay_proposes_and_decides_the_same_again(server):
    change = {"request_id": "e", "trials": 26, "widen": [{"name": "depth", "max": 12}]}
    sweep = play_edited(server, lambda sweep: server.post(f"/v1/sweeps/{sweep}/edit", change))
    result = server.get(f"/v1/sweeps/{sweep}/replay")
    assert result["same"] and result["proposals"] == 26 and result["verdicts"] > 26, result


def test_the_docs_name_every_field_of_a_filter():
    """Seven were missing; the refusal of the server lists them all."""
    code = (ROOT / "db" / "filter" / "kinds.cpp").read_text()
    fields = {}
    for kind, name in re.findall(r'Field\{(\w+), "(\w+)"', code):
        fields.setdefault(kind, set()).add(name)
    rows = re.findall(r"^\| (\w+) \| (`.*) \|$", (ROOT / "docs" / "knowledge.md").read_text(),
                      re.MULTILINE)
    named = {kind: set(re.findall(r"`(\w+)`", text.split(";")[0])) for kind, text in rows
             if kind in fields}
    assert named == {kind: names - {"id"} for kind, names in fields.items()}
