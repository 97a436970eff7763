# --name=value replaces a global of the program, which executes this file.
import sys
from ast import literal_eval

for arg in sys.argv[1:]:
    key, val = arg[2:].split('=')
    if key not in globals():
        raise ValueError(f"Unknown config key: {key}")
    try:
        attempt = literal_eval(val)
    except (SyntaxError, ValueError):
        attempt = val
    assert isinstance(attempt, type(globals()[key])), (key, attempt)
    globals()[key] = attempt
