"""`hone schema`: editors check a sweep file as `hone plan` does."""
import copy
import json
import re
import subprocess

import pytest

from commands import hone, ok
from conftest import ROOT, program

jsonschema = pytest.importorskip("jsonschema", reason="Debian: python3-jsonschema")
CASES = json.loads((ROOT / "schemas" / "cases" / "sweep.json").read_text())


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(ok("schema"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "common.json" not in json.dumps(schema), "an editor would follow no other file"
    return jsonschema.Draft202012Validator(schema)


def plan_refuses(folder, document):
    file = folder / "sweep.json"
    file.write_text(json.dumps(document))
    return hone("plan", str(file), HONE_SERVER="http://127.0.0.1:1").returncode != 0


def test_every_sweep_file_of_the_examples_fits(validator):
    yaml = pytest.importorskip("yaml", reason="Debian: python3-yaml")

    class Loader(yaml.SafeLoader):
        """YAML 1.2 as editors read it: 1e-4 is a number."""

    Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+[eE][-+]?\d+$"),
                                 list("-+0123456789"))
    fitting = 0
    for file in sorted((ROOT / "sdk" / "examples").glob("*.yaml")):
        validator.validate(yaml.load(file.read_text(), Loader))
        fitting += 1
    assert fitting > 20


def test_the_published_schema_agrees_with_the_cases(validator, tmp_path):
    """The cases are about the form alone: some name settings that their rule lacks."""
    for row in CASES:
        if row["schema"] == "sweep":
            refused = not validator.is_valid(row["value"])
            if not row.get("ok") and not row.get("beyond_schema"):
                assert refused, row["name"]
            elif refused:
                assert plan_refuses(tmp_path, row["value"]), row["name"]


def places(node, path=()):
    """Each object and each scalar below an object, with its path."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from places(value, path + (key,))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from places(value, path + (index,))
    else:
        yield path, node


def changed(document, path, change):
    made = copy.deepcopy(document)
    node = made
    for key in path[:-1]:
        node = node[key]
    if path:
        node[path[-1]] = change(node[path[-1]])
    else:
        made = change(made)
    return made


def spoiled(document):
    """The document with an unknown key in one object, or another type in one place."""
    for path, node in places(document):
        if isinstance(node, dict):
            yield path, "unknown key", changed(document, path, lambda one: {**one, "nosuch": 1})
        else:
            yield path, "object", changed(document, path, lambda _: {"nosuch": 1})
            if not isinstance(node, bool) and isinstance(node, (int, float)):
                yield path, "word", changed(document, path, lambda _: "nosuch")


def is_value(path):
    """Of a choice: an object may be one."""
    return path[-2:-1] == ("values",)


@pytest.mark.parametrize("name", ["a command of the user's", "a command with all that it may say",
                                  "a population", "a pipeline", "the steps until a loss"])
def test_what_plan_refuses_for_its_form_the_schema_refuses(validator, tmp_path, name):
    [document] = [row["value"] for row in CASES if row["name"] == name]
    assert not plan_refuses(tmp_path, document)
    tried = 0
    differing = []
    for path, change, made in spoiled(document):
        if is_value(path) or not plan_refuses(tmp_path, made):
            continue
        tried += 1
        if validator.is_valid(made):
            differing.append((path, change))
    assert tried > 5 and not differing


PHASES = 100
SPACE = {name: {"type": "float", "min": 0.0, "max": 1.0} for name in "ab"}
# What a method or rule needs besides its name.
WITH = {"bohb": {"terminator": {"rule": "hyperband"}},
        "threshold": {"terminator": {"value": 0, "phases": 1}},
        **{name: {"search": {"population": 4}} for name in ("pbt", "pb2")}}
# Settings whose bounds depend on something else: a grid's combinations, forks on checkpoints, two
# shares of hypertrick on the third, a population on its comparisons.
TOGETHER = {("grid", "points"), ("hone", "forks"), ("hypertrick", "dcm_fraction"),
            ("hypertrick", "evict_quantile"), ("hypertrick", "eviction_rate"),
            ("pbt", "population"), ("pb2", "population"), ("pbt", "ready"), ("pb2", "ready")}


def rows_of(schema, part):
    """name -> {setting: its schema}, of the trainers, methods or rules."""
    key = {"trainer": "name", "search": "method", "terminator": "rule"}[part]
    general = {"trials", "warm_start", "command", "perturb", key}
    return {row["if"]["properties"][key]["const"]:
            {name: one for name, one in row["then"]["properties"].items() if name not in general}
            for row in schema["properties"][part]["allOf"]}


def sweep_with(part, name, **settings):
    """A sweep file with these settings of a trainer, method or rule."""
    made = {"objective": {"metric": "return"}, "parameters": SPACE,
            "command": {"run": ["true", "${a}", "${b}"], "may_change": ["a", "b"]},
            "budget": {"unit": "frames", "per_run": PHASES, "phases": PHASES},
            "search": {"method": "random"}, "terminator": {"rule": "none"}}
    if part == "trainer":
        del made["command"]
        made.update({"parameters": {}, "trainer": {"name": name}})
    elif part == "search":
        del made["terminator"]
        made["search"] = {"method": name}
    elif name in ("dehb", "pbt"):
        made["search"] = {"method": name}
    for key, more in WITH.get(name, {}).items():
        made[key] = {**made.get(key, {}), **more}
    if part == "terminator":
        made["terminator"] = {**made["terminator"], "rule": name, **settings}
        if name == "dehb" and "eta" in settings:
            made["search"].update(settings)
    else:
        made[part].update(settings)
    if "population" not in made["search"]:
        made["search"]["trials"] = 20
    return made


def inside_and_outside(setting):
    """Values at and within the bounds, and values beyond them."""
    if "anyOf" in setting:  # words, and words that begin so
        return [setting["default"]] if "default" in setting else [], ["nosuch "]
    if "enum" in setting:
        return setting["enum"], ["nosuch"]
    if setting["type"] == "boolean":
        return [True, False], ["nosuch"]
    if setting["type"] == "string":
        return [], [17]
    inside, outside = [setting[one] for one in ("default",) if one in setting], ["nosuch"]
    for bound, excluding, beyond in (("minimum", "exclusiveMinimum", -1),
                                     ("maximum", "exclusiveMaximum", 1)):
        if bound in setting:
            inside.append(setting[bound])
            outside.append(setting[bound] + beyond)
        if excluding in setting:
            outside.append(setting[excluding])
    if setting["type"] == "integer":
        inside = [int(one) for one in inside]
        outside += [(inside[0] if inside else 1) + 0.5]
    return inside, outside


@pytest.mark.parametrize("part", ["search", "terminator"])
def test_every_setting_of_a_method_or_rule_is_in_the_schema(part, tmp_path):
    """The error of hone about an unknown setting names all that there are, of each version."""
    rows = rows_of(json.loads(ok("schema")), part)
    for name, settings in rows.items():
        known = set()
        bounds = settings.get("version", {"minimum": 0, "maximum": 0})
        for version in range(bounds["minimum"], bounds["maximum"] + 1):
            more = {"version": version} if version else {}
            file = tmp_path / "sweep.json"
            file.write_text(json.dumps(sweep_with(part, name, nosuch=1, **more)))
            refused = hone("plan", file, HONE_SERVER="http://127.0.0.1:1")
            assert refused.returncode == 2 and "no setting 'nosuch'" in refused.stderr, refused
            names = re.search(r"it has ([a-z_0-9, ]+)", refused.stderr)
            known |= set(names[1].split(", ") if names else ())
        assert known == set(settings), name


def test_every_setting_of_a_trainer_is_in_the_schema():
    rows = rows_of(json.loads(ok("schema")), "trainer")
    for name, settings in rows.items():
        helped = subprocess.run([program("hone-train"), name, "--help"], capture_output=True,
                                text=True, check=True).stdout
        lines = re.findall(r"^  ([a-z][a-z0-9_]*)(?: |$)", helped, re.M)
        assert set(lines) == set(settings), name


@pytest.mark.parametrize("part", ["trainer", "search", "terminator"])
def test_the_schema_and_plan_agree_about_each_setting(validator, part, tmp_path):
    tried, differing = 0, []
    for name, settings in rows_of(json.loads(ok("schema")), part).items():
        for setting, schema in settings.items():
            inside, outside = inside_and_outside(schema)
            for value in outside[-1:] if part == "trainer" else outside:  # of 500 settings
                made = sweep_with(part, name, **{setting: value})
                if validator.is_valid(made) or not plan_refuses(tmp_path, made):
                    differing.append((name, setting, value))
            for value in inside:
                if setting in ("first_rung", "phases") or (name, setting) == ("dehb", "eta"):
                    value = min(value, PHASES)
                made = sweep_with(part, name, **{setting: value})
                whole = part == "trainer" or (name, setting) in TOGETHER
                if not validator.is_valid(made) or not whole and plan_refuses(tmp_path, made):
                    differing.append((name, setting, value))
            tried += len(inside) + len(outside)
            assert schema.get("description"), (name, setting)
    assert tried > 60 and not differing


def test_a_row_without_its_needed_settings_does_not_fit(validator, tmp_path):
    made = sweep_with("terminator", "threshold")
    del made["terminator"]["phases"]
    assert not validator.is_valid(made) and plan_refuses(tmp_path, made)


def test_init_names_the_schema_for_editors(tmp_path):
    ok("init", "ga3c", cwd=tmp_path)
    first = (tmp_path / "sweep.yaml").read_text().splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=sweep.schema.json "), first
