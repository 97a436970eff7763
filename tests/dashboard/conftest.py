"""Fixtures: one browser for all tests, one server with sweeps, pages that report their faults."""

import pytest

import devtools
import world


@pytest.fixture(scope="session")
def browser():
    if devtools.chromium() is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    one = devtools.Browser()
    yield one
    one.close()


class Filled:
    """A server with a sweep that has ended, one of several seeds with its confirmation, a population, one
    of two objectives, one of a conditional space with failures, and one in progress."""

    def __init__(self, folder):
        self.server = world.start(folder / "data")
        self.worker = self.server.join(cpus=64)
        self.ended = self.server.submit(world.sweep_of())
        world.train(self.server, self.ended, self.worker)
        self.seeds = self.server.submit(
            world.sweep_of("three seeds", 8, replicates={"seeds": 3}, terminator={"rule": "none"})
        )
        world.train(self.server, self.seeds, self.worker, seed=2, fail=0)
        self.confirmation = self.server.post(
            f"/v1/sweeps/{self.seeds}/confirm", {"request_id": "confirm-1", "top": 3, "seeds": 4}
        )["sweep"]
        world.train(self.server, self.confirmation, self.worker, seed=3, fail=0, diverge=0)
        self.population = self.server.submit(world.population_of())
        world.train_population(self.server, self.worker)
        self.objectives = self.server.submit(world.objectives_of())
        world.train_objectives(self.server, self.worker)
        self.nulls = self.server.submit(world.nulls_of())
        world.train(self.server, self.nulls, self.worker, seed=7, fail=0.8, diverge=0.8)
        self.running = self.server.submit(world.sweep_of("in progress", 40))
        self.grants = world.train(self.server, self.running, self.worker, seed=4, leave=60)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.port}/"

    def leaders(self):
        items = self.server.get(f"/v1/sweeps/{self.seeds}/best")["items"]
        return [one["id"] for one in items[:4]]

    def best(self):
        return self.server.get(f"/v1/sweeps/{self.ended}/best")["items"][0]


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    one = Filled(tmp_path_factory.mktemp("filled"))
    yield one
    assert one.server.stop() == 0, one.server.log_text()


@pytest.fixture
def pages(browser):
    """Opens pages; at the end of the test none of them may have reported a fault."""
    opened = []

    def open_page(url, **more):
        page = browser.page(url, **more)
        opened.append(page)
        return page

    yield open_page
    faults = [fault for page in opened for fault in page.faults]
    for page in opened:
        page.close()
    assert not faults, faults
