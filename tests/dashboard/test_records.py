"""Pages of what a sweep has besides its curves: several objectives, evaluations of its models, failures."""

import hashlib
import json
import random

import world


def wait_for_text(page, selector, text):
    """Each card asks for its own data: another one may be complete earlier."""
    page.wait(f"document.querySelector({selector!r}).innerText.includes({text!r})")


def rows_of(page, selector):
    found = page.wait(
        f"JSON.stringify([...document.querySelectorAll({selector!r})]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText))).replace(/^\\[\\]$/, '')"
    )
    return json.loads(found)


def test_the_front_of_several_objectives_is_that_of_the_route(tmp_path, pages):
    server = world.start(tmp_path / "data")
    goals = [{"metric": "return", "goal": "maximize"}, {"metric": "cost", "goal": "minimize"}]
    spec = world.sweep_of(
        "two goals", 20, objective=None, objectives=goals, terminator={"rule": "none"}
    )
    spec["budget"] = {"unit": "frames", "per_run": 1000, "phases": 1}
    sweep = server.submit(spec)
    worker, noise = server.join(cpus=4), random.Random(1)
    for _ in range(20):
        grant = server.acquire(worker)
        value = noise.random()
        body = {"phase": 0, "step": 1000, "value": value, "further": [value**2 + noise.random()]}
        server.post(f"/v1/leases/{grant['lease']}/reports", body)
    front = server.get(f"/v1/sweeps/{sweep}/pareto?limit=1000")
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/pareto")
    shown = rows_of(page, "table[aria-label='Pareto front'] tbody tr")
    assert [row[0] for row in shown] == [one["id"] for one in front["items"]]
    assert [float(row[2]) for row in shown] == [
        float(f"{one['values']['cost']:.4g}") for one in front["items"]
    ]
    wait_for_text(page, "main", f"{front['front']} trials of 20 completed")
    assert server.stop() == 0


def test_evaluations_of_models_are_on_the_pages_of_run_and_trial(tmp_path, pages):
    server = world.start(tmp_path / "data")
    server.submit(world.sweep_of("evaluated", 2))
    grant = server.acquire(server.join(cpus=2))
    data = b"a model"
    digest = hashlib.sha256(data).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", data).status in (200, 201, 204)
    saved = {"sha256": digest, "bytes": len(data), "step": 100_000, "phase": 0}
    model = server.post(f"/v1/leases/{grant['lease']}/models", saved)["model"]
    server.report(grant, 0, 12.5)
    evaluation = server.post(
        f"/v1/models/{model}/evaluations",
        {
            "request_id": "e1",
            "metric": "greedy return",
            "values": [10, 12.5, 15],
            "environment": "CartPole-v1",
            "seed": 3,
            "sample": False,
        },
    )["evaluation"]
    run = grant["attempt"].split("#")[0]
    trial = run.split(".")[0].replace("rn_", "tr_")
    page = pages(f"http://127.0.0.1:{server.port}/#/runs/{run}")
    for address in (f"#/runs/{run}", f"#/trials/{trial}"):
        page.go(address)
        (row,) = rows_of(page, "[data-card=evaluations] tbody tr")
        assert row[:4] == [evaluation, model, "greedy return", "12.5"]
        assert row[5:8] == ["10 to 15", "3", "CartPole-v1, seed 3, greedy actions"]
    page.go(f"#/lineage/{evaluation}")
    page.wait("document.querySelector('[data-card=lineage] canvas[data-drawn]')")
    wait_for_text(page, "main", model)
    assert server.stop() == 0


def test_a_sweep_whose_runs_all_failed_has_no_empty_promise(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = server.submit(world.sweep_of("all fail", 3))
    worker = server.join(cpus=4)
    for _ in range(3):
        server.end(server.acquire(worker), "exit_code", 1, "exit status 1", "no module named x\n")
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}")
    wait_for_text(page, "[data-card=ends]", "failed: exit code (user error)")
    wait_for_text(page, "[data-card=best]", "No trial reported")
    wait_for_text(page, "[data-card=failed]", "no module named x")
    run = server.get(f"/v1/sweeps/{sweep}/runs")["items"][0]["id"]
    page.go(f"#/runs/{run}")
    wait_for_text(page, "[data-card=why]", "no module named x")
    assert server.stop() == 0
