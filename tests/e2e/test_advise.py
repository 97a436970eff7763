"""`hone plan --advise` against a real server."""
import json
import math

from commands import hone, ok, write_spec
from conftest import sweep_spec

PHASES = 8


def space(**changes):
    return {
        "trainer": {"name": "ga3c", "env": "CartPole-v1"}, "command": None,
        "parameters": {"agents": {"type": "choice", "values": [1, 2, 4]}},
        "search": {"method": "grid", "trials": 3}, "terminator": {"rule": "none"},
        "budget": {"unit": "frames", "per_run": 8000, "phases": PHASES}, **changes}


def spec_of(**changes):
    return sweep_spec(**space(**changes))


def trained(server, count, **changes):
    sweep = server.submit(spec_of(search={"method": "random", "trials": count}, **changes))
    worker = server.join()
    for _ in range(count):
        grant = server.acquire(worker)
        for phase in range(PHASES):
            server.report(grant, phase, 500 * (1 - math.exp(-(phase + 1) / 3)))
        server.end(grant, "budget_reached")
    return sweep


def rows_of(file, *words, server):
    return json.loads(ok("advise", file, *words, "--format", "json", server=server))


def test_an_empty_history_names_the_command_that_gathers_evidence(server, tmp_path):
    file = write_spec(tmp_path, **space())
    done = hone("advise", file, "--target", "475", server=server)
    assert done.returncode == 0 and "no run on CartPole-v1" in done.stderr
    assert "--experiment" in done.stderr


def test_an_experiment_is_a_sweep_over_the_number_of_agents(server, tmp_path):
    file = write_spec(tmp_path, **space(
        parameters={"gamma": {"type": "float", "min": 0.9, "max": 0.99}}))
    out = tmp_path / "sizes.json"
    ok("advise", file, "--experiment", out, server=server)
    written = json.loads(out.read_text())
    assert written["parameters"]["agents"]["values"] == [1, 2, 4]
    assert "nothing is submitted" in ok("plan", out, server=server)


def test_the_history_answers_with_its_evidence(server, tmp_path):
    trained(server, 12)
    file = write_spec(tmp_path, **space())
    [row] = rows_of(file, "--target", "400", server=server)
    assert row["trainer"] == "ga3c" and row["runs"] == 12 and set(row["sizes"]) <= {1, 2, 4}
    assert row["agents"] in {*row["sizes"], 2 * max(row["sizes"])} and row["why"] is None
    assert row["curve_error"] >= 1 and row["seconds"] > 0 and 0 < row["units"] <= 16000
    table = ok("advise", file, "--target", "400", server=server)
    assert all(len(line) <= 80 for line in table.splitlines()) and "ga3c" in table


def test_a_target_that_no_run_reached_is_not_answered(server, tmp_path):
    trained(server, 3)
    done = hone("advise", write_spec(tmp_path, **space()), "--target", "600", server=server)
    assert done.returncode == 0 and "no run of the history has reached it" in done.stderr


FLOAT = {"gamma": {"type": "float", "min": 0.9, "max": 0.99}}


def test_a_run_without_a_number_of_agents_has_the_default_one(server, tmp_path):
    trained(server, 3, parameters=FLOAT)
    trained(server, 3, parameters=FLOAT,
            trainer={"name": "ga3c", "env": "CartPole-v1", "agents": 4})
    file = write_spec(tmp_path, **space())
    [row] = rows_of(file, "--target", "400", server=server)
    assert row["sizes"] == [1, 4]


def test_runs_that_change_their_number_of_agents_are_left_out_and_counted(server, tmp_path):
    trained(server, 3, parameters=FLOAT,
            trainer={"name": "ga3c", "env": "CartPole-v1", "dynamic": "yes"})
    done = hone("advise", write_spec(tmp_path, **space()), "--target", "400", server=server)
    assert "3 runs left out" in done.stderr and "no run on CartPole-v1" in done.stderr


def test_runs_of_another_environment_or_objective_do_not_count(server, tmp_path):
    trained(server, 3)
    file = write_spec(tmp_path, **space(trainer={"name": "ga3c", "env": "Acrobot-v1"}))
    assert rows_of(file, "--target", "400", server=server) == []


def test_a_question_needs_a_target_or_a_time(server, tmp_path):
    file = write_spec(tmp_path, **space())
    for words in ([], ["--target", "1", "--within", "5m"], ["--within", "soon"]):
        done = hone("advise", file, *words, server=server)
        assert done.returncode == 2 and "--within" in done.stderr
