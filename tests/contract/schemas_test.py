"""Compares schemas/v1 with schemas/cases and to the codec's sweep of the same rows
(tests/unit/codec/cases_test.cpp), and schemas/openapi.yaml to the files it names. Needs jsonschema;
skips (status 77) without it."""

import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is not installed (Debian: python3-jsonschema)")
    sys.exit(77)

root = pathlib.Path(__file__).resolve().parents[2] / "schemas"
schemas = {path.name: json.loads(path.read_text()) for path in sorted((root / "v1").glob("*.json"))}


def validator_of(name):
    """A validator whose schema refers to the other files by name: through a resolver in Debian 12,
    a registry in later versions."""
    schema = schemas[name]
    try:
        import referencing
    except ImportError:
        resolver = jsonschema.RefResolver(base_uri=name, referrer=schema, store=schemas)
        return jsonschema.Draft202012Validator(schema, resolver=resolver)
    draft = referencing.jsonschema.DRAFT202012
    registry = referencing.Registry().with_resources((n, draft.create_resource(s)) for n,
                                                     s in schemas.items())
    return jsonschema.Draft202012Validator({"$ref": name}, registry=registry)


def fault_of(row, validator):
    """What the row's schema and the row disagree about, or None."""
    errors = [f"/{'/'.join(map(str, e.absolute_path))}: {e.message}"
              for e in validator.iter_errors(row["value"])]
    if row.get("ok"):
        return f"refused: {errors[0]}" if errors else None
    expected = [] if row.get("beyond_schema") else ["refused"]
    return None if bool(errors) == bool(
        expected) else f"expected {expected or 'no refusal'}, got {errors}"


def main():
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    validators = {name.removesuffix(".json"): validator_of(name) for name in schemas}
    rows = [(path.name, row) for path in sorted((root / "cases").glob("*.json"))
            for row in json.loads(path.read_text())]
    faults = [
        f"{file}: {row['name']}: {fault}" for file,
        row in rows if (fault := fault_of(row, validators[row["schema"]]))
    ]
    unused = set(validators) - {row["schema"] for _, row in rows} - {"common"}
    faults += [f"no case for schema {name}" for name in sorted(unused)]
    print("\n".join(faults + [f"{len(rows)} rows, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
