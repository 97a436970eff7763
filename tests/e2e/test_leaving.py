"""A hone-worker that gets SIGTERM: what becomes of its runs, and of its requests for work."""
import time

from conftest import sweep_spec
from test_worker import check_curves, place, runs_of, sweep_ended, wait_for  # noqa: F401


def test_a_stopped_worker_hands_its_runs_back(server, place):
    """SIGTERM: the run is queued again at once, not when its lease would have expired; no retry is
    used up."""
    sweep = server.submit(sweep_spec(command=place.command(0.5),
                                     search={"method": "random", "trials": 1},
                                     limits={"max_retries": 0}))
    first = place.worker(server, name="first", slots=1)
    run, = wait_for(lambda: [r for r in runs_of(server, sweep) if r["phase"] >= 1])
    assert first.stop() == 0
    attempt, = server.get(f"/v1/runs/{run['id']}/attempts")["items"]
    assert attempt["end_reason"] == "requeue_requested"
    place.worker(server, name="second", slots=1)
    assert wait_for(sweep_ended(server, sweep))["state"] == "completed"
    check_curves(server, sweep, 4)


def test_a_stopped_worker_does_not_get_its_run_back(server, place):
    """Its free slot waits for a run while it returns one: the run goes to the other worker, and is
    not lost with the first one."""
    sweep = server.submit(sweep_spec(command=place.command(0.5),
                                     search={"method": "random", "trials": 1},
                                     limits={"max_retries": 0}))
    first = place.worker(server, name="first")
    run, = wait_for(lambda: [r for r in runs_of(server, sweep) if r["phase"] >= 1])
    place.worker(server, name="second").ready()
    assert first.stop() == 0
    assert wait_for(sweep_ended(server, sweep))["state"] == "completed"
    attempts = server.get(f"/v1/runs/{run['id']}/attempts")["items"]
    assert {one["end_reason"] for one in attempts[:-1]} == {"requeue_requested"}
    assert [one["worker"] for one in attempts][-1] == "wk_2"
    check_curves(server, sweep, 4)


def test_a_worker_that_left_holds_no_run(server, place):
    """The worker leaves while it waits for work: the next run must not be reserved for it."""
    first = place.worker(server, name="first")
    first.ready()
    time.sleep(0.5)  # its poll is parked at the server now; nothing shows it
    assert first.stop() == 0
    sweep = server.submit(sweep_spec(command=place.command(), search={"method": "random",
                                                                      "trials": 1},
                                     limits={"max_retries": 0}))
    place.worker(server, name="second")
    assert wait_for(sweep_ended(server, sweep), seconds=10)["state"] == "completed"
