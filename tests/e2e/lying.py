"""A server that answers every route of schemas/openapi.yaml with lies: answers of the right form in
which values are missing, of another type, empty, deep, huge, at the ends of numbers, or commands to
a terminal. Which is wrong in an answer follows from a seed and the request."""
import json
import pathlib
import random
import re

import yaml

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "schemas"
DIGEST = "ab" * 32
CONTROLS = "\x1b[2J\x1b]0;owned\x07 \u009b31m \u202egnp.exe \u2066 \r\x08\x7f =1+1|cmd"
IDS = {"sw": "sw_1", "tr": "tr_1", "rn": "rn_1.0", "md": "md_1", "wf": "wf_1", "ds": "ds_1",
       "wk": "wk_1", "le": "le_1", "ev": "ev_1", "tk": "tk_1", "fl": "fl_1", "pi": "pi_1"}
# Members that lead a command on, where the schema is a plain text.
KNOWN = {"sweep": "sw_1", "trial": "tr_1", "run": "rn_1.0", "model": "md_1", "worker": "wk_1",
         "workflow": "wf_1", "dataset": "", "lease": "le_1", "evaluation": "ev_1",
         "sha256": DIGEST, "patch_sha256": DIGEST, "environment_sha256": DIGEST,
         "root": "tr_1", "next": None, "origin": None, "state": "completed", "git_commit": "c" * 40,
         "confirmation": "sw_1", "name": "plain", "role": "primary"}
IDS_OF_LISTS = {"sweeps": "sw_1", "trials": "tr_1", "runs": "rn_1.0", "models": "md_1",
                "best": "tr_1", "workers": "wk_1", "attempts": "rn_1.0#1", "find": "rn_1.0",
                "pareto": "tr_1", "curves": "rn_1.0", "confirm": "tr_1"}
SPEC = {"name": "a", "project": "p", "seed": 1,
        "objective": {"metric": "value", "goal": "maximize"},
        "command": ["python3", "x.py", "--lr", "${lr}"],
        "parameters": {"lr": {"type": "float", "min": 0.1, "max": 1}},
        "search": {"method": "random", "trials": 2}, "terminator": {"rule": "none"},
        "budget": {"unit": "steps", "per_run": 10, "phases": 2}}


def deep(levels=60):
    value = 1
    for _ in range(levels):
        value = {"a": [value]}
    return value


def wide():
    return {f"key {i}": i for i in range(3000)}


# Each is a class of lies; a callable, so that a large one is only made where it is used.
LIES = [
    lambda: None, lambda: [], lambda: {}, lambda: "", lambda: "text", lambda: [None], lambda: [[]],
    lambda: True, lambda: 0, lambda: -1, lambda: -2**63, lambda: 2**63 - 1, lambda: 2**64 - 1,
    lambda: 1e308, lambda: -1e308, lambda: 5e-324, lambda: 0.5, lambda: CONTROLS,
    lambda: [CONTROLS, {CONTROLS: CONTROLS}], lambda: {CONTROLS: [CONTROLS]}, deep, wide,
    lambda: "long " * 100_000, lambda: [0.5] * 30_000, lambda: [{"id": "sw_1"}] * 2000,
    lambda: "../../escaped", lambda: "diverged",
    lambda: "9999-12-31T23:59:59Z", lambda: "0000-00-00T99:99:99Z",
]


