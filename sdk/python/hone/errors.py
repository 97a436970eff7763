"""The exceptions of this package."""

from __future__ import annotations


class HoneError(Exception):
    """The base class of all errors of this package."""


class Invalid(HoneError):
    """A document breaks a rule; `at` is a JSON pointer to the field."""

    def __init__(self, detail: str, at: str = "") -> None:
        super().__init__(f"{at}: {detail}" if at else detail)
        self.detail = detail
        self.at = at


class Unavailable(HoneError):
    """The server, or the worker of this trial, does not answer."""


class Problem(HoneError):
    """The server or the worker rejected a request."""

    def __init__(self, code: str, detail: str, at: str = "", retryable: bool = False) -> None:
        super().__init__(f"{at}: {detail}" if at else detail)
        self.code = code
        self.detail = detail
        self.at = at
        self.retryable = retryable


class Infeasible(HoneError):
    """Raise this in a train function: its parameters cannot work, and the search learns it."""


class Stopped(SystemExit):
    """The verdict is to stop or to pause. If it is not caught, the program ends with status 0, as hone expects."""

    def __init__(self, verdict: str, reason: str) -> None:
        super().__init__(0)
        self.verdict = verdict
        self.reason = reason

    def __str__(self) -> str:
        return f"verdict {self.verdict}: {self.reason}"
