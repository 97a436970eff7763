"""`hone curve --forecast` against a real server."""
import json
import math
import re

from commands import hone, ok
from conftest import sweep_spec

PHASES = 20


def value_at(phase):
    return 100 - 80 * math.exp(-(phase + 1) / 6)


def reported(server, phases):
    """A sweep of one run that reports so often, and ends if that is all of its budget."""
    sweep = server.submit(sweep_spec(
        terminator={"rule": "none"}, search={"method": "random", "trials": 1},
        budget={"unit": "frames", "per_run": 1000, "phases": PHASES}))
    grant = server.acquire(server.join())
    for phase in range(phases):
        server.report(grant, phase, value_at(phase))
    if phases == PHASES:
        server.end(grant, "budget_reached")
    return sweep


def test_a_complete_run_is_forecast_from_its_half_and_compared_with_the_truth(server):
    sweep = reported(server, PHASES)
    [row] = json.loads(ok("forecast", sweep, "--format", "json", server=server))
    assert row["reports"] == 10 and row["value"] == value_at(PHASES - 1) and row["error"] < 0.02
    note = hone("forecast", sweep, server=server).stderr
    assert "1 complete run, forecast from the first 50 % of the reports" in note


def test_a_run_that_trains_is_forecast_and_one_with_few_reports_is_refused(server):
    [row] = json.loads(ok("forecast", reported(server, 12), "--format", "json", server=server))
    assert row["value"] is None and abs(row["forecast"] - value_at(PHASES - 1)) < 1
    reported(server, 7)
    refused = hone("forecast", "rn_2.0", server=server)
    assert refused.returncode != 0 and "fewer than 8 reports" in refused.stderr


def test_the_metric_of_the_server_is_the_error_that_the_command_shows(server):
    sweep = reported(server, PHASES)
    [row] = json.loads(ok("forecast", sweep, "--format", "json", server=server))
    text = server.ask("GET", "/metrics").body.decode()
    assert 'hone_forecasts_scored{kind="run_value"} 1' in text, text
    [value] = re.findall(r'^hone_forecast_error\{kind="run_value"\} (\S+)$', text, re.M)
    assert math.isclose(float(value), row["error"], rel_tol=1e-9)