class Answers:
    def __init__(self):
        self.documents = {}
        self.root = self.document("openapi.yaml")
        self.routes = []
        for path, item in self.root["paths"].items():
            pattern = re.compile("^" + re.sub(r"\{[^}]+\}", "[^/]+", path) + "$")
            for verb in ("get", "post", "put", "delete"):
                if verb in item:
                    self.routes.append((verb.upper(), pattern, path, item[verb]))
        self.routes.sort(key=lambda route: route[2].count("{"))  # a fixed word before a parameter

    def document(self, name):
        if name not in self.documents:
            self.documents[name] = yaml.safe_load((SCHEMAS / name).read_text())
        return self.documents[name]

    def resolved(self, schema, base):
        while "$ref" in schema:
            file, _, pointer = schema["$ref"].partition("#")
            if file:
                base = str((pathlib.PurePosixPath(base).parent / file)).replace("v1/../", "")
            schema = self.document(base)
            for part in pointer.strip("/").split("/") if pointer else []:
                schema = schema[part]
        return schema, base

    def schema_of(self, verb, path):
        for method, pattern, template, operation in self.routes:
            if method == verb and pattern.match(path):
                responses = operation["responses"]
                response = responses.get("200") or responses.get("201") or {}
                response, base = self.resolved(response, "openapi.yaml")
                content = response.get("content", {})
                return template, content.get("application/json", {}).get("schema", {}), base
        return "", {}, "openapi.yaml"

    def value(self, schema, base, key, depth=0):
        """A value of the right form; `key` is the member that it is for."""
        schema, base = self.resolved(schema if isinstance(schema, dict) else {}, base)
        if key == "spec" and "engine" not in schema.get("properties", {}):
            return SPEC
        if key == "at" or key.endswith("_at"):
            return "2026-01-01T00:00:00Z"
        if key in KNOWN and schema.get("type") != "object":
            return KNOWN[key]
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        if depth > 8:
            return None
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return self.value(schema[word][0], base, key, depth + 1)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), None)
        if "allOf" in schema or "properties" in schema or kind == "object":
            made = {}
            for part in schema.get("allOf", []):
                found = self.value(part, base, key, depth + 1)
                made.update(found if isinstance(found, dict) else {})
            for name, of in schema.get("properties", {}).items():
                made[name] = self.value(of, base, name, depth + 1)
            further = schema.get("additionalProperties")
            if isinstance(further, dict):
                made["lr"] = self.value(further, base, "lr", depth + 1)
            return made
        if kind == "array":
            return [self.value(schema.get("items", {}), base, key, depth + 1)] * 2
        if kind == "integer":
            return max(1, schema.get("minimum", 1))
        if kind == "number":
            return 1.5
        if kind == "boolean":
            return True
        if schema.get("format") == "date-time":
            return "2026-01-01T00:00:00Z"
        prefix = re.match(r"\^?\(?([a-z]{2})_", schema.get("pattern", ""))
        if prefix and prefix[1] in IDS:
            return IDS[prefix[1]]
        return "text"

    def honest(self, verb, path):
        template, schema, base = self.schema_of(verb, path)
        made = self.value(schema, base, "")
        last = template.rstrip("/").split("/")[-1]
        if "/lineage/" in template:
            made["nodes"][1]["id"] = made["root"] = path.split("/")[-1]
            made["edges"] = [{"from": here, "to": there, "relation": "saved_by"}
                             for here, there in ((made["root"], "text"), ("text", made["root"]))]
        if isinstance(made, dict) and isinstance(made.get("items"), list):
            for item in made["items"]:
                if isinstance(item, dict) and last in IDS_OF_LISTS:
                    item["id"] = IDS_OF_LISTS[last]
        elif isinstance(made, dict) and last.startswith("{"):
            made["id"] = path.split("/")[-1].replace("%23", "#")
        return made

    def answer(self, verb, path, seed):
        """The document, and whether it is a refusal. Seed 0 is honest."""
        made = self.honest(verb, path)
        chance = random.Random(f"{seed} {verb} {path}")
        if seed == 0 or path == "/healthz":
            return made, False
        if seed % 8 == 7 and chance.random() < 0.5:
            return {"code": chance.choice(["invalid", "conflict", "internal", CONTROLS]),
                    "detail": CONTROLS, "at": "/" + CONTROLS, "retryable": False}, True
        share = (0.02, 0.1, 0.4, 1)[seed % 4]
        lies = [chance.choice(LIES)] if seed % 3 == 0 else LIES  # one class in all its places
        return told(made, chance, share, lies), False


def told(value, chance, share, lies, depth=0):
    """The value with lies in it; a share of 1 leaves the outermost object, or none would be read."""
    if depth > 0 and chance.random() < share:
        return chance.choice(lies)()
    if isinstance(value, dict):
        return {key: told(one, chance, share, lies, depth + 1) for key, one in value.items()
                if chance.random() >= share / 4}
    if isinstance(value, list):
        return [told(one, chance, share, lies, depth + 1) for one in value]
    return value


class Liar:
    """For listener.Listener: answers each request with the lies of its seed, which may change."""

    def __init__(self):
        self.answers, self.seed = Answers(), 0

    def __call__(self, handler):
        length = int(handler.headers.get("Content-Length", 0))
        handler.rfile.read(length)
        path = handler.path.split("?")[0]
        if path.startswith("/v1/blobs/"):
            body, status = b"no such content", 200
        elif path == "/ui/report.html":
            body, status = ("<html>" + CONTROLS + "@REPORT@</html>").encode(), 200
        else:
            document, refused = self.answers.answer(handler.command, path, self.seed)
            body = json.dumps(document, ensure_ascii=False).encode()
            status = 400 if refused else 200
        if "text/event-stream" in handler.headers.get("Accept", ""):
            body = b"data: " + body + b"\n\n"
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        try:
            handler.wfile.write(body)
        except OSError:  # the client has had enough
            pass
