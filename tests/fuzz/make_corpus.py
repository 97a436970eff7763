#!/usr/bin/env python3
"""Writes what the fuzz targets start from, a folder for each: the cases and examples of the
repository, and what fuzzing has found worth keeping (corpus/TARGET.jsonl: an input a line, its
bytes as the letters of a JSON string).

make_corpus.py FOLDER
  make_corpus.py --pack TARGET FOLDER    packs a sample of FOLDER into corpus/TARGET.jsonl
"""
import base64
import hashlib
import json
import math
import pathlib
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOUND = pathlib.Path(__file__).parent / "corpus"
CORPUS = pathlib.Path(sys.argv[-1])
BYTES_MAX = 16_000  # a fuzzer learns more from many small files; most examples are below it
PACKED_BYTES_MAX = 25_000  # of a target in the repository


def keep(target: str, text: str):
    if len(text) > BYTES_MAX:
        return
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(text.encode()).hexdigest()[:12]).write_text(text)


def cases(name: str):
    for line in (ROOT / "schemas" / "cases" / name).read_text().splitlines():
        line = line.strip().rstrip(",")
        if line.startswith("{"):
            yield json.loads(line)


def sweep_files():
    for file in sorted((ROOT / "sdk" / "examples").glob("*.yaml")):
        keep("sweep_file", file.read_text())
    for case in cases("sweep.json"):
        keep("sweep_file", json.dumps(case["value"]))


def cluster_files():
    setups = [{"servers": [{"count": 2, "gpus": 2, "cpus": 4}]},
              {"rule": "fixed", "interval": 60, "preempts": True, "restart": 5,
               "servers": [{"cpus": 4}, {"gpus": 2, "cpus": 2}],
               "jobs": {"count": 5, "workers": [1, 2], "parameter_servers": False,
                        "length": {"median_s": 100, "sigma": 0.5}},
               "trace": {"format": "philly", "file": "a.csv", "jobs": 10}},
              {"rule": "parameter_servers", "servers": [{"count": 3, "cpus": 6}],
               "types": [{"name": "a", "compute_s": 1, "model_mb": 10, "loads": {"cpu": 0.5}}],
               "exchange": {"samples": 3, "noise": 0.1}, "policies": ["optimus", {"harmony": "m"}]},
              {"rule": "measured", "interval": 60, "preempts": True, "restart": 5,
               "servers": [{"count": 2, "gpus": 4, "cpus": 4}],
               "trace": {"format": "pollux", "file": "a.csv", "profiles": "b",
                         "limits": {"a": {"samples_max": 8, "workers_max": 2}}}}]
    rows = ["timestamp,duration,num_gpu\n0,100,1\n2017-10-03 11:34:53,50.5,2\n",
            "LM\trun\t--steps\t1\t800\t60.0\t2\n",
            # All columns of a profile and of its trace.
            "placement,local_bsz,step_time,sync_time,num_nodes,num_replicas,progress,grad_sqr,"
            "grad_var,time,application,batch_size\n"
            "1,4,1.5,0.1,1,1,10,1,2,0,a,8\n24,8,2.5,1.1,6,12,20,0.5,2,30,a,8\n"]
    for setup in setups:
        keep("cluster_file", json.dumps(setup))
        for trace in rows:
            keep("cluster_file", json.dumps(setup) + "\n---\n" + trace)


def bodies():
    for name in ("requests.json", "replies.json", "sweep.json"):
        for case in cases(name):
            kind = "spec" if case["schema"] == "sweep" else case["schema"]
            keep("body", f"{kind}\n{json.dumps(case['value'])}")
    seen = set()
    for line in (ROOT / "tests" / "golden" / "ledger_v1.jsonl").read_text().splitlines():
        event = json.loads(line)
        if event["kind"] not in seen:
            keep("body", f"{event['kind']}\n{json.dumps(event['body'])}")
        seen.add(event["kind"])


