"""hone as an optimizer without workers, over HTTP: ask, tell, enqueue, several objectives."""
import concurrent.futures
import time

from conftest import problem, sweep_spec


def asked_spec(**changes):
    return sweep_spec(command=None, budget=None, trainer={"name": "ask"}, **changes)


def ask(server, sweep, asker="ada"):
    return server.post(f"/v1/sweeps/{sweep}/ask", {"asker": asker})


def tell(server, trial, **result):
    return server.post(f"/v1/trials/{trial['trial']}/tell", result)


def test_an_optimization_from_first_ask_to_last_tell(server):
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 5}))
    seen = set()
    for _ in range(5):
        trial = ask(server, sweep)
        seen.add(trial["trial"])
        assert tell(server, trial, value=-abs(trial["params"]["depth"] - 3)) == {
            "verdict": "stop", "reason": "last_phase", "inputs": {}}
    assert len(seen) == 5
    one = server.get(f"/v1/sweeps/{sweep}")
    assert one["state"] == "completed" and one["runs"]["completed"] == 5
    problem(server.ask("POST", f"/v1/sweeps/{sweep}/ask", {"asker": "ada"}), 409, "conflict",
            words=["ended"])


def test_an_answer_that_got_lost_is_asked_for_again(server):
    """The server is killed between ask and tell, and between a tell and its repetition."""
    sweep = server.submit(asked_spec())
    trial = ask(server, sweep)
    server.kill()
    server.start()
    assert ask(server, sweep) == trial
    verdict = tell(server, trial, value=1.0)
    server.kill()
    server.start()
    assert tell(server, trial, value=1.0) == verdict
    problem(server.ask("POST", f"/v1/trials/{trial['trial']}/tell", {"value": 2.0}), 409,
            "conflict")
    assert ask(server, sweep)["trial"] != trial["trial"]


def test_another_value_for_a_told_phase_is_refused(server):
    """It was not recorded, and the trial, which had phases left, was said to be over."""
    sweep = server.submit({**asked_spec(), "budget": {"unit": "steps", "per_run": 3, "phases": 3}})
    trial = ask(server, sweep)
    verdict = tell(server, trial, value=0.5, step=1)
    assert verdict["verdict"] == "continue"
    other = server.ask("POST", f"/v1/trials/{trial['trial']}/tell", {"value": 0.6, "phase": 0})
    problem(other, 409, "conflict", "/phase", ["phase 1", "0.5"])
    assert tell(server, trial, value=0.5, phase=0) == verdict
    assert tell(server, trial, value=0.6, step=2)["verdict"] == "continue"


def test_several_askers_have_a_trial_each_and_a_bound(server):
    sweep = server.submit(asked_spec(search={"method": "random", "trials": 3}))
    trials = {asker: ask(server, sweep, asker)["trial"] for asker in ("ada", "bob", "eve")}
    assert len(set(trials.values())) == 3
    problem(server.ask("POST", f"/v1/sweeps/{sweep}/ask", {"asker": "joe"}), 409, "conflict",
            words=["nothing to ask"])
    assert server.acquire(server.join()) is None


def test_a_trial_in_phases_is_stopped_early(server):
    spec = sweep_spec(command=None, trainer={"name": "ask"}, search={"method": "random",
                                                                     "trials": 8},
                      terminator={"rule": "hypertrick", "eviction_rate": 0.25})
    sweep = server.submit(spec)
    trials = [ask(server, sweep, f"asker{i}") for i in range(8)]
    verdicts = [tell(server, trial, value=8.0 - i, step=250) for i, trial in enumerate(trials)]
    stopped = [trial for trial, verdict in zip(trials, verdicts) if verdict["verdict"] == "stop"]
    assert stopped and "HyperTrick evicted it" in server.get(
        f"/v1/trials/{stopped[0]['trial']}/explain")["text"]
    again = ask(server, sweep, "asker0")
    assert again["trial"] == trials[0]["trial"] and again["next_phase"] == 1


def test_enqueued_parameters_come_first_and_are_checked(server):
    sweep = server.submit(asked_spec())
    path = f"/v1/sweeps/{sweep}/enqueue"
    assert server.post(path,
                       {"request_id": "1", "params": {"lr": 1e-3, "depth": 2}}) == {"waiting": 1}
    assert server.post(path, {"request_id": "2", "params": {"depth": 7}}) == {"waiting": 2}
    problem(server.ask("POST", path, {"request_id": "3", "params": {"dpth": 7}}), 400, "invalid",
            "/params/dpth",
            ["did you mean", "depth"])
    problem(server.ask("POST", path, {"request_id": "3", "params": {"depth": 9}}), 400, "invalid",
            "/params/depth")
    assert ask(server, sweep, "a")["params"] == {"lr": 1e-3, "depth": 2}
    assert ask(server, sweep, "b")["params"]["depth"] == 7


def test_the_front_of_two_objectives(server):
    spec = asked_spec(objective=None, objectives=[{"metric": "return", "goal": "maximize"},
                                                  {"metric": "joules", "goal": "minimize"}])
    sweep = server.submit(spec)
    for value, joules in ((10, 5), (8, 2), (8, 3), (1, 9)):
        tell(server, ask(server, sweep), value=value, further=[joules])
    front = server.get(f"/v1/sweeps/{sweep}/pareto")
    assert [item["values"] for item in front["items"]] == [{"return": 10.0, "joules": 5.0},
                                                           {"return": 8.0, "joules": 2.0}]
    assert front["completed"] == 4 and front["front"] == 2


def test_a_waiting_worker_gets_what_is_enqueued(server):
    """With method external no trial exists until a client enqueues one: a long poll then returns
    at once."""
    sweep = server.submit(sweep_spec(search={"method": "external", "trials": 3}))
    worker = server.join()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(server.acquire, worker, 20.0)
        assert not concurrent.futures.wait([waiting], timeout=0.5).done
        began = time.monotonic()
        server.post(f"/v1/sweeps/{sweep}/enqueue", {"request_id": "1", "params": {"depth": 5}})
        assert waiting.result()["params"]["depth"] == 5
    assert time.monotonic() - began < 5
