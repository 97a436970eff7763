"""`hone schema`: editors check a sweep file as `hone plan` does."""
import copy
import json
import re

import pytest

from commands import hone, ok
from conftest import ROOT

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


def test_the_published_schema_agrees_with_the_cases(validator):
    for row in CASES:
        if row["schema"] == "sweep":
            refused = not validator.is_valid(row["value"])
            assert refused == (not row.get("ok") and not row.get("beyond_schema")), row["name"]


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


def is_setting(path, change):
    """Settings of trainers, methods and rules by name: hone alone knows those of each. An object may
    be a value of a choice."""
    if path[-2:-1] == ("values",):
        return True
    return path[:1] in (("trainer",), ("search",), ("terminator",)) and not (
        path[1:] in (("method",), ("trials",), ("rule",)) or change == "object")


@pytest.mark.parametrize("name", ["a command of the user's", "a command with all that it may say",
                                  "a population", "a pipeline", "the steps until a loss"])
def test_what_plan_refuses_for_its_form_the_schema_refuses(validator, tmp_path, name):
    [document] = [row["value"] for row in CASES if row["name"] == name]
    assert not plan_refuses(tmp_path, document)
    tried = 0
    for path, change, made in spoiled(document):
        if is_setting(path, change) or not plan_refuses(tmp_path, made):
            continue
        tried += 1
        assert not validator.is_valid(made), (path, change)
    assert tried > 5


def test_init_names_the_schema_for_editors(tmp_path):
    ok("init", "ga3c", cwd=tmp_path)
    first = (tmp_path / "sweep.yaml").read_text().splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=sweep.schema.json "), first