def targets():
    reads = ["/healthz", "/metrics", "/v1/sweeps?limit=3", "/v1/sweeps/sw_1",
             "/v1/sweeps/sw_1/trials?sort=value",
             "/v1/sweeps/sw_1/best", "/v1/sweeps/sw_1/curves", "/v1/sweeps/sw_1/importance",
             "/v1/sweeps/sw_1/pareto",
             "/v1/sweeps/sw_1/incumbent", "/v1/trials/tr_1", "/v1/trials/tr_1/runs",
             "/v1/runs/rn_1.0",
             "/v1/runs/rn_1.0/curve", "/v1/runs/rn_1.0/attempts",
             "/v1/runs/rn_1.0/metrics?name=loss",
             "/v1/runs/rn_1.0/explain", "/v1/models?run=rn_1.0", "/v1/models/md_1",
             "/v1/lineage/md_1?direction=up",
             "/v1/workers", "/v1/events?after=3", "/v1/workflows/wf_1", "/v1/datasets/ds_1",
             "/v1/runs/rn_1%2E0"]
    for path in reads:
        keep("target", f"GET {path}\n")
    writes = {"submit": "/v1/sweeps", "steer": "/v1/sweeps/sw_1/steer", "join": "/v1/workers",
              "acquire": "/v1/leases",
              "report": "/v1/leases/le_1/reports", "save_model": "/v1/leases/le_1/models",
              "save_artifact": "/v1/leases/le_1/artifacts",
              "metrics": "/v1/leases/le_1/metrics", "end": "/v1/leases/le_1/end",
              "beat": "/v1/workers/wk_1/beat",
              "ask": "/v1/sweeps/sw_1/ask", "tell": "/v1/trials/tr_1/tell",
              "enqueue": "/v1/sweeps/sw_1/enqueue"}
    for case in cases("requests.json"):
        if case["schema"] in writes:
            keep("target", f"POST {writes[case['schema']]}\n{json.dumps(case['value'])}")


def collections():
    command = "python3 'train.py' --lr ${lr:-0.1} $${x}"
    pattern = r"step (?<step>\d+).*score: (?P<score>[-+.e\d]+)"
    rows = [(100 * i, 0.5 * i, 1 / i) for i in range(1, 12)]
    keep("collect",
         f"{command}\n{pattern}\n0101\nstep,score,loss\n" + "".join(f"{a},{b},{c}\n" for a, b,
                                                                    c in rows))
    keep("collect", f"{command}\n{pattern}\n3112\n" + "".join(f"{a}, \"{b}\" , {c}\n" for a, b,
                                                              c in rows))
    keep("collect", f"{command}\n{pattern}\n1103\n" + "".join(
        json.dumps({"step": a, "score": b, "loss": c}) + "\n" for a, b, c in rows))
    keep("collect", f"{command}\n{pattern}\n2104\n" + "".join(f"[{c}] step {a} score: {b}\n" for a,
                                                              b, c in rows))


def trial_lines():
    for case in cases("trial.json"):
        text = json.dumps(case["value"])
        keep("trial_line", text + "\n")
        keep("trial_line", f"@hone {text}\n")


def curve_tables():
    card = {"goal": "maximize", "checkpoints": 2, "source": "made up",
            "parameters": {"lr": {"type": "float", "min": 1e-5, "max": 1, "scale": "log"},
                           "act": {"type": "choice", "values": ["relu", "tanh"]}}}
    rows = ["lr,act,seed,v1,v2", "0.1,relu,1,0.5,0.7", "0.1,relu,2,0.4,", '0.001,"tanh",1,0.1,0.2']
    keep("curve_table", json.dumps(card) + "\n---\n" + "\n".join(rows) + "\n")
    timed = [row + times for row, times in zip(rows, [",s1,s2", ",1,2", ",1.5,2.5", ",1,3"])]
    keep("curve_table", json.dumps(card) + "\n---\n" + "\r\n".join(timed) + "\r\n")


def event_files():
    golden = re.findall('"([A-Za-z0-9+/=]{40,})"', (
        ROOT / "tests" / "unit" / "base" / "event_file_test.cpp").read_text())
    file = base64.b64decode("".join(golden[1:]))
    folder = CORPUS / "event_file"
    folder.mkdir(parents=True, exist_ok=True)
    for size in (1, 7, 63):
        (folder / f"golden-{size}").write_bytes(bytes([size]) + file)
    (folder / "message").write_bytes(bytes([1]) + file[52:52 + 28])


def imports():
    formats = ("wandb", "katib", "nni", "optuna", "ray", "hydra", "determined")
    for file in sorted((ROOT / "tests" / "data" / "import").iterdir()):
        name = next((one for one in formats if one in file.name), None)
        if name and "hone" not in file.name:
            keep("import", f"{name}\n{file.read_text()}")


def filters():
    for text in (
        "model where metric.return > 450 and params.gamma >= 0.99 and workflow.commit = 3487c*",
        "run where state = failed and (worker.host = 'node 3' or not detail ~ oom) and ended > -1d",
        "trial where params.\"batch size\" in (32, 64) and tag != draft and pinned",
        "sweep where spec.search.method = tpe and submitted >= 2026-11-21T10:04:05Z",
        "attempt where run = rn_42.0 or id = rn_42.0#2",
        "not not ((a.b.c))",
    ):
        keep("filter", text)


