"""The routes behind the pages: their numbers equal those of the routes that exist without them."""

import json
import math
import struct
import subprocess
import time

import pytest

import world


def decoded(column):
    if isinstance(column, list):
        return column
    return [None if code is None else column["words"][code] for code in column["codes"]]


def all_items(server, path):
    items, after = [], None
    while True:
        mark = "&" if "?" in path else "?"
        page = server.get(path + (f"{mark}after={after}" if after else ""))
        items += page["items"]
        after = page["next"]
        if not after:
            return items


def read_matrix(server, sweep, query=""):
    body = server.ask("GET", f"/v1/sweeps/{sweep}/curves/matrix{query}").body
    (length,) = struct.unpack("<I", body[:4])
    header = json.loads(body[4 : 4 + length])
    assert (4 + length) % 8 == 0
    cells = struct.unpack(f"<{header['rows'] * header['points']}f", body[4 + length :])
    return header, cells


def test_columns_hold_the_values_of_the_trials(filled):
    server = filled.server
    for sweep in (filled.ended, filled.seeds, filled.running):
        trials = all_items(server, f"/v1/sweeps/{sweep}/trials?limit=10")
        answer = server.get(f"/v1/sweeps/{sweep}/columns")
        columns = {name: decoded(one) for name, one in answer["columns"].items()}
        assert answer["rows"] == len(trials) and answer["complete"]
        assert [f"tr_{one}" for one in columns["trial"]] == [one["id"] for one in trials]
        for name in ("number", "state", "reason", "value", "phase"):
            assert columns[name] == [one[name] for one in trials], name
        assert columns["seeds"] == [one["runs"] for one in trials]
        for name in ("learning_rate", "optimizer", "normalize", "momentum"):
            assert columns[f"params.{name}"] == [one["params"].get(name) for one in trials]


def test_columns_after_an_event_hold_only_what_changed(filled):
    server = filled.server
    before = server.get(f"/v1/sweeps/{filled.ended}/columns?fields=trial")
    trial = before["columns"]["trial"][3]
    changed = f"/v1/sweeps/{filled.ended}/columns?fields=trial&after={before['seq']}"
    assert server.get(changed)["rows"] == 0
    server.post(f"/v1/trials/tr_{trial}/pin", {"pinned": True})
    answer = server.get(changed + "")
    assert answer["columns"]["trial"] == [trial] and not answer["complete"]
    assert answer["seq"] > before["seq"]


def test_columns_of_a_filter_are_those_that_find_returns(filled):
    server = filled.server
    where = "value%20%3E%20100%20and%20params.optimizer%20%3D%20adam"
    trials = server.get(f"/v1/sweeps/{filled.ended}/trials?limit=1000&where={where}")["items"]
    answer = server.get(f"/v1/sweeps/{filled.ended}/columns?fields=trial&where={where}")
    assert 0 < len(trials) < 24
    assert [f"tr_{one}" for one in answer["columns"]["trial"]] == [one["id"] for one in trials]


def check_matrix(server, sweep):
    """The matrix against the reports of each run: equal as 32-bit numbers. Returns its body without the ledger's number."""
    curves = all_items(server, f"/v1/sweeps/{sweep}/curves?limit=1000")
    header, cells = read_matrix(server, sweep)
    points = header["points"]
    assert header["phases"] == points and header["rows"] == len(curves)
    for row, run in enumerate(curves):
        assert f"rn_{header['trial'][row]}.{header['replicate'][row]}" == run["run"]
        values = {point["phase"]: point["value"] for point in run["curve"]}
        expected = [values.get(phase, math.nan) for phase in range(points)]
        expected = [math.inf if value == "diverged" else value for value in expected]
        own = cells[row * points : (row + 1) * points]
        assert struct.pack(f"<{points}f", *own) == struct.pack(f"<{points}f", *expected)
    header.pop("seq")
    return header, struct.pack(f"<{len(cells)}f", *cells)


def test_matrix_holds_every_report(filled):
    for sweep in (filled.ended, filled.seeds, filled.population, filled.running):
        check_matrix(filled.server, sweep)


