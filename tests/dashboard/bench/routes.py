"""Times of the routes that the pages read, over one connection."""

import http.client
import multiprocessing
import time

import streaming

COLUMNS = (
    "trial,number,state,reason,value,phase,seeds,steps,params.learning_rate,params.t_max,"
    "params.gamma,params.optimizer"
)


def ask(connection, path):
    began = time.perf_counter()
    connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
    response = connection.getresponse()
    body = response.read()
    assert response.status == 200, (path, response.status, body[:200])
    return 1000 * (time.perf_counter() - began), len(body)


def times_of(server, path, count):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    ask(connection, path)  # reads from the disk what a busy machine has dropped from memory
    answers = [ask(connection, path) for _ in range(count)]
    connection.close()
    return streaming.percentile([ms for ms, _ in answers], 0.99), answers[0][1]


def read_in_turn(port, paths):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while True:
        for path in paths:
            ask(connection, path)


def report_times(reporter):
    """Milliseconds to the answers of the reports of one run."""
    grant = reporter.acquire()
    times = []
    for phase in range(grant["next_phase"], grant["budget"]["phases"]):
        step = grant["budget"]["per_run"] * (phase + 1) // grant["budget"]["phases"]
        began = time.perf_counter()
        body = {"phase": phase, "step": step, "value": 1.0}
        reporter.post(f"/v1/leases/{grant['lease']}/reports", body)
        times.append(1000 * (time.perf_counter() - began))
    return times


def report_p99s(server, reads):
    """The 99th percentile of a report's answer alone, and while another process reads the paths in
    turn: of 1,000 reports each, 200 of one kind after 200 of the other, so that the machine's other
    work is a part of both."""
    reporter = streaming.Reporter(server.port, server.join(cpus=4))
    alone, read = [], []
    for _ in range(5):
        alone += report_times(reporter) + report_times(reporter)
        reader = multiprocessing.get_context("fork").Process(
            target=read_in_turn, args=(server.port, reads), daemon=True
        )
        reader.start()
        read += report_times(reporter) + report_times(reporter)
        reader.terminate()
        reader.join()
    return streaming.percentile(alone, 0.99), streaming.percentile(read, 0.99)


def measure(trials, curves):
    """Rows of (what, value, bar, unit)."""
    sweep = "/v1/sweeps/sw_1"
    columns = f"{sweep}/columns?fields={COLUMNS}"
    matrix = f"{sweep}/curves/matrix?points=100"
    columns_ms, columns_bytes = times_of(trials, columns, 11)
    alone, read = report_p99s(curves, [f"{sweep}/summary", f"{sweep}/history", matrix])
    summary_ms, _ = times_of(trials, f"{sweep}/summary", 200)
    matrix_ms, _ = times_of(curves, matrix, 11)
    history_ms, _ = times_of(trials, f"{sweep}/history", 100)
    return [
        ("summary of 100,000 trials, p99 of 200", summary_ms, 5, "ms"),
        ("history, p99 of 100", history_ms, 20, "ms"),
        ("columns, 12 of them, slowest of 11 after the first", columns_ms, 250, "ms"),
        ("columns, size", columns_bytes / 1e6, 6, "MB"),
        ("matrix of 10,000 x 100, slowest of 11 after the first", matrix_ms, 150, "ms"),
        (f"p99 of a report with a reader, {alone:.1f} ms without", read, 1.1 * alone, "ms"),
    ]
