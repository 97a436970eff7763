"""What a user sees of hone.Sweep: progress, callbacks, confirmation, refusals and figures."""
import re

import pytest

from commands import ok
from python_client import client, data, hone  # noqa: F401


def test_a_sweep_of_a_function_confirms_its_leaders(client):
    """run() returned, and its confirmation waited without an end."""
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=4, client=client, seed=1,
                       confirm={"top": 2, "seeds": 3})
    best = sweep.run(lambda run: run.params["x"])
    found = client.get(f"/v1/sweeps/{sweep.id}/confirm")
    assert found["state"] == "completed" and best["confirmed_seeds"] == 3
    assert hone.Sweep.open(found["confirmation"], client).state == "completed"


def test_callbacks_see_each_trial_and_may_end_the_sweep(client):
    sweep = hone.Sweep({"x": hone.Int(1, 100)}, trials=100, client=client)
    seen = []

    def look(trial):
        seen.append((trial["id"], trial["value"] == trial["params"]["x"]))
        if len(seen) == 3:
            client.stop(sweep.id)

    sweep.run(lambda run: run.params["x"], on_trial=look)
    assert len(seen) == 3 and all(equal for _, equal in seen)
    assert sweep.state == "completed"


def test_an_exception_of_a_callback_gives_the_trials_back(client):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=2, client=client)

    def stop(trial):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep.run(lambda run: run.params["x"], on_trial=stop)
    assert sweep.state == "running"
    assert sweep.run(lambda run: run.params["x"]) is not None and sweep.state == "completed"


def test_after_its_time_no_trial_begins(client):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=3, client=client)
    assert sweep.run(lambda run: run.params["x"], timeout_s=0) is None
    assert sweep.state == "running" and sweep.trials() == []
    sweep.run(lambda run: run.params["x"])
    assert sweep.state == "completed"


def test_progress_is_a_line_that_moves_on_a_terminal_alone(client, capsys):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=3, client=client)
    sweep.run(lambda run: run.params["x"])
    assert capsys.readouterr().err == ""
    again = hone.Sweep({"x": hone.Float(0, 1)}, trials=3, client=client)
    again.run(lambda run: run.params["x"], progress=True)
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith(f"{again.id}  #################### 100 %  3/3 trials  best "), line
    assert len(line) < 80


@pytest.mark.parametrize("more, error, says", [
    ({"n_jobs": 4}, TypeError, "no field 'n_jobs'"),
    ({"replicate": {}}, TypeError, "did you mean 'replicates'?"),
    ({"goal": "max"}, hone.Invalid, "maximize or minimize, not 'max'"),
    ({"space": {"x": (0, 1)}}, hone.Invalid, "hone.Int(0, 1) or [0, 1]"),
    ({"space": {"x": (0.5, 1)}}, hone.Invalid, "hone.Float(0.5, 1) or [0.5, 1]"),
])
def test_what_cannot_be_meant_is_refused_before_anything_runs(client, more, error, says):
    with pytest.raises(error, match=re.escape(says)):
        hone.Sweep(**{"space": {"x": [1]}, "client": client, **more})
    assert list(client.sweeps()) == []


def test_figures_in_python_are_those_of_the_program(client, server, tmp_path):
    """The charts of Python were other code than those of the program, and slices had no choices."""
    sweep = hone.Sweep({"x": hone.Float(0, 1), "rate": hone.Float(1e-5, 1e-1, log=True),
                        "kind": ["a", "b"], "clip": [None, 0.2], "fixed": 3}, "return", trials=12,
                       phases=2, terminator="none", client=client, seed=1)

    def train(run):
        for phase in run.phases():
            run.report(phase, run.params["x"] + phase.number)

    with pytest.raises(hone.HoneError, match="no trial with a value yet"):
        sweep.plot()
    sweep.run(train, workers=2)
    for figure in ("history", "curves", "slices", "importance", "parallel"):
        drawn = ok("report", sweep.id, "--figure", figure, server=server)
        assert str(sweep.plot(figure)) == drawn, figure
    slices = str(sweep.plot("slices"))
    assert slices.count("<circle") == 12 * 4
    for label in ("x", "rate", "kind", "clip", "a", "b", "null", "0.2"):
        assert f">{label}</text>" in slices, label
    assert "fixed" not in slices
    sweep.plot().save(tmp_path / "history.svg")
    assert (tmp_path / "history.svg").read_text() == sweep.plot()._repr_svg_()
    assert sweep.plot()._repr_svg_() in sweep._repr_html_()
    for figure, says in (("front", "one objective"), ("bars", "the figures are history, curves")):
        with pytest.raises(hone.HoneError, match=says):
            sweep.plot(figure)


