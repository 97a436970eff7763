"""The Python SDK of hone: `Sweep` to search, `current()` in a trial, `Client` for everything else.
docs/sdk.md explains them."""

from .client import Asked, Client, HTTPProblem
from .errors import HoneError, Infeasible, Invalid, Problem, Stopped, Unavailable
from .local import LocalServer
from .space import Bool, Choice, Float, Int
from .sweep import Sweep
from .trial import Budget, Phase, Resume, Run, Verdict, current, in_trial

__version__ = "0.1.0"
__all__ = [
    "Asked", "Bool", "Budget", "Choice", "Client", "Float", "HTTPProblem", "HoneError",
    "Infeasible", "Int", "Invalid", "LocalServer", "Phase", "Problem", "Resume", "Run", "Stopped",
    "Sweep", "Unavailable", "Verdict", "current", "in_trial",
]
