"""What every skeleton does with its flags: prints them, and rows as its model prints them."""
import json


def got(values):
    print("GOT " + json.dumps(values, default=lambda one: getattr(one, "__dict__", str(one))))