def expressions():
    for text in ("x > 0.5", "name == 'relu' and n in [1, 2, 3]",
                 "not flag or -x ** 2 / (n % 2) >= 1e-3",
                 "min(x, n) < max(1, 2.5)", "((x))", "log(x) < 0", "n != 3 and (x <= 1 or flag)",
                 "'a' + 1"):
        keep("expression", text)


def commands():
    scripts = {
        "life": [1, 1, 0, 3, 0, 17, 0, 1, 2, 0, 8, 2, 5, 0] + [2, 1, 0, 3, 0, 0, 200, 6, 0, 1, 1, 3,
                                                               0, 1, 160, 7, 0, 5, 0] * 8,
        "promotion": [1, 1, 0, 3, 3, 17, 0, 1, 7, 2, 5, 0] + [2, 1, 0, 3, 0, 0, 200, 2, 2, 0, 3, 1,
                                                              0, 90, 11, 40] * 10,
        "seeds": [1, 1, 0, 0, 1, 3, 0, 7, 4, 1, 128, 2, 1, 1] + [2, 1, 0, 3, 0, 0, 200, 3, 1, 0, 90,
                                                                 2, 2, 0, 4, 2, 1, 160, 7, 3, 4,
                                                                 0] * 10,
        "asked": [0, 1, 1, 9, 0, 0, 4, 2, 0, 0] + [9, 0, 0, 10, 0, 0, 80, 9, 1, 0, 10, 1, 1,
                                                   2] * 10,
    }
    for name, script in scripts.items():
        (CORPUS / "commands").mkdir(parents=True, exist_ok=True)
        (CORPUS / "commands" / name).write_bytes(bytes(script))
    for number in range(12):
        stream = b"".join(hashlib.sha256(f"{number} {block}".encode()).digest()
                          for block in range(40))
        (CORPUS / "commands" / f"noise-{number}").write_bytes(stream)


def pasts():
    (CORPUS / "past").mkdir(parents=True, exist_ok=True)
    (CORPUS / "past" / "unchanged").write_bytes(bytes(4))
    for number in range(40):
        stream = hashlib.sha256(f"past {number}".encode()).digest()
        (CORPUS / "past" / f"noise-{number}").write_bytes(stream)


def ledger_pages():
    rows, page, count = [], "", 0
    for line in (ROOT / "tests" / "golden" / "ledger_v1.jsonl").read_text().splitlines():
        event = json.loads(line)
        body = json.dumps(event["body"])
        sweep = re.search(r'"sweep": "sw_(\d+)"', body)
        rows.append(f"{event['kind']} {sweep.group(1) if sweep else '-'} {body}\n")
        if len(page) + len(body) < BYTES_MAX - 300 and count == event["seq"] - 1:
            count = event["seq"]
            page += f"{count} {event['at']} {event['kind']} - {len(body.encode())} -\n{body}\n"
    for start in (0, 4, 30, 90):  # the later ones contradict themselves
        end = start
        while end < len(rows) and sum(map(len, rows[start:end + 1])) < BYTES_MAX - 100:
            end += 1
        keep("ledger_page", "events\n" + "".join(rows[start:end]))
    head = {"hone": "1.2", "term": 3, "newest": count, "sync": True, "gap": False,
            "feed": {"life": "f", "next": 12}, "events": count, "points": 2}
    points = "1 0 5 0.5 7 loss\n2 1 9007199254740993 -1e-300 7 a name\n"
    keep("ledger_page", f"page 0\n{json.dumps(head)}\n{page}{points}")
    keep("ledger_page", f"page 9\n{json.dumps({**head, 'events': 0, 'points': 2})}\n{points}")
    keep("ledger_page", "pull\n" + json.dumps(
        {"after": 5, "link": "a" * 64, "standby": "b" * 64, "url": "http://b:1", "term": 2,
         "wait_ms": 250, "feed": {"life": "f", "next": 77}}))


