"""What can go wrong, and the one way out of a training loop."""

from __future__ import annotations


class HoneError(Exception):
    """The base of every error of this package."""


class Invalid(HoneError):
    """A document breaks a rule. `at` is a JSON pointer to where."""

    def __init__(self, detail: str, at: str = "") -> None:
        super().__init__(f"{at}: {detail}" if at else detail)
        self.detail = detail
        self.at = at


class Unavailable(HoneError):
    """Nobody answers: the server, or the worker of this trial."""


class Problem(HoneError):
    """A refusal by the server or the worker."""

    def __init__(self, code: str, detail: str, at: str = "", retryable: bool = False) -> None:
        super().__init__(f"{at}: {detail}" if at else detail)
        self.code = code
        self.detail = detail
        self.at = at
        self.retryable = retryable


class Stopped(SystemExit):
    """The verdict was to stop or to pause. Uncaught, it ends the program with status 0, as hone expects."""

    def __init__(self, verdict: str, reason: str) -> None:
        super().__init__(0)
        self.verdict = verdict
        self.reason = reason

    def __str__(self) -> str:
        return f"hone said {self.verdict}: {self.reason}"
