"""Six changes of a data folder by another program, T1 to T6: each is detected, and named as a change.

T6 changes ledger and tables alike: the seed at which the confirmed winner failed becomes a success.
"""
import json
import statistics
import struct

import pytest

from commands import hone, ok
from conftest import sweep_spec
from test_db import health, health_with, link_anew, tamper

SEEDS = (500, 300, 490, 480)  # of the winner's confirmation
FORGED = 485


@pytest.fixture
def folder(server):
    """A data folder with a tuned and confirmed sweep; the links that its user kept."""
    server.submit(sweep_spec(search={"method": "random", "trials": 2},
                             terminator={"rule": "median", "min_runs": 1, "grace": 1}))
    worker = server.join()

    def run(value):
        grant = server.acquire(worker)
        for phase in range(4):
            if server.report(grant, phase, value * (phase + 1) / 4)["verdict"] == "stop":
                return

    run(490), run(100)
    ok("confirm", "sw_1", "--start", "--top", "1", "--seeds", "4", server=server)
    for value in SEEDS:
        run(value)
    kept = [ok("events", "--head", server=server).strip(),
            server.get("/v1/sweeps/sw_1/confirm")["ledger"]]
    export = server.folder.parent / "kept.json"
    export.write_text(ok("export", "sw_2", "--format", "json", server=server))
    assert server.stop() == 0
    server.start(), server.stop()  # leaves a sound folder
    return server, [*kept, str(export)]


def in_ledger(kind, change, where=""):
    return (f"UPDATE event SET body = {change} WHERE seq = (SELECT max(seq) FROM event"
            f" WHERE kind = '{kind}' {where})")


def report_becomes(value, trial, replicate, phase=3):
    return in_ledger("report_recorded", f"json_set(body, '$.value', {value})",
                     f"AND json_extract(body, '$.run') = 'rn_{trial}.{replicate}'"
                     f" AND json_extract(body, '$.phase') = {phase}")


def iqm(values):
    ordered, cut = sorted(values), len(values) // 4
    return statistics.fmean(ordered[cut:len(ordered) - cut])


AFTER = [FORGED if value == min(SEEDS) else value for value in SEEDS]
CHANGES = {
    "T1 table report": ["UPDATE report SET value = 480 WHERE trial = 3 AND replicate = 1"
                        " AND phase = 3"],
    "T2 report in the ledger": [report_becomes(480, 2, 0, 1)],
    "T3 last reports of the confirmation in the ledger": [
        report_becomes(480, 3, replicate) for replicate in range(4)],
    "T4 best value in the tables": ["UPDATE trial SET best_cost = -510, cost = -510 WHERE id = 1",
                                    "UPDATE run SET best_cost = -510 WHERE trial = 1"],
    "T5 inputs of a verdict in the ledger": [
        in_ledger("verdict_given", "json_set(body, '$.inputs.median', 10)",
                  "AND json_extract(body, '$.run') = 'rn_2.0'")],
    "T6 ledger and tables alike": [
        report_becomes(FORGED, 3, 1),
        f"UPDATE report SET value = {FORGED} WHERE trial = 3 AND replicate = 1 AND phase = 3",
        "UPDATE curve SET points = CAST(substr(points, 1, length(points) - 4) ||"
        f" x'{struct.pack('<f', FORGED).hex()}' AS BLOB) WHERE trial = 3 AND replicate = 1",
        f"UPDATE run SET cost = -{FORGED}, best_cost = -{FORGED} WHERE trial = 3 AND replicate = 1",
        f"UPDATE trial SET cost = -{iqm(AFTER)} WHERE id = 3",
        f"UPDATE trial SET confirmed_cost = -{iqm(AFTER)} WHERE id = 1"],
}


def failures(findings):
    return {name: one["detail"] for name, one in findings.items() if one["health"] == "fail"}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_detected_and_named(folder, change):
    server, _ = folder
    assert failures(health(server.folder)) == {}
    tamper(server.folder, *CHANGES[change])
    (server.folder / "book.snapshot").unlink(missing_ok=True)
    broken = failures(health(server.folder, expect=1))
    in_tables = change[:2] in ("T1", "T4")
    assert ("query tables" if in_tables else "links") in broken, broken
    assert all("hone's mistake" not in detail for detail in broken.values()), broken
    assert any("changed" in detail for detail in broken.values()), broken
    if not in_tables:
        with pytest.raises(AssertionError):  # its log says why
            server.start()
        server.process = None
        assert "was changed" in server.log_text()


def test_who_also_forges_the_links_is_detected_by_each_link_that_was_kept(folder):
    server, kept = folder
    tamper(server.folder, *CHANGES["T6 ledger and tables alike"])
    link_anew(server.folder)
    (server.folder / "book.snapshot").unlink(missing_ok=True)
    # The folder fits itself: what is kept elsewhere is the only evidence.
    assert failures(health(server.folder)) == {}
    for link in kept:
        found = failures(health_with(server.folder, link, expect=1))
        assert "was changed" in found["kept link"], (link, found)
    server.start()
    assert server.get("/v1/sweeps/sw_1/confirm")["items"][0]["iqm"] == iqm(AFTER) != iqm(SEEDS)


@pytest.mark.parametrize("change", ["T2 report in the ledger",
                                    "T5 inputs of a verdict in the ledger"])
def test_explain_decides_again_from_the_reports(folder, change):
    server, _ = folder
    tamper(server.folder, *CHANGES[change])
    link_anew(server.folder)
    (server.folder / "book.snapshot").unlink(missing_ok=True)
    server.start()
    done = hone("explain", "rn_2.0", "--recompute", server=server)
    assert done.returncode == 1, done.stdout + done.stderr
    replayed = hone("replay", "sw_1", "--format", "json", server=server)
    assert json.loads(replayed.stdout)["same"] is False
