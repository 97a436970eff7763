"""Charts of a sweep as SVG, for notebooks and papers: those of `hone report`, drawn by the program."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Union

from .errors import HoneError
from .local import find_program

if TYPE_CHECKING:
    from .sweep import Sweep

DRAWN_S = 120.0  # of a sweep with 100,000 trials on a busy machine: seconds


class Figure:
    """A chart. A notebook shows it, save() writes it, str() is its text."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the chart to a file, as history.svg."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    __str__ = _repr_svg_


def drawn(sweep: Sweep, figure: str) -> Figure:
    """The figure of `hone report SWEEP --figure NAME`. Raises HoneError with the program's sentence
    where it draws none, and where the program is not installed."""
    words = [find_program("hone"), "report", sweep.id, "--figure", figure]
    try:
        done = subprocess.run(words, env=sweep.client.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=DRAWN_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise HoneError(f"{sweep.id} was not drawn within {DRAWN_S:.0f} s") from error
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip()
        raise HoneError(reason[len("hone: "):] if reason.startswith("hone: ") else reason)
    return Figure(done.stdout.decode("utf-8"))
