"""The time left of a sweep, on every page that tells it."""
from commands import ok
from conftest import sweep_spec


def looks(server, sweep):
    return [server.get(f"/v1/sweeps/{sweep}{page}")["eta"] for page in ("", "/summary")]


def test_is_told_with_an_interval_while_runs_train_and_never_beyond_the_time_limit(server):
    sweep = server.submit(sweep_spec(limits={"duration": "1h"}))
    assert looks(server, sweep) == [None, None]  # nothing trains
    grant = server.acquire(server.join())
    assert looks(server, sweep) == [None, None]  # at an unknown pace
    server.report(grant, 0, 1.0)
    for eta in looks(server, sweep):
        assert 1 <= eta["low"] <= eta["seconds"] <= eta["high"] <= 3600

    assert "time left" in ok("ls", server=server)
    assert "time left" in ok("show", sweep, server=server)

    ok("stop", sweep, server=server)
    assert looks(server, sweep) == [None, None]
