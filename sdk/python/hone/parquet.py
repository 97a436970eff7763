"""The rows of a sweep as a Parquet file. Needs pyarrow: pip install pyarrow.

    python3 -m hone.parquet sw_7 trials.parquet
    python3 -m hone.parquet sw_7 reports.parquet --rows reports
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .errors import HoneError
from .sweep import Sweep
from .values import is_number, result_numbers


def write(rows: Sequence[Mapping[str, Any]], path: str) -> None:
    """Writes one column for each key. A column of numbers keeps them, with NaN for `diverged`; any
    other column with several kinds of values is text, lists and objects as JSON."""
    try:
        arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise HoneError("Parquet files need pyarrow, which this Python does not have: pip install "
                        "pyarrow; hone export --format csv needs nothing") from None
    names: Dict[str, None] = {name: None for row in rows for name in row}
    columns = {name: column([row.get(name) for row in rows]) for name in names}
    parquet.write_table(arrow.table(columns), path)


def column(values: List[Any]) -> List[Any]:
    """The values with one type, None where there is none."""
    values = result_numbers(values)
    given = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in given):
        return values
    if all(is_number(value) for value in given):
        if all(isinstance(value, int) and abs(value) < 2**63 for value in given):
            return values
        return [None if value is None else float(value) for value in values]
    return [value if value is None or isinstance(value, str) else json.dumps(value)
            for value in values]


def main(words: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m hone.parquet", description="Write the rows of a sweep as a Parquet file.")
    parser.add_argument("sweep", help="id of the sweep, as sw_7")
    parser.add_argument("file", help="file to write")
    parser.add_argument("--rows", choices=("trials", "reports"), default="trials",
                        help="what becomes a row (trials)")
    given = parser.parse_args(words)
    try:
        Sweep.open(given.sweep).parquet(given.file, given.rows)
    except (HoneError, OSError) as error:
        print(f"hone: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
