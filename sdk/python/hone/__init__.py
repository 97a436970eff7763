"""The Python SDK of hone: `Sweep` to search, `current()` in a trial, `Client` for everything else.
docs/sdk.md explains them."""

from . import collision as _collision
from .client import Asked, Client, HTTPProblem
from .errors import HoneError, Infeasible, Invalid, Problem, Stopped, Unavailable
from .local import LocalServer
from .space import Bool, Choice, Float, Int
from .sweep import Sweep
from .trial import Budget, Phase, Resume, Run, Verdict, current, in_trial
from .version import __version__

_collision.warn()
__all__ = [
    "Asked", "Bool", "Budget", "Choice", "Client", "Float", "HTTPProblem", "HoneError",
    "Infeasible", "Int", "Invalid", "LocalServer", "Phase", "Problem", "Resume", "Run", "Stopped",
    "Sweep", "Unavailable", "Verdict", "__version__", "current", "in_trial",
]