def connections():
    def one(line, fields="", body=""):
        return f"{line} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n{body}"

    stop, chunked = '{"verb": "stop"}', "Transfer-Encoding: chunked\r\n"
    length = f"Content-Length: {len(stop)}\r\n"
    steer = "POST /v1/sweeps/sw_1/steer"
    abc = "/v1/blobs/" + hashlib.sha256(b"abc").hexdigest()
    texts = [one("GET /v1/version"), one("HEAD /v1/sweeps?limit=3") + one("GET /readyz"),
             one("GET /healthz", "Connection: close\r\n"), "GET /healthz HTTP/1.0\r\n\r\n",
             one("GET /v1/events", "Accept: text/event-stream\r\nLast-Event-ID: 0\r\n"),
             one(steer, length, stop) + one("GET /v1/nowhere"),
             one(steer, length + "Expect: 100-continue\r\nX-Request-Id: a\r\n", stop),
             one(steer, chunked, f"8\r\n{stop[:8]}\r\n8;a=b\r\n{stop[8:]}\r\n0\r\nX: 1\r\n\r\n"),
             one(f"PUT {abc}", "Content-Length: 3\r\n", "abc") + one(f"GET {abc}"),
             one(f"PUT {abc}", chunked, "3\r\nabd\r\n0\r\n\r\n") + one(f"HEAD {abc}"),
             one("POST /v1/workers/wk_1/log?lease=le_1&offset=0", "Content-Length: 3\r\n", "log"),
             one("GET http://127.0.0.1:7777/v1/sweeps", "Origin: http://127.0.0.1:7777\r\n"),
             one("OPTIONS /v1/sweeps", "Authorization: Bearer hone_0\r\nHone-Term: 1.a\r\n")]
    for text in texts:
        for pause in (0, 100):
            keep("http", chr(pause) + text)


