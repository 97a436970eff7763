"""`hone bench load`: its figures agree with the server's ledger."""
import json

from commands import hone


def test_a_short_load_is_measured(tmp_path):
    done = hone("bench", "load", "--clients", "2", "--connections", "3", "--duration", "500ms",
                "--folder", str(tmp_path),
                "--format", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["errors"] == 0 and result["connections"] == 6
    assert result["trials_per_s"] > 0
    operations = result["operations"]
    asked, told = operations["ask"]["count"], operations["tell"]["count"]
    assert asked - 6 <= told <= asked
    assert operations["report"]["count"] >= 5 * operations["tell"]["count"]
    assert result["server"]["commands_per_commit"] >= 1 and result["disk"]["fsyncs_per_s"] > 0
    assert list(tmp_path.iterdir()) == []  # its server and its folder are gone


def test_a_running_server_is_measured_and_keeps_what_it_was_told(server, tmp_path):
    done = hone("bench", "load", "--clients", "1", "--connections", "2", "--duration", "300ms",
                "--server", f"http://127.0.0.1:{server.port}",
                "--format", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    told = result["operations"]["tell"]["count"]
    sweep = server.get("/v1/sweeps")["items"][0]
    assert sweep["runs"]["completed"] == told and told > 0


def test_workers_beat_and_report(tmp_path):
    done = hone("bench", "load", "--workers", "20", "--clients", "2", "--ramp", "200ms", "--period",
                "200ms", "--duration",
                "1s", "--folder", str(tmp_path), "--format", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["errors"] == 0 and result["leases"] == 20
    assert result["operations"]["join"]["count"] == 20
    assert result["operations"]["beat"]["count"] > 20
    assert result["operations"]["report"]["count"] > 20


def test_reports_are_measured_at_each_number_of_connections(tmp_path):
    done = hone("bench", "load", "--reports", "1,3", "--duration", "200ms", "--folder",
                str(tmp_path), "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["reports"]
    assert [row["connections"] for row in rows] == [1, 3]
    assert all(row["errors"] == 0 and row["operations"]["report"]["count"] > 0 for row in rows)


def test_wrong_words_are_refused():
    for words in (["--duration", "soon"], ["--reports", "1,x"], ["--folder", "/nowhere"]):
        assert hone("bench", "load", *words).returncode == 2, words
