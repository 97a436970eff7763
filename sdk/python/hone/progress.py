"""One line about a sweep that moves while it runs, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from typing import Any, Mapping, Optional, TextIO

EACH_S = 0.25  # between two looks at the server, so that progress costs a thousandth of its time
PLAIN_EACH_S = 30.0  # between two lines where a line cannot be drawn again
WIDTH = 79


def wanted(progress: Optional[bool], stream: TextIO) -> bool:
    """Whether to show progress: as asked, else where a user sees it move."""
    return progress if progress is not None else moves(stream)


def moves(stream: TextIO) -> bool:
    """Whether a carriage return draws the line again: on a terminal and in a notebook."""
    return stream.isatty() or "ipykernel" in sys.modules


def duration_text(seconds: float) -> str:
    """As hone prints durations: 8s, 3m20s, 2h05m, 3d04h."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d{hour:02d}h"
    if hours:
        return f"{hour}h{minute:02d}m"
    return f"{minute}m{second:02d}s" if minutes else f"{second}s"


def line_of(sweep: Mapping[str, Any]) -> str:
    """The state of a sweep in one line: trials, phases, the best value, what runs, time left."""
    phases, runs, trials = sweep["phases"], sweep["runs"], sweep["trials"]
    share = min(1.0, phases["done"] / phases["expected"]) if phases["expected"] else 0.0
    filled = round(20 * share)
    words = [f"{sweep['id']}  {'#' * filled}{'.' * (20 - filled)} {100 * share:3.0f} %",
             f"{trials['proposed']}/{trials['total']} trials"]
    if runs["failed"]:
        words.append(f"{runs['failed']} failed")
    best = sweep.get("best") or {}
    if isinstance(best.get("value"), (int, float)):
        expected = best.get("expected")
        shown = f", expected {expected:.6g}" if isinstance(expected, (int, float)) else ""
        words.append(f"best {best['value']:.6g}{shown} ({best['trial']})")
    eta = sweep.get("eta") or {}
    if isinstance(eta.get("seconds"), (int, float)):
        words.append(f"{duration_text(eta['seconds'])} left")
    return "  ".join(words)[:WIDTH]


class Progress:
    """Draws line_of() a sweep again and again. Draws nothing where it is not wanted."""

    def __init__(self, progress: Optional[bool], stream: Optional[TextIO] = None) -> None:
        self._stream = stream or sys.stderr
        self._moves = moves(self._stream)
        self._wanted = wanted(progress, self._stream)
        self._next = time.monotonic() + (0.0 if self._moves else PLAIN_EACH_S)
        self._shown = ""

    def due(self) -> bool:
        """Whether enough time has passed to look again."""
        return self._wanted and time.monotonic() >= self._next

    def show(self, sweep: Mapping[str, Any]) -> None:
        """Draws the sweep, a row of GET /v1/sweeps/{sweep}."""
        if not self._wanted:
            return
        self._next = time.monotonic() + (EACH_S if self._moves else PLAIN_EACH_S)
        line = line_of(sweep)
        if line != self._shown:
            start, end = ("\r", "") if self._moves else ("", "\n")
            self._stream.write(start + line.ljust(len(self._shown)) + end)
            self._stream.flush()
        self._shown = line

    def close(self) -> None:
        """Ends the line, so that what follows begins a new one."""
        if self._wanted and self._moves and self._shown:
            self._stream.write("\n")
            self._stream.flush()
        self._shown = ""