def model_files():
    def kept(header, state, data=b""):
        folder = CORPUS / "model_file"
        folder.mkdir(parents=True, exist_ok=True)
        text = b"\n".join([json.dumps(header).encode(), json.dumps(state).encode(), data])
        (folder / hashlib.sha256(text).hexdigest()[:12]).write_bytes(text)

    def tensors(shapes):
        """The entries of the header for tensors of zeros, and their bytes."""
        entries, end = {}, 0
        for name, (dtype, shape) in shapes.items():
            begin, end = end, end + math.prod(shape) * (4 if dtype == "F32" else 8)
            entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
        return entries, bytes(end)

    def model(env, inner, actions, policy="categorical", more=None, layers=None):
        state = {"env": env, "inputs": inner, "hidden": 2, "layers": 1, "actions": actions,
                 "policy": policy, "activation": "tanh", "frames": 4, "trained_frames": 4,
                 "updates": 1, "episodes": 0, "agents": 1, "network": "mlp", "planes": [0, 0, 0],
                 "optimizer": "rmsprop", "staff": {"agents": 1, "predictors": 1, "trainers": 1,
                                                   "moves": 0}, **(more or {})}
        heads = {"policy.weight": [actions, 2], "value.weight": [1, 2], "policy.bias": [actions],
                 "value.bias": [1]}
        if policy == "gaussian":
            heads["log_deviation.bias"] = [actions]
        parts = layers or {"hidden.weight": [2, inner]}
        parts = {**parts, "hidden.bias": [2], **heads}
        shapes = {prefix + name: ("F32", shape) for prefix in ("", "rmsprop.")
                  for name, shape in parts.items()}
        shapes.update({"last_returns": ("F64", [0]), "last_lengths": ("F64", [0]),
                       "reward_scale": ("F64", [3])})
        for name in ("environments", "streams"):
            shapes["agent.0." + name] = ("U64", [4])
        for name in ("running_returns", "running_lengths", "discounted_returns"):
            shapes["agent.0." + name] = ("F64", [1])
        entries, data = tensors(shapes)
        kept({**entries, "__metadata__": {"format": "hone-ga3c-1"}}, state, data)

    model("CartPole-v1", 4, 2)
    model("Pendulum-v1", 3, 1, "gaussian")
    model("MinAtar-breakout", 400, 6, more={"network": "minatar", "planes": [10, 10, 4]},
          layers={"conv.weight": [16, 3, 3, 4], "conv.bias": [16], "hidden.weight": [2, 1024]})
    for frames in (0, 3):  # of the first lane; a word of the second marks a step that may be drawn
        entries, data = tensors({"replay.lanes": ("U64", [8]), "replay.frames": ("U64", [frames]),
                                 "replay.marks": ("U64", [frames // 3]),
                                 "replay.actions": ("F32", [frames]),
                                 "replay.rewards": ("F32", [frames]), "replay.index": ("U64", [0])})
        lanes = struct.pack("<8Q", frames, frames, min(frames, 2), min(frames, 1), 0, 0, 0, 0)
        kept(entries, {}, lanes + data[len(lanes):])


def graphs():
    nodes = [{"name": "a", "forward_ms": 1, "backward_ms": 2, "out_bytes": 1e6, "weights": [0]},
             {"name": "b", "flop": 1e9, "kernels": 2, "color": 1, "shapes": [[2, 3]]},
             {"name": "c", "cpu_ms": 3, "accelerator": False, "color": 1, "tables": [0],
              "row_bytes": 8}]
    graph = {"name": "g", "batch": 2, "training": True, "nodes": nodes,
             "weights": [{"name": "w", "bytes": 1e6}],
             "edges": [{"from": "a", "to": "b", "bytes": 5}, {"from": "b", "to": "c",
                                                             "transfer_ms": 1}]}
    for placed in ({"a": 0, "b": 2, "c": 2}, {"a": 1}):
        keep("graph", json.dumps(graph) + "\n---\n" + json.dumps({"placement": placed}))
    plan = {"maxSizePerFPGA": 1e10, "maxFPGAs": 2, "maxCPUs": 1,
            "nodes": [[0, 1, 2.0, 1.0, 0, 0, 100], [1, 1, 2.0, 1.5, 0, 0, 100]],
            "edges": [[0, 1, 0.5]]}
    keep("graph", json.dumps(plan))
    profile = "forward_compute_time={0}, backward_compute_time={0}, activation_size={1}"
    profile += ", parameter_size=8"
    keep("graph", f"node1 -- Conv2d(3, 4) -- {profile.format('1.5', '[10.0; 20.0]')}\n"
                  f"node2 -- ReLU() -- {profile.format('0.5', '30')}\n\tnode1 -- node2\n")


def journals():
    uniform = json.dumps({"name": "FloatDistribution",
                          "attributes": {"low": 0.0, "high": 1.0, "step": None, "log": False}})
    lines = [{"op_code": 0, "worker_id": "w", "study_name": "s", "directions": [1, 2]},
             {"op_code": 4, "study_id": 0, "datetime_start": "2026-11-21T10:04:05.123456"},
             {"op_code": 5, "trial_id": 0, "param_name": "x", "param_value_internal": 0.5,
              "distribution": uniform},
             {"op_code": 7, "trial_id": 0, "step": 3, "intermediate_value": 1.5},
             {"op_code": 7, "trial_id": 0, "step": 1, "intermediate_value": math.nan},
             {"op_code": 8, "trial_id": 0, "user_attr": {"a": 1}},
             {"op_code": 6, "trial_id": 0, "state": 1, "values": [0.5, math.inf],
              "datetime_complete": "2026-11-21T10:05:05+01:00"},
             {"op_code": 4, "study_id": 0, "state": 2, "value": 1, "params": {"x": 0.25},
              "distributions": {"x": uniform}, "intermediate_values": {"2": 0.5, "1": 0.25}},
             {"op_code": 1, "study_id": 0}, {"op_code": 10}]
    for count in (3, 7, 8, 9, 10):
        keep("optuna_journal", "".join(json.dumps(line) + "\n" for line in lines[:count]))


def words():
    """What libFuzzer inserts (-dict): the words of the schemas, and ends of ranges."""
    text = "".join(file.read_text() for file in sorted((ROOT / "schemas").rglob("*.json")))
    quoted = sorted(set(re.findall(r'"[A-Za-z0-9_.:/-]{2,24}"', text)))
    ends = ["null", "true", "1e308", "-1e-308", "9007199254740993", "18446744073709551616", "[{"]
    lines = [word.replace('"', '\\"') for word in quoted] + ends
    (CORPUS / "words.dict").write_text("".join(f'"{line}"\n' for line in lines))


def found():
    for packed in FOUND.glob("*.jsonl"):
        folder = CORPUS / packed.stem
        folder.mkdir(parents=True, exist_ok=True)
        for number, line in enumerate(packed.read_text().splitlines()):
            (folder / f"found-{number}").write_bytes(json.loads(line).encode("latin-1"))


def pack(target: str):
    every = sorted((file.read_bytes() for file in CORPUS.iterdir()),
                   key=lambda input: (len(input), input))
    stride = 1
    while sum(len(input) for input in every[::stride]) > PACKED_BYTES_MAX:
        stride += 1
    inputs = every[::stride]  # of all lengths
    lines = (json.dumps(input.decode("latin-1")) + "\n" for input in inputs)
    (FOUND / f"{target}.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    if sys.argv[1] == "--pack":
        sys.exit(pack(sys.argv[2]))
    for make in (sweep_files, cluster_files, bodies, targets, trial_lines, collections,
                 curve_tables,
                 event_files, imports,
                 expressions, filters,
                 commands, pasts, ledger_pages, connections, model_files, graphs, journals,
                 words, found):
        make()
