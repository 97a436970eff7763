"""A page that follows a stream of reports: its frames, and how far it is behind the ledger."""

import http.client
import json
import multiprocessing
import os
import statistics
import threading
import time
import uuid
from dataclasses import dataclass

import devtools
import timing

LEASES = 200  # in progress at a time
CONNECTIONS = 8
WARM_UP_MINUTES = 5  # of the heap, before its growth counts


class Reporter(threading.Thread):
    """Trains runs of the sweep in progress over one connection, `rate` reports a second or as fast as it can."""

    def __init__(self, port, worker, rate=None):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.worker, self.rate = worker, rate
        self.leases = []
        self.sent = 0
        self.ended = threading.Event()

    def post(self, path, body):
        self.connection.request("POST", path, json.dumps(body))
        response = self.connection.getresponse()
        text = response.read()
        assert response.status in (200, 201), text
        return json.loads(text)

    def acquire(self):
        ask = {"request_id": str(uuid.uuid4()), "worker": self.worker, "cpus": 1, "gpus": 0}
        return self.post("/v1/leases", {**ask, "wait": 0.0})["grant"]

    def run(self):
        began = time.monotonic()
        while not self.ended.is_set():
            if self.rate and self.sent > self.rate * (time.monotonic() - began):
                time.sleep(0.001)
                continue
            if len(self.leases) < LEASES // CONNECTIONS:
                grant = self.acquire()
                if grant is None:
                    return
                self.leases.append([grant, grant["next_phase"]])
                continue
            entry = self.leases.pop(0)
            grant, phase = entry
            step = grant["budget"]["per_run"] * (phase + 1) // grant["budget"]["phases"]
            value = 400 * (1 - 0.97**phase) + (self.sent % 97)
            path = f"/v1/leases/{grant['lease']}/reports"
            verdict = self.post(path, {"phase": phase, "step": step, "value": value})["verdict"]
            self.sent += 1
            if verdict == "continue":
                self.leases.append([grant, phase + 1])


def reporters(server, rate=None):
    threads = []
    for _ in range(CONNECTIONS):
        worker = server.join(cpus=LEASES)
        threads.append(Reporter(server.port, worker, rate / CONNECTIONS if rate else None))
    return threads


# Notes each frame of the stream as it reaches the page, by way of its shared worker.
STREAM = """
(() => {
  window.behind = [];
  const { get, set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    get,
    set(use) {
      set.call(this, (event) => {
        if (event.data?.frame) window.behind.push([Date.now(), event.data.frame.seq]);
        use.call(this, event);
      });
    },
  });
})();
"""

FRAMES = """
(() => {
  window.frameTimes = [];
  let last = performance.now();
  const next = (now) => {
    window.frameTimes.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})()
"""


@dataclass
class Seen:
    reports: int
    seconds: float
    frame_p95: float
    frame_most: float
    lag_p95: float
    heap_mb: float


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def follow(bench, name, rate, seconds):
    server = bench.server(name)
    url = bench.url(name, "#/sweeps/sw_2/curves")
    page, _ = timing.opened(bench.browser, url, "canvas[data-density]", STREAM)
    page.wait("document.getElementById('live').dataset.state === 'live'")
    page.run(FRAMES)
    threads = reporters(server, rate)
    for thread in threads:
        thread.start()
    page.run("new Promise((done) => setTimeout(done, 3000))")  # leases are taken first
    page.run("window.frameTimes.length = 0")
    before, began = sum(thread.sent for thread in threads), time.monotonic()
    known = []  # (when, the ledger's number)
    while time.monotonic() - began < seconds:
        known.append((1000 * time.time(), server.get("/v1/me")["seq"]))
        bench.browser.pump(0.2)
    spent = time.monotonic() - began
    sent = sum(thread.sent for thread in threads) - before
    frames, behind = page.run("window.frameTimes"), page.run("window.behind")
    for thread in threads:
        thread.ended.set()
    for thread in threads:
        thread.join()
    lags = [
        next((at for at, newest in behind if newest >= seq), behind[-1][0] + 1000) - when
        for when, seq in known[:-10]
    ]
    heap = timing.heap_of(page)
    page.close()
    return Seen(sent, spent, percentile(frames, 0.95), max(frames), percentile(lags, 0.95), heap)


@dataclass
class Rate:
    reports_per_second: float
    cpu_ms_per_report: float  # of the server's process


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime, stime


def report_for(seconds, server, result):
    """Reports as fast as they are answered, and puts its rate."""
    threads = reporters(server)
    for thread in threads:
        thread.start()
    time.sleep(2)  # leases are taken first
    before, began = sum(thread.sent for thread in threads), time.monotonic()
    used = cpu_seconds(server.process)
    time.sleep(seconds)
    sent = sum(thread.sent for thread in threads) - before
    spent, used = time.monotonic() - began, cpu_seconds(server.process) - used
    result.put(Rate(sent / spent, 1000 * used / sent))
    for thread in threads:
        thread.ended.set()
    for thread in threads:
        thread.join()


def rates(bench, name, pages, seconds):
    """The rate with no page open, and with some. The reports come from another process, and
    the browser gets the time that they leave, so that the difference is what the pages cost the
    server, and not what they cost the machine of their user."""
    server = bench.server(name)
    own = multiprocessing.get_context("fork")

    def rate(browser):
        result = own.Queue()
        process = own.Process(target=report_for, args=(seconds, server, result))
        process.start()
        while process.is_alive():
            browser.pump(0.2)
        return result.get()

    browser = devtools.Browser(idle=True)
    url = bench.url(name, "#/sweeps/sw_2/curves")
    there = [timing.opened(browser, url, "canvas[data-density]")[0] for _ in range(pages)]
    for page in there:
        for domain in ("Network", "Audits", "Log"):
            page.call(f"{domain}.disable")
    watched = rate(browser)
    for page in there:
        page.close()
    alone = rate(browser)
    browser.close()
    return alone, watched


def heap_growth(bench, name, minutes):
    """Megabytes an hour of the heap of a page that follows 50 reports a second: the slope of a line
    through one sample a minute. The page records nothing for the bench, as that would grow, too."""
    server = bench.server(name)
    url = bench.url(name, "#/sweeps/sw_2/curves")
    page, _ = timing.opened(bench.browser, url, "canvas[data-density]")
    for domain in ("Network", "Audits", "Log"):
        page.call(f"{domain}.disable")
    threads = reporters(server, rate=50)
    for thread in threads:
        thread.start()
    hours, heaps = [], []
    began = time.monotonic()
    for minute in range(WARM_UP_MINUTES, minutes + 1):
        while time.monotonic() - began < 60 * minute:
            bench.browser.pump(0.5)
        hours.append((time.monotonic() - began) / 3600)
        heaps.append(timing.heap_of(page))
    for thread in threads:
        thread.ended.set()
    for thread in threads:
        thread.join()
    page.close()
    return statistics.linear_regression(hours, heaps).slope
