"""The package index has a package `hone` of others, which converts CSV files. It installs a module
and a program of the same names as this one (the distribution hone-rl): either replaces files of the
other."""

from __future__ import annotations

import os
import re
import warnings
from typing import List

# As pip writes it: hone-0.2.2.dist-info, hone-0.2.2-py3.11.egg-info; not hone_rl-0.1.0.dist-info.
OTHER = re.compile(r"hone-[0-9][^-]*(-py[0-9.]+)?\.(dist|egg)-info$")


def others(folder: str) -> List[str]:
    """The distributions `hone` that are installed in a folder of packages."""
    try:
        return sorted(name for name in os.listdir(folder) if OTHER.match(name))
    except OSError:  # in a zip file
        return []


def warn() -> None:
    """Warns where this module and another one share a folder."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = others(folder)
    if found:
        warnings.warn(f"{folder} also holds {', '.join(found)}, another package that replaces "
                      "files of this one. Mend it by: pip uninstall -y hone hone-rl, then install "
                      "hone-rl again", RuntimeWarning, stacklevel=3)