def test_without_the_program_a_notebook_shows_the_table(client, monkeypatch):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=2, client=client)
    sweep.run(lambda run: run.params["x"])
    monkeypatch.setenv("HONE_BIN", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(hone.HoneError, match="hone is not installed"):
        sweep.plot()
    assert "<table>" in sweep._repr_html_() and "<svg" not in sweep._repr_html_()


def test_an_absent_parameter_is_not_drawn_as_null(client):
    sweep = hone.Sweep({"rate": hone.Float(1e-4, 1e-1, log=True),
                        "clip": [None, 0.2], "sizes": [[64, 64], [256]], "fast": [True, False],
                        "depth": {"values": [None, 2, 3], "when": "fast == true"}, "fixed": 3},
                       trials=16, client=client, seed=1)
    sweep.run(lambda run: float(run.params["clip"] is None) + len(run.params["sizes"]))
    text = str(sweep.plot("parallel"))
    lines = re.findall('<path d="([^"]*)" fill="none"', text)
    assert len(lines) == 16
    without_depth = [row for row in sweep.trials() if "params.depth" not in row]
    assert 0 < len(without_depth) == sum(line.count("M") == 2 for line in lines) < 16
    for label in ("null", "0.2", "[64,64]", "[256]", "true", "false", "0.01", "value", "depth"):
        assert f">{label}</text>" in text, label
    assert "fixed" not in text
    assert text.index("#d8dde5") < text.rindex("#005090"), "the best is drawn last"


def test_null_and_lists_as_choices_reach_the_function_as_they_are(client):
    sweep = hone.Sweep({"clip": [None, 0.2], "sizes": hone.Choice([[64, 64], [256], []])},
                       trials=12, client=client, seed=1)
    seen = []
    sweep.run(lambda run: float(run.params["clip"] in (None, 0.2) and
                                run.params["sizes"] in ([64, 64], [256], [])),
              on_trial=lambda trial: seen.append((trial["value"], str(trial["params"]))))
    assert [value for value, _ in seen] == [1.0] * 12
    assert any("None" in text for _, text in seen) and any("[64, 64]" in text for _, text in seen)


def test_the_figure_of_a_front_has_all_trials(client):
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, [{"metric": "a", "goal": "maximize"},
                                                 {"metric": "b", "goal": "minimize"}],
                       trials=8, client=client)
    sweep.run(lambda run: (run.params["x"], 1 - run.params["x"]))
    text = str(sweep.plot("front"))
    assert text.count("<circle") == 8 + 2 and ">front<" in text  # two of the legend
    assert ">dominated<" in text, "the largest x is best in both"


def test_names_of_askers_were_kept_in_the_folder_of_a_server_that_is_elsewhere(client, tmp_path,
                                                                              monkeypatch):
    monkeypatch.delenv("HONE_DATA")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    sweep = hone.Sweep({"x": hone.Float(0, 1)}, trials=1, client=client)
    sweep.run(lambda run: run.params["x"])
    made = [path for path in (tmp_path / "me").rglob("*") if path.is_dir()]
    assert made and all(path.stat().st_mode & 0o77 == 0 for path in made), made
    assert not (tmp_path / "me" / ".hone").exists()
    hone.local.private_folder(str(tmp_path / "me" / ".hone" / "data"))
    assert (tmp_path / "me" / ".hone").stat().st_mode & 0o777 == 0o700
