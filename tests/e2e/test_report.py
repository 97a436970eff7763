"""`hone report`: text, tables, figures and data of a sweep, whose numbers are those of the exports."""
import collections
import csv
import http.server
import io
import json
import re
import threading
import xml.etree.ElementTree as ElementTree

import pytest

from commands import hone, ok
from conftest import sweep_spec

SPACE = {"lr": {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"},
         "kind": {"type": "choice", "values": ["a|b", "<i>&x_1", "50 % $"]},
         "depth": {"type": "int", "min": 1, "max": 8},
         "tau": {"type": "float", "min": 0, "max": 1, "when": "depth >= 4"}}


def value_of(grant, phase):
    depth, lr = grant["params"]["depth"], grant["params"]["lr"]
    return 12.3456 * depth - 1000 * lr + phase + (grant["seed"] % 97) / 97


def play(server, spec, fail=(), further=False):
    """Trains a sweep to its end; the runs of these numbers fail."""
    sweep = server.submit(spec)
    worker = server.join()
    number = 0
    while grant := server.acquire(worker):
        number += 1
        if number in fail:
            server.end(grant, "exit_code", 1, "RuntimeError: no memory")
            continue
        for phase in range(grant["budget"]["phases"]):
            value = value_of(grant, phase)
            budget = grant["budget"]
            body = {"phase": phase, "step": budget["per_run"] * (phase + 1) // budget["phases"],
                    "value": value}
            if further:
                body["further"] = [100 / (1 + abs(value))]
            verdict = server.post(f"/v1/leases/{grant['lease']}/reports", body)["verdict"]
            if verdict == "stop":
                server.end(grant, "evicted")
            if verdict != "continue":
                break
    return sweep


def single(server):
    return play(server, sweep_spec(parameters=SPACE, search={"method": "tpe", "trials": 14}))


def confirmed(server):
    return play(server, sweep_spec(parameters=SPACE, search={"method": "random", "trials": 5},
                                   replicates={"seeds": 2}, confirm={"top": 2, "seeds": 4}))


def stopped_early(server):
    return play(server, sweep_spec(parameters=SPACE, search={"method": "random", "trials": 12},
                                   terminator={"rule": "median"}))


def failed(server):
    return play(server, sweep_spec(parameters=SPACE, search={"method": "random", "trials": 6},
                                   limits={"max_retries": 0}), fail=(2, 5))


def two_objectives(server, trials=12):
    return play(server, sweep_spec(parameters=SPACE, search={"method": "random", "trials": trials},
                                   objective=None,
                                   objectives=[{"metric": "return", "goal": "maximize"},
                                               {"metric": "cost", "goal": "minimize"}]),
                further=True)


def nothing(server):
    return server.submit(sweep_spec(parameters=SPACE))


SWEEPS = [single, confirmed, stopped_early, failed, two_objectives, nothing]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def markdown_tables(text):
    """title -> rows of cells."""
    tables = {}
    for part in text.split("\n## ")[1:]:
        lines = [line for line in part.splitlines() if line.startswith("|")]
        cells = [[cell.strip().replace("\\|", "|").replace("&lt;", "<")
                  for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
        tables[part.splitlines()[0]] = [dict(zip(cells[0], row)) for row in cells[2:]]
    return tables


def is_rounding(shown, exact):
    """Whether the text is the number, rounded to at least two digits of some error."""
    if exact == "":
        return shown == "-"
    digits = len(shown.partition(".")[2]) if "e" not in shown else None
    if digits is None or "." not in shown:
        return abs(float(shown) - float(exact)) <= 0.05 * abs(float(exact)) + 0.5
    return abs(float(shown) - float(exact)) <= 0.5000001 * 10 ** -digits


@pytest.mark.parametrize("make", SWEEPS, ids=lambda make: make.__name__)
def test_every_number_of_a_report_is_that_of_the_export(server, tmp_path, make):
    sweep = make(server)
    made = {row["file"]: row["shows"]
            for row in rows_of(ok("report", sweep, "-o", "r", "--format", "csv", server=server,
                                  cwd=tmp_path))}
    folder = tmp_path / "r"
    assert set(made) == {str(path.relative_to(tmp_path)) for path in folder.rglob("*")
                         if path.is_file()}
    # Each file of data is what the command that it names prints.
    for file, shows in made.items():
        if file.startswith("r/data/"):
            assert (tmp_path / file).read_text() == ok(*shows.split()[1:], server=server), file
    tables = markdown_tables((folder / "report.md").read_text())
    page = (folder / "index.html").read_text()
    latex = (folder / "report.tex").read_text()
    for name, title, columns in (
            ("best", "Best trials", {"value": "value", "expected": "expected",
                                     "confirmed": "confirmed", "cost": "cost"}),
            ("confirm", "Confirmation", {"value": "iqm", "mean": "mean", "worst": "worst",
                                         "tuned": "tuned"}),
            ("front", "Front", {"return": "return", "cost": "cost"}),
            ("importance", "Importance", {"share": "share", "deviation": "deviation"})):
        file = folder / "data" / f"{name}.csv"
        assert file.exists() == (title in tables)
        exact = rows_of(file.read_text()) if file.exists() else []
        shown = tables.get(title, [])
        assert len(shown) == len(exact)
        for one, other in zip(shown, exact):
            for column, source in columns.items():
                if column in one:
                    assert is_rounding(one[column], other[source]), (title, one, other)
            if "95 % interval" in one and one["95 % interval"] != "-":
                for text, end in zip(one["95 % interval"].split(" .. "), ("low", "high")):
                    assert is_rounding(text, other[end]), (title, one, other)
            for cell in one.values():
                assert cell.replace("&", "&amp;").replace("<", "&lt;") in page.replace("&gt;", ">")
    whole = json.loads((folder / "data" / f"{sweep}.json").read_text())
    costs = {row[""]: row[sweep] for row in tables["Costs"]}
    assert costs["phases trained"] == str(whole["phases"]["done"])
    assert {state: costs.get(f"runs {state}", "0") for state in whole["runs"]} \
        == {state: str(count) for state, count in whole["runs"].items()}
    space = {row["parameter"]: row for row in tables["Search space"]}
    assert set(space) == set(SPACE) and "when depth >= 4" in space["tau"]["domain"]
    assert "50 \\% \\$" in latex and "$<$i$>$\\&x\\_1" in latex
    assert "<i>" not in page and "3487" not in page
    for figure in (folder / "figures").glob("*.svg"):
        ElementTree.fromstring(figure.read_text())
        assert figure.read_text() == ok("report", sweep, "--figure", figure.stem, server=server)


def test_the_front_of_a_hundred_trials_had_two_points(server):
    sweep = two_objectives(server, trials=101)
    figure = ok("report", sweep, "--figure", "front", server=server)
    assert figure.count("<circle") == 101 + 2  # with the legend's


def test_the_history_of_few_trials_had_marks_between_two_of_them(server):
    sweep = play(server, sweep_spec(parameters=SPACE, search={"method": "random", "trials": 3}))
    figure = ok("report", sweep, "--figure", "history", server=server)
    marks = re.findall(r'<text x="[^"]*" y="284[^"]*"[^>]*>([^<]*)</text>', figure)
    assert marks == ["1", "2", "3"]


EXPECTED = {single: {"history", "curves", "importance", "slices", "parallel"},
            confirmed: {"history", "curves", "slices", "parallel", "confirmation"},
            two_objectives: {"history", "curves", "importance", "slices", "parallel", "front"},
            nothing: set()}


@pytest.mark.parametrize("make", EXPECTED, ids=lambda make: make.__name__)
def test_a_report_has_the_figures_that_its_sweep_can_have(server, tmp_path, make):
    sweep = make(server)
    ok("report", sweep, "-o", "r", server=server, cwd=tmp_path)
    assert {one.stem for one in (tmp_path / "r" / "figures").iterdir()} == EXPECTED[make]
    page = (tmp_path / "r" / "index.html").read_text()
    assert page.count("<svg") == len(EXPECTED[make])
    for kind in set().union(*EXPECTED.values()):
        refused = hone("report", sweep, "--figure", kind, server=server)
        assert (refused.returncode == 0) == (kind in EXPECTED[make]), refused.stderr
        assert kind in EXPECTED[make] or refused.stderr.startswith("hone: ")


def test_figures_draw_every_trial(server):
    sweep = single(server)
    assert ok("report", sweep, "--figure", "history", server=server).count("<circle") == 14 + 1
    parallel = ElementTree.fromstring(ok("report", sweep, "--figure", "parallel", server=server))
    lines = [path.get("d") for path in parallel if path.tag.endswith("path")]
    assert len(lines) == 14
    trials = rows_of(ok("trials", sweep, "--format", "csv", server=server))
    # A trial without tau has a gap between two axes.
    assert sum(line.count("M") == 2 for line in lines) \
        == sum(row["tau"] == "" for row in trials)


def test_the_methods_of_a_report_are_those_of_the_sweep_file(server, tmp_path):
    sweep = stopped_early(server)
    ok("report", sweep, "-o", "r", server=server, cwd=tmp_path)
    text = " ".join((tmp_path / "r" / "report.md").read_text().split())
    for part in ("`python3 train.py --lr ${lr}`", "maximize return",
                 "Search: random, 12 trials, seed 17", "rule median",
                 "1k frames a run in 4 phases", "hone report sw_1"):
        assert part in text, text


def test_a_report_replaces_files_with_force_alone(server, tmp_path):
    sweep = nothing(server)
    ok("report", sweep, "-o", "r", server=server, cwd=tmp_path)
    stale = tmp_path / "r" / "figures" / "front.svg"
    stale.write_text("of another sweep")
    own = tmp_path / "r" / "notes.txt"
    own.write_text("mine")
    refused = hone("report", sweep, "-o", "r", server=server, cwd=tmp_path)
    assert refused.returncode == 4 and "--force" in refused.stderr
    first = {path: path.read_bytes() for path in (tmp_path / "r").rglob("*.md")}
    ok("report", sweep, "-o", "r", "--force", server=server, cwd=tmp_path)
    assert not stale.exists() and own.read_text() == "mine"
    assert first == {path: path.read_bytes() for path in (tmp_path / "r").rglob("*.md")}
    unknown = hone("report", sweep, "--figure", "pie", server=server)
    assert unknown.returncode == 2 and "history, curves" in unknown.stderr


SVG = "{http://www.w3.org/2000/svg}"


def objects_of(pdf):
    """The objects of a PDF file, by the places that its table names."""
    assert pdf.startswith(b"%PDF-1.4") and pdf.endswith(b"%%EOF\n")
    table = int(re.search(rb"startxref\n(\d+)\n", pdf)[1])
    places = re.findall(rb"(\d{10}) 00000 n ", pdf[table:])
    assert pdf[table:].startswith(b"xref\n0 %d\n" % (len(places) + 1))
    for number, place in enumerate(places, 1):
        body = pdf[int(place):]
        assert body.startswith(b"%d 0 obj\n" % number)
        yield body[:body.index(b"\nendobj")]


@pytest.mark.parametrize("make", [single, confirmed, two_objectives], ids=lambda one: one.__name__)
def test_a_figure_as_pdf_draws_what_the_svg_draws(server, tmp_path, make):
    sweep = make(server)
    for kind in EXPECTED[make]:
        svg = ElementTree.fromstring(ok("report", sweep, "--figure", kind, server=server))
        ok("report", sweep, "--figure", kind, "-o", f"{kind}.pdf", server=server, cwd=tmp_path)
        *head, content = objects_of((tmp_path / f"{kind}.pdf").read_bytes())
        assert f"/MediaBox [0 0 {svg.get('width')} {svg.get('height')}]".encode() in head[2]
        length = int(re.search(rb"/Length (\d+)", content)[1])
        stream = content[content.index(b"stream\n") + 7:content.rindex(b"endstream")]
        assert len(stream) == length
        shapes = [one.tag.split("}")[1] for one in svg.iter()]
        text = stream.decode("latin-1")
        drawn = shapes.count("line") + shapes.count("circle") + shapes.count("path")
        assert len(re.findall(r" [Sf] Q$", text, re.M)) == drawn
        in_halo = sum(len(list(group.iter(SVG + "text"))) for group in svg.iter(SVG + "g"))
        assert text.count(" Tj ET Q") == shapes.count("text") + in_halo
        for one in svg.iter(SVG + "text"):
            words = (one.text or "").encode("latin-1", "replace").decode("latin-1")
            escaped = re.sub(r"([()\\])", r"\\\1", words)
            assert f"({escaped}) Tj" in text


def test_a_report_of_a_sweep_without_a_name_called_it_sweep(server, tmp_path):
    sweep = play(server, {key: value for key, value in sweep_spec().items() if key != "name"})
    ok("report", sweep, "-o", "r", server=server, cwd=tmp_path)
    assert f"(sweep {sweep}) to " in " ".join((tmp_path / "r" / "report.md").read_text().split())
    assert (tmp_path / "r" / "figures" / "history.pdf").stat().st_size > 1000


class Counting(http.server.BaseHTTPRequestHandler):
    """Passes requests on to the server and counts them by path."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # noqa: N802
        self.server.counts[self.path] += 1
        answer = self.server.behind.ask("GET", self.path)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("content-type", ""))
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_):
        pass


def test_a_report_read_its_sweep_eight_times(server, tmp_path):
    sweep = confirmed(server)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counting) as proxy:
        proxy.behind, proxy.counts = server, collections.Counter()
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        ok("report", sweep, "-o", "r", cwd=tmp_path,
           HONE_SERVER=f"http://127.0.0.1:{proxy.server_port}")
        proxy.shutdown()
    assert proxy.counts[f"/v1/sweeps/{sweep}"] == 1
    assert max(proxy.counts.values()) == 1, proxy.counts.most_common(3)


def test_a_figure_was_written_as_svg_under_every_name(server, tmp_path):
    sweep = single(server)
    svg = ok("report", sweep, "--figure", "history", server=server)
    assert ok("report", sweep, "--figure", "history", "-o", "-", server=server) == svg
    for name in ("a.png", "a.pdf.txt"):
        refused = hone("report", sweep, "--figure", "history", "-o", name, server=server,
                       cwd=tmp_path)
        assert refused.returncode == 2 and "NAME.svg or NAME.pdf" in refused.stderr, refused.stderr
    ok("report", sweep, "--figure", "history", "-o", "a.PDF", server=server, cwd=tmp_path)
    ok("report", sweep, "--figure", "history", "-o", "a.Svg", server=server, cwd=tmp_path)
    assert (tmp_path / "a.PDF").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "a.Svg").read_text() == svg
    refused = hone("report", sweep, "-o", "-", server=server, cwd=tmp_path)
    assert refused.returncode == 2 and "a report is a folder" in refused.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] in "a-") == [
        "a.PDF", "a.Svg"]
