"""What the pages show: a server with real sweeps, whose runs this process trains by the workers' API."""

import hashlib
import importlib.util
import math
import os
import pathlib
import random
import sys

E2E = pathlib.Path(__file__).resolve().parents[1] / "e2e"


def load_e2e():
    """The servers of the end-to-end tests."""
    spec = importlib.util.spec_from_file_location("e2e_support", E2E / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["e2e_support"] = module
    spec.loader.exec_module(module)
    return module


e2e = load_e2e()


def start(folder, *extra):
    """A server whose leases outlive a slow test. HONE_DASHBOARD_DIR, for the dashboard's development: no build after
    a change of its files."""
    source = os.environ.get("HONE_DASHBOARD_DIR")
    more = ["--dashboard-dir", source] if source else []
    return e2e.Server(folder, "--lease", "600", *more, *extra).start()


PARAMETERS = {
    "learning_rate": {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"},
    "t_max": {"type": "int", "min": 2, "max": 100, "scale": "log"},
    "gamma": {"type": "choice", "values": [0.9, 0.95, 0.99, 0.995, 0.999]},
    "optimizer": {"type": "choice", "values": ["adam", "rmsprop", "sgd"]},
    "momentum": {"type": "float", "min": 0.0, "max": 0.99, "when": "optimizer == 'sgd'"},
    "normalize": {"type": "bool"},
}


def sweep_of(name="cartpole", trials=24, **changes):
    return e2e.sweep_spec(
        name=name,
        parameters=PARAMETERS,
        command=["python3", "train.py", "--lr", "${learning_rate}"],
        search={"method": "random", "trials": trials},
        **{
            "terminator": {"rule": "hypertrick", "eviction_rate": 0.25},
            "budget": {"unit": "frames", "per_run": 1_000_000, "phases": 10},
            **changes,
        },
    )


def value_of(params, phase, noise):
    """A learning curve: good near a learning rate of 1e-3 and a high gamma."""
    lr = math.log10(params["learning_rate"])
    skill = math.exp(-((lr + 3) ** 2)) * (0.5 + 0.5 * (params["gamma"] - 0.9) / 0.099)
    skill *= {"adam": 1.0, "rmsprop": 0.85, "sgd": 0.6}[params["optimizer"]]
    return round(500 * skill * (1 - math.exp(-(phase + 1) / 3)) + noise.gauss(0, 6), 3)


def train(server, sweep, worker, most=None, seed=1, diverge=0.03, fail=0.03, leave=0):
    """Runs what the server leases, some at a time, so that verdicts see other runs. Returns the grants that are
    left in progress."""
    noise = random.Random(seed)
    open_grants = []
    done = 0
    while most is None or done < most:
        while len(open_grants) < 6:
            grant = server.acquire(worker, cpus=1)
            if grant is None:
                break
            open_grants.append([grant, grant["next_phase"], grant["params"]])
        if not open_grants:
            break
        for entry in list(open_grants):
            grant, phase, params = entry
            draw = noise.random()
            if draw < fail / 10:
                server.end(
                    grant, "exit_code", 1, "exit status 1", "Traceback: a <b>bold</b> mistake\n"
                )
                open_grants.remove(entry)
                continue
            value = "diverged" if draw > 1 - diverge / 10 else value_of(params, phase, noise)
            verdict = server.report(grant, phase, value)["verdict"]
            server.post(
                f"/v1/leases/{grant['lease']}/metrics",
                {
                    "points": [
                        {"name": "loss", "step": 100_000 * (phase + 1), "value": 1 / (phase + 1)},
                        {
                            "name": "entropy",
                            "step": 100_000 * (phase + 1),
                            "value": 0.5 / (phase + 2),
                        },
                    ]
                },
            )
            entry[1] += 1
            done += 1
            if verdict != "continue":
                open_grants.remove(entry)
            elif entry[1] == 10:
                server.end(grant, log_tail="done\n")
                open_grants.remove(entry)
        if leave and server.get(f"/v1/sweeps/{sweep}")["phases"]["done"] >= leave:
            break
    return open_grants


def objectives_of(trials=14):
    return sweep_of(
        "two objectives",
        trials,
        objective=None,
        objectives=[
            {"metric": "return", "goal": "maximize"},
            {"metric": "latency_ms", "goal": "minimize"},
        ],
        terminator={"rule": "none"},
        budget={"unit": "frames", "per_run": 4000, "phases": 4},
    )


def train_objectives(server, worker, seed=6):
    """Returns of rising curves, and latencies that grow with them; one trial diverges, one fails."""
    noise = random.Random(seed)
    grant = server.acquire(worker)
    done = 0
    while grant is not None:
        latency = noise.uniform(1, 9) + value_of(grant["params"], 3, noise) / 40
        for phase in range(4):
            if done == 4 and phase == 2:
                server.end(grant, "exit_code", 1, "exit status 1", "Traceback: no memory\n")
                break
            value = value_of(grant["params"], phase, noise)
            body = {
                "phase": phase,
                "step": 1000 * (phase + 1),
                "value": "diverged" if done == 7 and phase == 1 else value,
                "further": [round(latency + phase / 10, 3)],
            }
            if server.post(f"/v1/leases/{grant['lease']}/reports", body)["verdict"] != "continue":
                break
        done += 1
        grant = server.acquire(worker)


# A choice with null, and a child that only one of its values has.
NULLS = {
    "learning_rate": {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"},
    "gamma": {"type": "choice", "values": [0.9, 0.99]},
    "optimizer": {"type": "choice", "values": ["adam", "sgd"]},
    "clip": {"type": "choice", "values": [None, 0.5, "norm"]},
    "momentum": {"type": "float", "min": 0.0, "max": 0.99, "when": "optimizer == 'sgd'"},
}


def nulls_of(trials=16):
    return {**sweep_of("with null", trials, limits={"max_retries": 0}), "parameters": NULLS}


def population_of(**changes):
    """A population whose learning rate may change when a run is resumed."""
    return e2e.sweep_spec(
        **{
            "name": "population",
            "parameters": {
                "learning_rate": {"type": "float", "min": 1e-4, "max": 1e-1, "scale": "log"},
                "width": {"type": "choice", "values": [32, 64]},
            },
            "command": {
                "run": ["python3", "train.py", "--lr", "${learning_rate}", "--width", "${width}"],
                "may_change": ["learning_rate"],
            },
            "search": {"method": "pbt", "population": 4, "quantile": 0.5},
            "terminator": None,
            "budget": {"unit": "frames", "per_run": 5000, "phases": 5},
            **changes,
        }
    )


def save_checkpoint(server, grant, phase):
    data = f"{grant['attempt']} {phase}".encode()
    digest = hashlib.sha256(data).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", data).status in (200, 201, 204)
    step = grant["budget"]["per_run"] * (phase + 1) // grant["budget"]["phases"]
    body = {"sha256": digest, "bytes": len(data), "step": step, "phase": phase}
    return server.post(f"/v1/leases/{grant['lease']}/models", body)["model"]


def train_population(server, worker, seed=5, most=None):
    """Trains what the server leases, one phase after another, with checkpoints."""
    noise = random.Random(seed)
    grant = server.acquire(worker)
    done = 0
    while grant is not None and (most is None or done < most):
        skill = -abs(math.log10(grant["params"]["learning_rate"]) + 2.5)
        for phase in range(grant["next_phase"], 5):
            save_checkpoint(server, grant, phase)
            value = 100 * (phase + 1) + 40 * skill + noise.gauss(0, 4)
            verdict = server.report(grant, phase, round(value, 3))["verdict"]
            done += 1
            if verdict != "continue":
                break
        grant = server.acquire(worker)


def addresses(filled):
    """Every page: its address, and an element that is there when the page is complete."""
    sweep, best = f"#/sweeps/{filled.ended}", filled.best()
    return {
        "sweeps": ("#/", "tbody tr"),
        "overview": (sweep, "[data-card=best] tbody tr"),
        "trials": (f"{sweep}/trials", "tr.row"),
        "curves": (f"{sweep}/curves", "[data-card=curves] canvas[data-drawn]"),
        "phases": (f"{sweep}/phases", "[data-card=flow] canvas[data-drawn]"),
        "parameters": (f"{sweep}/parameters", "[data-card=parallel] canvas[data-drawn]"),
        "pareto": (f"{sweep}/pareto", "[data-card=pareto] canvas[data-drawn]"),
        "confirm": (f"#/sweeps/{filled.seeds}/confirm", "[data-card=confirm] canvas[data-drawn]"),
        "timeline": (f"{sweep}/timeline", "[data-card=timeline] canvas[data-drawn]"),
        "sweep-events": (f"{sweep}/events", "[data-card=replay] canvas[data-drawn]"),
        "compare": (f"{sweep}/compare", "[data-card=compare] canvas[data-drawn]"),
        "compare-trials": (
            f"#/compare/{','.join(filled.leaders())}",
            "[data-card=compare] canvas[data-drawn]",
        ),
        "trial": (f"#/trials/{best['id']}", "[data-card=band] canvas[data-drawn]"),
        "run": (f"#/runs/{best['run']}", "[data-card=curve] canvas[data-drawn]"),
        "population": (
            f"#/sweeps/{filled.population}/population",
            "[data-card=places] canvas[data-drawn]",
        ),
        "clone": (f"{sweep}/clone", "[data-card=plan] dl.pairs"),
        "lineage": (f"#/lineage/{best['id']}", "[data-card=lineage] canvas[data-drawn]"),
        "workers": ("#/workers", "[data-card=timeline] canvas[data-drawn]"),
        "worker": (f"#/workers/{filled.worker}", "[data-card=slots] canvas[data-drawn]"),
        "events": ("#/events", "tbody tr"),
    }
