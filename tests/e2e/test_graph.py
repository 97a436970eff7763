"""`hone graph`: graphs by name and file, placements, traces, and the errors of bad graphs."""
import json

import pytest

from commands import hone, ok


def described(*words):
    return json.loads(ok("graph", *words, "--format", "json"))


def test_a_name_gives_totals_groups_and_bounds():
    graph = described("inception-v3")
    assert (graph["nodes"], graph["edges"], graph["groups"]["chain"]) == (121, 155, 62)
    assert graph["critical_path_ms"] <= graph["lower_bound_ms"] <= graph["one_device_ms"]
    names = [row["name"] for row in json.loads(ok("graph", "--format", "json"))]
    assert {"resnet-50", "resnet-101", "rnnlm", "nmt", "transformer"} <= set(names)


def test_an_exported_graph_is_the_same_graph(tmp_path):
    file = tmp_path / "graph.json"
    first = described("rnnlm", "--export", file)
    again = described(file)
    assert first["digest"] == again["digest"]
    assert first["one_device_ms"] == again["one_device_ms"]


def test_a_placement_is_written_traced_and_read_back(tmp_path):
    placed, trace = tmp_path / "placed.json", tmp_path / "trace.json"
    first = described("inception-v3", "--devices", "4", "--place", "m-etf", "--trace", trace,
                      "--out", placed)
    assert first["step_ms"] == pytest.approx(217.2, rel=0.01)
    again = described("inception-v3", "--devices", "4", "--place", placed)
    assert again["step_ms"] == first["step_ms"]
    events = json.loads(trace.read_text())["traceEvents"]
    assert max(e["ts"] + e["dur"] for e in events
               if e["ph"] == "X") == pytest.approx(1000 * first["step_ms"])


def test_a_step_that_nothing_can_beat_is_called_so():
    told = described("resnet-50", "--devices", "4", "--place", "m-etf", "--prove")
    assert told["optimal"].startswith("yes")
    told = described("resnet-50", "--devices", "4", "--place", "expert", "--prove")
    assert told["optimal"] == "not decided"
    assert "--prove needs --place" in hone("graph", "resnet-50", "--prove").stderr


def test_every_baseline_stands_in_one_table():
    rows = json.loads(ok("graph", "resnet-50", "--place", "all", "--format", "json"))
    assert [row["method"] for row in rows] == [
        "single", "expert", "random", "mincut", "scotch", "metis", "m-topo", "m-etf", "m-sct"]


def test_dot_names_every_node_and_edge():
    text = ok("graph", "resnet-50", "--dot", "--place", "expert", "--group", "op")
    assert text.startswith('digraph "resnet-50"') and text.count("->") == 88 and text.count(
        "label=") == 73


NODES = '[{"name":"a","forward_ms":1},{"name":"b","forward_ms":1}]'


@pytest.mark.parametrize("text, expected", [
    ('{"nodes":%s,"edges":[["a","b",1],["b","a",1]]}' % NODES, ["cycle", "a -> b -> a"]),
    ('{"nodes":%s,"edges":[["a","c",1]]}' % NODES, ["'c'", "/edges/0"]),
    ('{"nodes":%s,"edges":[["a","b",-1]]}' % NODES, ["negative", "/edges/0"]),
    ('{"nodes":[{"name":"a","forward_ms":-1}],"edges":[]}', ["negative", "'a'", "/nodes/0"]),
    ('{"nodes":[{"name":"a","forward_ms":1,"shapes":[[3,-4]]}],"edges":[]}',
     ["dimension of -4", "/nodes/0/shapes/0/1"]),
    ('{"nodes":[{"name":"a","forward_ms":NaN}],"edges":[]}', ["byte"]),
    ('{"nodes":[{"name":"a","stored_bytes":1e12}],"edges":[]}', ["'a'", "fits no device"]),
    ("node1 -- Conv -- forward_compute_time=nan, backward_compute_time=1", ["line 1", "nan"]),
    ("hello", ["line 1"]),
])
def test_a_bad_graph_is_refused_with_its_place(tmp_path, text, expected):
    file = tmp_path / "bad.json"
    file.write_text(text)
    done = hone("graph", file)
    assert done.returncode == 2
    for part in expected:
        assert part in done.stderr
    assert done.stderr.count("(at ") <= 1, "the place was printed twice"


def test_a_published_planner_file_names_edges_by_id(tmp_path):
    """Its nodes have a name, which repeats, and an id."""
    nodes = [{"id": number, "name": name, "supportedOnFpga": 1, "cpuLatency": 2, "fpgaLatency": 1,
              "size": 8} for number, name in ((7, "MatMul"), (8, "MatMul"), (9, "Softmax"))]
    file = tmp_path / "planner.json"
    file.write_text(json.dumps({
        "maxFPGAs": 3, "maxCPUs": 8, "maxSizePerFPGA": 1000, "nodes": nodes,
        "edges": [{"sourceId": 7, "destId": 8, "cost": 1}, {"sourceId": 8, "destId": 9,
                                                            "cost": 1}]}))
    graph = described(file)
    assert (graph["nodes"], graph["edges"]) == (3, 2)
    ok("graph", file, "--export", tmp_path / "again.json")
    again = json.loads((tmp_path / "again.json").read_text())
    assert [node["name"] for node in again["nodes"]] == ["MatMul", "MatMul #8", "Softmax"]
    assert len(again["edges"]) == 2


@pytest.mark.parametrize("heads, given, devices", [
    ({"maxFPGAs": 12, "maxCPUs": 8}, (), 20),
    ({"maxFPGAs": 12, "maxCPUs": 8}, ("--devices", "3"), 11),
    ({"numAccelerators": 4, "numCpus": 1}, ("--cpus", "0"), 4),
    ({}, (), 2),
])
def test_a_planner_file_says_for_how_many_devices_it_plans(tmp_path, heads, given, devices):
    """Its limit of memory was taken and its devices were not: 9 of the 24 published files were
    refused, as what needs 12 devices does not fit 2."""
    file = tmp_path / "planner.json"
    nodes = [{"id": number, "cpuLatency": 2, "fpgaLatency": 1, "size": 8} for number in (1, 2)]
    file.write_text(json.dumps({**heads, "maxSizePerFPGA": 8, "nodes": nodes, "edges": []}))
    for path in (file, tmp_path / "again.json"):
        graph = json.loads(ok("graph", path, *given, "--export", tmp_path / "again.json",
                              "--format", "json"))
        assert graph["devices"] == devices


def test_a_place_in_a_file_is_told_once(tmp_path):
    file = tmp_path / "bad.json"
    file.write_text('{"maxFPGAs": 2.5, "nodes": [], "edges": []}')
    told = hone("graph", file).stderr
    assert told.count("(at /devices)") == 1 and "a whole number from 0 to 64" in told


def test_an_unknown_name_hears_the_known_ones():
    done = hone("graph", "resnet-5")
    assert done.returncode != 0 and "resnet-50" in done.stderr
