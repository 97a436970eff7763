"""The Python SDK of hone: `current()` in a trial, `Client` elsewhere. docs/sdk.md explains both."""

from .client import Asked, Client, HTTPProblem
from .errors import HoneError, Invalid, Problem, Stopped, Unavailable
from .trial import Budget, Phase, Resume, Run, Verdict, current, in_trial

__version__ = "0.1.0"
__all__ = [
    "Asked", "Budget", "Client", "HTTPProblem", "HoneError", "Invalid", "Phase", "Problem", "Resume", "Run",
    "Stopped", "Unavailable", "Verdict", "current", "in_trial",
]