def test_matrix_is_the_same_on_a_standby_in_a_backup_and_after_an_import(filled, tmp_path):
    primary = filled.server
    sweeps = (filled.ended, filled.seeds, filled.population, filled.running)
    matrices = {sweep: check_matrix(primary, sweep) for sweep in sweeps}
    standby = world.start(tmp_path / "standby", f"--follow=http://127.0.0.1:{primary.port}")
    newest = primary.get("/v1/ledger")["seq"]
    for _ in range(600):
        answer = standby.ask("GET", "/v1/ledger")
        if answer.status == 200 and answer.json["seq"] >= newest:
            break
        time.sleep(0.1)
    backup = tmp_path / "backup"
    hone = world.e2e.program("hone")
    subprocess.run([hone, "db", "backup", backup, "--data", primary.folder], check=True)
    restored = world.start(backup)
    for server in (standby, restored):
        for sweep in sweeps:
            assert check_matrix(server, sweep) == matrices[sweep]
    document = primary.get(f"/v1/sweeps/{filled.population}/export")
    imported = restored.post("/v1/imports", {"request_id": "moved", "export": document})["sweep"]
    assert check_matrix(restored, imported)[1] == matrices[filled.population][1]
    assert standby.stop() == 0 and restored.stop() == 0


def test_matrix_of_fewer_points_keeps_the_last_report_of_each(filled):
    header, cells = read_matrix(filled.server, filled.ended, "?points=5")
    whole, all_cells = read_matrix(filled.server, filled.ended)
    assert header["points"] == 5 and header["phases"] == 10
    for row in range(header["rows"]):
        for k in range(5):
            pair = all_cells[row * 10 + 2 * k : row * 10 + 2 * k + 2]
            want = pair[0] if math.isnan(pair[1]) else pair[1]
            have = cells[row * 5 + k]
            assert have == want or (math.isnan(have) and math.isnan(want))
    assert whole["seq"] == header["seq"]


def test_phases_count_the_verdicts(filled):
    server = filled.server
    curves = all_items(server, f"/v1/sweeps/{filled.ended}/curves?limit=1000")
    items = server.get(f"/v1/sweeps/{filled.ended}/phases")["items"]
    words = {"continue": "continued", "stop": "stopped", "pause": "paused"}
    counts = [
        {"reports": 0, "continued": 0, "stopped": 0, "paused": 0, "completed": 0} for _ in items
    ]
    for run in curves:
        for point in server.get(f"/v1/runs/{run['run']}/curve")["items"]:
            counts[point["phase"]]["reports"] += 1
            if point["verdict"]:
                last = point["reason"] == "last_phase"
                counts[point["phase"]]["completed" if last else words[point["verdict"]]] += 1
    assert [{name: one[name] for name in counts[0]} for one in items] == counts
    assert sum(one["stopped"] for one in items) > 0


def test_summary_adds_up(filled):
    server = filled.server
    summary = server.get(f"/v1/sweeps/{filled.ended}/summary")
    sweep = server.get(f"/v1/sweeps/{filled.ended}")
    assert summary["runs"] == sweep["runs"] and summary["best"] == sweep["best"]
    by_state = {}
    for one in summary["ends"]:
        by_state[one["state"]] = by_state.get(one["state"], 0) + one["runs"]
    assert by_state == {state: n for state, n in sweep["runs"].items() if n}
    runs = all_items(server, f"/v1/sweeps/{filled.ended}/runs?limit=1000")
    assert summary["units"]["trained"] == sum(run["step"] for run in runs)
    stopped = [run for run in runs if run["state"] == "stopped"]
    assert summary["units"]["not_trained"] == sum(1_000_000 - run["step"] for run in stopped)


def test_history_ends_at_the_best_value(filled):
    server = filled.server
    leader = server.get(f"/v1/sweeps/{filled.ended}")["best"]["value"]
    trials = all_items(server, f"/v1/sweeps/{filled.ended}/trials?limit=1000")
    report = max(trial["best_report"] for trial in trials if trial["best_report"] is not None)
    for by, best in (("trial", leader), ("time", report), ("spent", report)):
        history = server.get(f"/v1/sweeps/{filled.ended}/history?by={by}")
        values = [point["value"] for point in history["points"]]
        assert values == sorted(set(values)) and values[-1] == best, by
        assert history["improvements"] == len(values)
    assert history["end"] == server.get(f"/v1/sweeps/{filled.ended}/summary")["units"]["trained"]


