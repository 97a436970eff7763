"""The value that every attempt of a run must report at the end of a phase, for trainer and check."""
import hashlib


def value_of(run, phase):
    return int(hashlib.sha256(f"{run}/{phase}".encode()).hexdigest()[:8], 16) / 2**32 + phase
