"""The specification of docs/commands.md in a few lines, independent of the worker's code: what a
program's output holds under a `command.collect`, as a list of (phase, value)."""
import json
import math
import re
import statistics

WRAPPED = re.compile(r"(?:np\.float64|tensor)\(([^,]*)(?:, \w+=.*)?\)|\[(.*)\]|'(.*)'")
PLAIN = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|inf|infinity)", re.IGNORECASE)


def number(text):
    text = text.strip(" \t\r\n")
    while wrapped := WRAPPED.fullmatch(text):
        text = next(group for group in wrapped.groups() if group is not None).strip()
    if re.fullmatch(r"\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,}", text):
        text = text.replace(",", "")
    return float(text) if PLAIN.fullmatch(text) else None


def value(field):
    if isinstance(field, (int, float)) and not isinstance(field, bool):
        return float(field)
    return number(field) if isinstance(field, str) else None


def rows(text, spec):
    """A dictionary of columns for each line that has some."""
    header = separator = None
    for line in re.split("\r\n|\r|\n", text):
        if spec["format"] == "jsonl":
            try:
                found = json.loads(line) if line.lstrip().startswith("{") else None
            except ValueError:
                found = None
            yield {key: value(one) for key, one in found.items()} if isinstance(found, dict) else {}
        elif spec["format"] == "regex":
            found = re.search(spec["pattern"].replace("(?<", "(?P<"), line)
            yield {key: value(one) for key, one in found.groupdict().items()} if found else {}
        else:
            marks = [mark for mark in ",;\t" if mark in line]
            cells = [cell.strip() for cell in line.split(separator or (marks or [","])[0])]
            if "score" in cells:
                header, separator = cells, separator or (marks or [","])[0]
            elif header and line.strip():
                yield {key: value(one) for key, one in zip(header, cells)}


def summary(values, spec):
    numbers = [one for one in values if not math.isnan(one)]
    last = spec["value"] == "last"
    some_nan = len(numbers) < len(values)
    bad = 2 * len(numbers) < len(values) or spec.get("nan") == "diverged" and some_nan
    if not numbers or bad or any(map(math.isinf, numbers)) or last and math.isnan(values[-1]):
        return "diverged"
    ways = {"last": lambda all: all[-1], "mean": lambda all: sum(all) / len(all), "max": max,
            "min": min, "median": statistics.median}
    return ways[spec["value"]](numbers)


def reports(text, spec, per_run, phases):
    """All reports until the first that is diverged, for a program that exits with status 0."""
    found, held, fresh, began, only_nan, counted, step = [], [], False, False, False, 0.0, 0
    for row in rows(text, spec):
        score, named = row.get("score"), row.get("step")
        if all(row.get(key) is None for key in ("score", "step")):
            continue
        if spec.get("step") is None:
            counted += score is not None
            at = counted
        else:
            summed = isinstance(spec["step"], dict)
            at = step if named is None else counted + named if summed else named
        if not 0 <= at <= 2**53 - 1:
            continue
        if isinstance(spec.get("step"), dict) and named is not None:
            counted = at
        step = math.floor(at)
        if score is not None:
            skipped = math.isnan(score) and (
                spec.get("nan") == "skip" or "nan" not in spec and not began)
            only_nan, began = True, began or not math.isnan(score)
            if not skipped:
                held, fresh = (held + [score])[-spec["window"] or None:], True
        while len(found) < phases and step >= per_run * (len(found) + 1) // phases:
            late = only_nan and not began and "nan" not in spec and step >= (per_run + 1) // 2
            if not fresh and not late:
                break
            found.append((len(found), summary(held, spec)))
            fresh = len(found) < phases and step >= per_run * (len(found) + 1) // phases
            held = held if spec["window"] or fresh else []
    if len(found) < phases and (fresh or only_nan and not began and "nan" not in spec):
        found.append((len(found), summary(held, spec)))
    ends = [i for i, (_, one) in enumerate(found) if one == "diverged"]
    return found[:ends[0] + 1] if ends else found