def test_timeline_has_every_attempt(filled):
    server = filled.server
    answer = server.get(f"/v1/timeline?sweep={filled.ended}&pixels=10000")
    merged = sum(one["attempts"] for one in answer["busy"])
    runs = all_items(server, f"/v1/sweeps/{filled.ended}/runs?limit=1000")
    assert len(answer["items"]) + merged == sum(run["attempts"] for run in runs)
    assert not answer["truncated"]
    few = server.get(f"/v1/timeline?sweep={filled.ended}&pixels=10")
    assert len(few["items"]) + sum(one["attempts"] for one in few["busy"]) == sum(
        run["attempts"] for run in runs
    )


def test_a_digest_stream_names_sweeps_and_reports(filled):
    server = filled.server
    start = server.get("/v1/me")["seq"]
    connection = server.connect()
    connection.request(
        "GET",
        f"/v1/events?digest=100ms&after={start}",
        headers={"Accept": "text/event-stream"},
    )
    response = connection.getresponse()
    grant = filled.grants[0][0]
    phase = filled.grants[0][1]
    filled.grants[0][1] += 1
    server.report(grant, phase, 321.5)
    frame = None
    while frame is None or not frame["reports"]:
        line = response.readline().decode()
        if line.startswith("data: "):
            frame = json.loads(line[6:])
    connection.close()
    run = grant["attempt"].split("#")[0]
    assert [run, phase, 321.5] in frame["reports"]
    assert frame["sweeps"] == [filled.running] and not frame["resync"]
    assert frame["seq"] > start


BAD = [
    ("/v1/sweeps/sw_999/summary", 404, ""),
    ("/v1/sweeps/sw_999/columns", 404, ""),
    ("/v1/sweeps/sw_1/columns?fields=nonsense", 400, "/fields"),
    ("/v1/sweeps/sw_1/columns?fields=params.none", 400, "/fields"),
    ("/v1/sweeps/sw_1/columns?after=-1", 400, "/after"),
    ("/v1/sweeps/sw_1/columns?where=%3D%3D", 400, None),
    ("/v1/sweeps/sw_1/history?by=luck", 400, "/by"),
    ("/v1/sweeps/sw_1/history?points=1", 400, "/points"),
    ("/v1/sweeps/sw_1/curves/matrix?points=0", 400, "/points"),
    ("/v1/timeline?from=9&to=3", 400, "/to"),
    ("/v1/timeline?pixels=1", 400, "/pixels"),
    ("/v1/timeline?from=99999999999999999", 400, "/from"),
    ("/v1/events?digest=soon", 400, "/digest"),
    ("/v1/events?digest=1ms", 400, "/digest"),
]


@pytest.mark.parametrize("path, status, at", BAD)
def test_bad_requests_are_refused(path, status, at, filled):
    answer = filled.server.ask("GET", path)
    assert answer.status == status, answer
    assert at is None or answer.json["at"] == at, answer


def test_static_files_have_their_headers(filled):
    page = filled.server.ask("GET", "/")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["cache-control"] == "no-cache"
    assert filled.server.ask("POST", "/", b"").status == 405
    for bad in ("/ui/none/app.js", "/ui/dev/../hone.db", "/ui/dev/%2e%2e/hone.db", "/ui/"):
        assert filled.server.ask("GET", bad).status == 404, bad


def test_columns_sum_the_steps_of_trials_that_lie_between_those_of_other_sweeps(tmp_path):
    server = world.start(tmp_path / "data")
    rule = {"rule": "none"}
    sweeps = [server.submit(world.sweep_of(f"sweep {i}", 6, terminator=rule)) for i in range(4)]
    worker = server.join(cpus=64)
    grants = [server.acquire(worker) for _ in range(24)]
    for at, grant in enumerate(grants):
        for phase in range(at % 3):
            server.report(grant, phase, 1.0)
    for sweep in sweeps:
        runs = server.get(f"/v1/sweeps/{sweep}/runs?limit=100")["items"]
        columns = server.get(f"/v1/sweeps/{sweep}/columns?fields=trial,steps")["columns"]
        trials = [int(one["trial"].split("_")[1]) for one in runs]
        assert max(trials) - min(trials) >= 2 * len(trials), trials
        assert columns["trial"] == trials
        assert columns["steps"] == [one["step"] for one in runs]
    assert server.stop() == 0
