"""Random damages of the database and its log: a server starts with every acknowledged event as it
was, or refuses to start.

HONE_DAMAGES is their number (40).
"""
import os
import random
import shutil

import pytest

from conftest import Server, sweep_spec

DAMAGES = int(os.environ.get("HONE_DAMAGES", "40"))
PHASES = 8


def fill(server):
    """Trials with reports, metrics, notes: some hundred events, the last of them only in the log."""
    sweep = server.submit(sweep_spec(search={"method": "random", "trials": 12},
                                     budget={"unit": "steps", "per_run": 80, "phases": PHASES}))
    worker = server.join()
    for _ in range(12):
        grant = server.acquire(worker)
        for phase in range(PHASES):
            server.report(grant, phase, float(phase))
        server.post(f"/v1/leases/{grant['lease']}/metrics",
                    {"points": [{"name": "loss", "step": step, "value": 1} for step in range(50)]})
        server.post("/v1/notes", {"request_id": grant["lease"], "on": sweep, "text": "x" * 300})


def events_of(server):
    events, after = [], 0
    while True:
        page = server.get(f"/v1/events?limit=1000&after={after}")["items"]
        if not page:
            return events
        events += page
        after = page[-1]["seq"]


class Damage:
    """One damage, drawn from `chance`: `text` describes it."""

    def __init__(self, folder, chance):
        name = chance.choice(["hone.db", "hone.db", "hone.db-wal"])
        self.file = folder / name
        self.size = self.file.stat().st_size
        kind, self.text = chance.choice([
            (self.flip, "a bit flipped"), (self.scribble, "64 bytes overwritten"),
            (self.zero, "a page of zeros"), (self.swap, "two pages swapped"),
            (self.cut, "cut short"), (self.remove, "removed")])
        if kind == self.remove and name == "hone.db":
            kind, self.text = self.flip, "a bit flipped"
        self.text = f"{name}: {self.text} at {kind(chance)}"

    def change(self, at, data):
        with open(self.file, "r+b") as file:
            file.seek(at)
            file.write(data)
        return at

    def read(self, at, size):
        with open(self.file, "rb") as file:
            file.seek(at)
            return file.read(size)

    def flip(self, chance):
        at = chance.randrange(self.size)
        return self.change(at, bytes([self.read(at, 1)[0] ^ 1 << chance.randrange(8)]))

    def scribble(self, chance):
        return self.change(chance.randrange(self.size - 64), chance.randbytes(64))

    def zero(self, chance):
        return self.change(chance.randrange(self.size // 4096) * 4096, bytes(4096))

    def swap(self, chance):
        one, other = (chance.randrange(self.size // 4096) * 4096 for _ in range(2))
        first, second = self.read(one, 4096), self.read(other, 4096)
        self.change(one, second)
        return self.change(other, first)

    def cut(self, chance):
        at = chance.randrange(self.size)
        os.truncate(self.file, at)
        return at

    def remove(self, _):
        self.file.unlink()
        return 0


@pytest.fixture
def whole(tmp_path):
    """A data folder whose server was killed, and its events."""
    server = Server(tmp_path / "whole").start()
    fill(server)
    events = events_of(server)
    server.kill()
    return server.folder, events


def starts(folder):
    """A server on the folder, or None if it refused to start with a reason."""
    server = Server(folder)
    try:
        return server.start()
    except AssertionError:
        status = server.process.wait(30)
        text = server.log_text()
        assert status == 1 and "hone-server: " in text, (status, text)
        return None


def test_a_damaged_folder_never_starts_with_an_acknowledged_event_missing(whole, tmp_path):
    folder, events = whole
    chance = random.Random(int(os.environ.get("HONE_SEED", "11")))
    refused, harmless = 0, 0
    for number in range(DAMAGES):
        copy = tmp_path / f"copy-{number}"
        shutil.copytree(folder, copy)
        damage = Damage(copy, chance)
        server = starts(copy)
        if server is None:
            refused += 1
        else:
            assert events_of(server)[:len(events)] == events, damage.text
            harmless += 1
            server.kill()
        shutil.rmtree(copy)
    print(f"{refused} refused, {harmless} started with every event")
    assert refused > 0 and harmless > 0


def test_a_changed_value_of_an_event_was_not_noticed_at_the_start(whole):
    folder, events = whole
    server = Server(folder).start()  # folds the log into the database
    assert server.stop() == 0
    data = (folder / "hone.db").read_bytes()
    report = data.find(b'"phase":5,"step":60,"value":5')
    assert report > 0
    changed = data[:report] + data[report:].replace(b'"value":5', b'"value":7', 1)
    (folder / "hone.db").write_bytes(changed)
    (folder / "book.snapshot").unlink(missing_ok=True)
    assert starts(folder) is None
    log = (folder.parent / f"{folder.name}.log").read_text()
    assert "does not fit its link" in log and "restore a backup" in log
    assert len(events) > 200
