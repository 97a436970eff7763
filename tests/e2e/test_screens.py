"""The screens at 80 and 140 columns, compared with those in screens/.

test_screens.py --write  writes them again; read the difference before you commit it.
"""
import pathlib
import re
import sys
import tempfile

import pytest

from commands import ok
from conftest import Server, sweep_spec

SCREENS = pathlib.Path(__file__).parent / "screens"
WIDTHS = (80, 140)
COMMANDS = {
    "ls": ("ls",), "show": ("show", "sw_1"), "show_run": ("show", "rn_2.0"),
    "watch": ("watch", "sw_1"), "trials": ("trials", "sw_1"), "runs": ("runs", "sw_1"),
    "best": ("best", "sw_1"), "best_confirmed": ("best", "sw_2"), "confirm": ("confirm", "sw_2"),
    "explain_trial": ("explain", "tr_2"), "compare": ("compare", "sw_1", "sw_2"),
    "curve": ("curve", "rn_2.0"), "curve_trial": ("curve", "tr_2"),
    "curve_metric": ("curve", "rn_1.0", "rn_2.0", "--metric", "loss"),
    "export": ("export", "sw_2", "--metrics", "--columns",
               "run,trial,phase,step,value,metrics,learning_rate"),
}


def fill(server):
    """Two sweeps and a confirmation whose every number is given."""
    worker = server.join(cpus=1)
    for number, seeds in enumerate((2, 1), start=1):
        server.submit(sweep_spec(
            name=f"cartpole-{number}", replicates={"seeds": seeds},
            search={"method": "grid", "trials": 4},
            parameters={"learning_rate": {"type": "choice", "values": [1e-4, 1e-2]},
                        "activation": {"type": "choice", "values": ["relu", "tanh"]}},
            command=["python3", "train.py", "${learning_rate}", "${activation}"]))
        for trial in range(4 * seeds):
            grant = server.acquire(worker)
            points = [{"name": "loss", "step": step, "value": 1000 / (step + 100 * (trial + 1))}
                      for step in range(0, 1001, 50)]
            server.post(f"/v1/leases/{grant['lease']}/metrics", {"points": points})
            for phase in range(grant["budget"]["phases"]):
                server.report(grant, phase, 10 * number + 3 * trial * (phase + 1) / 7)
    server.post("/v1/sweeps/sw_2/confirm", {"request_id": "confirm", "top": 2, "seeds": 4}, 201)
    for run in range(8):
        grant = server.acquire(worker)
        for phase in range(grant["budget"]["phases"]):
            server.report(grant, phase, 20 + (run % 2) * 5 + run * (phase + 1) / 7)


def screen(server, words, width):
    """What stays the same: ages and times become words."""
    text = ok(*words, server=server, COLUMNS=str(width), LC_ALL="C.UTF-8")
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|[\d-]{10}T[\d:.]+Z", "TIME", text)
    text = re.sub(r"\(?\b(just now|(\d+[dhms]\d*[hms]?|\d+\.\d+s)( ago)?)\b\)?", "AGE", text)
    # Whether a sweep of less than a second worked all of it depends on the machine.
    text = text.replace("AGE of work in AGE", "AGE")
    return re.sub(r"seconds_trained( +)\S+( +)\S+", "seconds_trained SECONDS", text)


@pytest.fixture(scope="module")
def filled(shared_server):
    fill(shared_server)
    return shared_server


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_screen_is_as_it_was(filled, name, width):
    shown = screen(filled, COMMANDS[name], width)
    assert shown == (SCREENS / f"{name}_{width}.txt").read_text()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_screen_keeps_to_its_width(filled, name, width):
    text = ok(*COMMANDS[name], server=filled, COLUMNS=str(width), LC_ALL="C.UTF-8")
    assert max(map(len, text.splitlines())) <= width


def write():
    with tempfile.TemporaryDirectory() as folder:
        server = Server(pathlib.Path(folder) / "data").start()
        fill(server)
        SCREENS.mkdir(exist_ok=True)
        for name, words in COMMANDS.items():
            for width in WIDTHS:
                (SCREENS / f"{name}_{width}.txt").write_text(screen(server, words, width))
        server.stop()


if __name__ == "__main__" and "--write" in sys.argv:
    write()
