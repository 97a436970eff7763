"""Measures the dashboard against its bars, and prints a table of them:

  python3 tests/dashboard/bench/measure.py [--only D2,D3]

It fills data folders by `hone bench fill` (--folder DIR keeps them for the next time), starts
servers on them and opens their pages in a headless Chromium. Bars that are right or wrong, not
fast or slow, are tests: it runs them.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Callable

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(TESTS), str(HERE)]
os.environ.setdefault("HONE_BIN", str(TESTS.parents[1] / "build" / "test" / "bin"))

import devtools  # noqa: E402
import routes  # noqa: E402
import streaming  # noqa: E402
import timing  # noqa: E402
import world  # noqa: E402

BIN = pathlib.Path(os.environ["HONE_BIN"])
world.e2e.START_SECONDS = 600  # of a ledger of millions of events
FILLS = {
    "trials": ["--sweeps", "1", "--trials", "100000", "--phases", "10"],
    "curves": ["--sweeps", "1", "--trials", "10000", "--phases", "100", "--running", "1"],
}


class Bench:
    """Servers by the name of their data, started once, and one browser."""

    def __init__(self, folder, repetitions, seconds, soak):
        self.folder = folder
        self.soak = soak
        self.repetitions = repetitions
        self.seconds = seconds
        self.servers = {}
        self.browser = devtools.Browser()

    def server(self, name):
        if name not in self.servers:
            data = self.folder / name
            if name in FILLS and not data.exists():
                command = [BIN / "hone-bench", "fill", *FILLS[name], "--points", "0"]
                subprocess.run([*command, "--folder", data], check=True)
            self.servers[name] = world.start(data)
        return self.servers[name]

    def url(self, name, address=""):
        return f"http://127.0.0.1:{self.server(name).port}/{address}"

    def close(self):
        self.browser.close()
        for server in self.servers.values():
            server.stop()


@dataclass
class Figure:
    """One measured figure. bar: what was promised of it; holds: None where nothing was."""

    what: str
    text: str
    bar: str
    holds: bool | None


def at_most(what, value, bar, unit, digits=0):
    promised = f"at most {bar:,.{digits}f} {unit}"
    return Figure(what, f"{value:,.{digits}f} {unit}", promised, round(value, digits) <= bar)


def median_ready(bench, name, address, selector):
    times = [
        timing.ready_ms(bench.browser, bench.url(name, address), selector)
        for _ in range(bench.repetitions)
    ]
    return statistics.median(times)


def first_paint(bench):
    url = bench.url("empty")
    times = [timing.first_paint_ms(bench.browser, url) for _ in range(bench.repetitions)]
    ready = median_ready(bench, "empty", "", "main h1")
    return [
        at_most("first contentful paint", statistics.median(times), 100, "ms"),
        at_most("interactive", ready, 300, "ms"),
    ]


def many_trials(bench):
    sweep = "#/sweeps/sw_1"
    drawn = "canvas[data-drawn]"
    overview = median_ready(bench, "trials", sweep, f"[data-card=history] {drawn}")
    table = median_ready(bench, "trials", f"{sweep}/trials", "tr.row")
    sort = timing.sort_ms(bench.browser, bench.url("trials", f"{sweep}/trials"))
    parallel = f"[data-card=parallel] {drawn}"
    parameters = median_ready(bench, "trials", f"{sweep}/parameters", parallel)
    return [
        at_most("overview of 100,000 trials", overview, 1000, "ms"),
        at_most("table", table, 1500, "ms"),
        at_most("sort by another column", sort, 1500, "ms"),
        at_most("parameters", parameters, 2500, "ms"),
    ]


def every_page(bench):
    """Each page of the sweep of 100,000 trials, and those of its best trial."""
    sweep, drawn = "#/sweeps/sw_1", "canvas[data-drawn]"
    best = bench.server("trials").get("/v1/sweeps/sw_1/best")["items"][0]
    chart = "[data-card={}] {}".format
    pages = {
        "list of sweeps": ("#/", "tbody tr"),
        "overview with its leaders": (sweep, "[data-card=best] tbody tr"),
        "trials": (f"{sweep}/trials", "tr.row"),
        "curves, axes and leaders": (f"{sweep}/curves", chart("curves", drawn)),
        "curves, all of them": (f"{sweep}/curves", "canvas[data-density]"),
        "phases": (f"{sweep}/phases", chart("flow", drawn)),
        "population": (f"{sweep}/population", ".empty, [data-card=places]"),
        "parameters": (f"{sweep}/parameters", chart("parallel", drawn)),
        "pareto": (f"{sweep}/pareto", chart("pareto", drawn)),
        "confirmation": (f"{sweep}/confirm", ".empty, [data-card=confirm]"),
        "timeline": (f"{sweep}/timeline", chart("timeline", drawn)),
        "events": (f"{sweep}/events", chart("replay", drawn)),
        "the best trial": (f"#/trials/{best['id']}", chart("band", drawn)),
        "its run": (f"#/runs/{best['run']}", chart("curve", drawn)),
        "lineage": (f"#/lineage/{best['id']}", chart("lineage", drawn)),
        "three trials compared": (
            f"#/compare/{best['id']},tr_5,tr_9",
            chart("compare", drawn),
        ),
    }
    rows = []
    for name, (address, selector) in pages.items():
        url = bench.url("trials", address)
        times = [
            timing.interactive_ms(bench.browser, url, selector) for _ in range(bench.repetitions)
        ]
        rows.append(at_most(name, statistics.median(times), 2000, "ms"))
    return rows


def many_curves(bench):
    url = bench.url("curves", "#/sweeps/sw_1/curves")
    drawn = median_ready(bench, "curves", "#/sweeps/sw_1/curves", "canvas[data-density]")
    hover, zoom = timing.hover_and_zoom_ms(bench.browser, url)
    return [
        at_most("10,000 runs x 100 points drawn", drawn, 1000, "ms"),
        at_most("hover, slowest of 40", hover, 32, "ms"),
        at_most("zoom, median of 5", zoom, 150, "ms"),
    ]


def streamed(bench):
    seen = streaming.follow(bench, "curves", rate=1000, seconds=bench.seconds)
    alone, watched = streaming.rates(bench, "curves", pages=8, seconds=bench.seconds // 4)
    lost = 100 * (1 - watched.reports_per_second / alone.reports_per_second)
    dearer = 100 * (watched.cpu_ms_per_report / alone.cpu_ms_per_report - 1)
    return [
        Figure("reports sent", f"{seen.reports / seen.seconds:,.0f}/s", "", None),
        at_most("95th percentile of frames", seen.frame_p95, 33, "ms"),
        at_most("longest frame", seen.frame_most, 200, "ms"),
        at_most("lag of the newest value, 95th percentile", seen.lag_p95, 1000, "ms"),
        at_most("reports lost with 8 pages open", lost, 5, "%", 1),
        at_most("processor time of a report more with 8 pages open", dearer, 5, "%", 1),
    ]


def memory(bench):
    url = bench.url("trials", "#/sweeps/sw_1/trials")
    trials = timing.heap_mb(bench.browser, url, "tr.row")
    seen = streaming.follow(bench, "curves", rate=300, seconds=bench.seconds // 2)
    return [
        at_most("heap at the table of 100,000 trials", trials, 80, "MB", 1),
        at_most("heap at the curves after streaming", seen.heap_mb, 120, "MB", 1),
        growth(bench),
    ]


def growth(bench):
    what = "growth while it follows reports"
    if bench.soak == 0:
        return Figure(what, "not measured: --soak 120", "at most 5 MB/h", None)
    measured = streaming.heap_growth(bench, "curves", bench.soak)
    return at_most(f"{what}, for {bench.soak} min", measured, 5, "MB/h", 1)


def sizes(bench):
    embedded = BIN.parent / "server" / "dashboard" / "embedded"
    packed = sum(file.stat().st_size for file in embedded.glob("*.gzip"))
    plain = sum(file.stat().st_size for file in embedded.glob("*.plain"))
    requests = timing.requests(bench.browser, bench.url("empty"), "main h1")
    return [
        at_most("static files, compressed", packed / 1000, 150, "kB", 1),
        at_most("requests of the first page", requests, 35, "requests"),
        at_most("embedded in the server, plain and compressed", (packed + plain) / 1000, 400, "kB"),
    ]


def tabs(bench):
    slowest = timing.slowest_tab_ms(
        bench.browser,
        bench.url("curves", "#/sweeps/sw_2"),
        "[data-card=history] canvas[data-drawn]",
        12,
    )
    return [at_most("slowest of 12 tabs, opened one after the other", slowest, 1000, "ms")]


def no_tool_chain(_bench):
    command = ["ninja", "-C", str(BIN.parent), "-t", "commands", "hone-server"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    words = ("node", "npm", "esbuild")
    used = [word for word in words if f"/{word} " in done.stdout or f" {word} " in done.stdout]
    return [Figure("commands of the build that need node, npm", str(len(used)), "0", not used)]


def route_times(bench):
    return [
        at_most(what, value, bar, unit, 1)
        for what, value, bar, unit in routes.measure(bench.server("trials"), bench.server("curves"))
    ]


def passed(*names):
    """A bar that tests decide."""

    def run(_bench):
        files = [str(TESTS / name) for name in names]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
        done = subprocess.run(command, capture_output=True, text=True)
        said = (done.stdout.strip().splitlines() or ["nothing"])[-1]
        holds = done.returncode == 0 and "skipped" not in said
        return [Figure(" ".join(names), said, "passes", holds)]

    return run


@dataclass
class Bar:
    number: str
    what: str
    measure: Callable


USE = "test_use.py::test_"
BARS = [
    Bar("D1", "an empty server", first_paint),
    Bar("D2", "a sweep of 100,000 trials", many_trials),
    Bar("D3", "curves of 10,000 runs", many_curves),
    Bar("D4", "1,000 reports a second", streamed),
    Bar("D5", "memory", memory),
    Bar("D6", "size", sizes),
    Bar("D7", "no outbound request, no error", passed("test_pages.py")),
    Bar("D8", "accessibility", passed("test_axe.py")),
    Bar(
        "D9",
        "keyboard alone",
        passed(
            USE + "best_trial_and_its_explanation_by_keys_alone",
            USE + "sweep_is_stopped_by_keys_alone",
        ),
    ),
    Bar("D10", "colours", passed("test_palette.py")),
    Bar("D11", "the view stays", passed(USE + "view_survives_a_killed_server")),
    Bar(
        "D12",
        "numbers equal the API's",
        passed(
            USE + "leaderboard_shows_the_order_and_values_of_the_route",
            USE + "tables_of_charts_equal_their_routes",
            "test_routes.py",
            "test_objectives.py",
            "test_schedules.py",
        ),
    ),
    Bar(
        "D13",
        "every trial of a conditional space",
        passed(USE + "every_trial_of_a_conditional_space_is_drawn_once"),
    ),
    Bar("D14", "hostile text", passed(USE + "text_of_others_is_only_text", "test_report.py")),
    Bar("D15", "12 tabs", tabs),
    Bar("D16", "a build without node", no_tool_chain),
    Bar("D17", "routes", route_times),
    Bar("D18", "100,000 trials x 10 phases, interactive", every_page),
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", default="", help="bars, as D2,D3")
    arguments.add_argument("--folder", type=pathlib.Path, help="where data folders are kept")
    arguments.add_argument("--repetitions", type=int, default=5, help="of each page (medians)")
    arguments.add_argument("--seconds", type=int, default=60, help="of each stream of reports")
    arguments.add_argument("--soak", type=int, default=0, help="minutes of the heap's growth")
    given = arguments.parse_args()
    wanted = set(filter(None, given.only.split(",")))
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or pathlib.Path(temporary)
        bench = Bench(folder, given.repetitions, given.seconds, given.soak)
        bench.folder.mkdir(parents=True, exist_ok=True)
        missed = []
        print("| | measured | figure | bar | |\n|---|---|---|---|---|", flush=True)
        for bar in BARS:
            if wanted and bar.number not in wanted:
                continue
            for figure in bar.measure(bench):
                holds = {None: "", True: "holds", False: "**missed**"}[figure.holds]
                cells = [bar.number, f"{bar.what}: {figure.what}", figure.text, figure.bar, holds]
                print(f"| {' | '.join(cells)} |", flush=True)
                if figure.holds is False:
                    missed.append(bar.number)
        bench.close()
    if missed:
        print("missed: " + ", ".join(dict.fromkeys(missed)))


if __name__ == "__main__":
    main()
