"""Programs as trials: the test's worker, one sweep for each program, and no process left behind."""
import contextlib
import pathlib

from test_worker import Worker, wait_for


def strays(folder):
    """Processes of runs of this folder's worker that still live."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"HONE_RUN_FILE={folder}/".encode() in (entry / "environ").read_bytes() \
                        and (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


@contextlib.contextmanager
def playing(server, folder, *worker_words):
    """A function that runs a sweep to its end: the first run of its first trial."""
    workers = []

    def play(spec):
        sweep = server.submit(spec)
        if not workers:
            workers.append(Worker(server, folder / "worker", "--verbose", *worker_words))
            workers[0].ready()
        wait_for(lambda: server.get(f"/v1/sweeps/{sweep}")["state"] not in ("running", "stopping"),
                 seconds=90)
        trial = server.get(f"/v1/sweeps/{sweep}/trials")["items"][0]["id"]
        return server.get(f"/v1/trials/{trial}/runs")["items"][0]

    yield play
    for worker in workers:
        if worker.process:
            assert worker.stop() == 0, worker.log_text()
    assert not strays(folder), "processes are left"
