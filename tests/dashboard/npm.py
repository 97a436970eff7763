"""Packages of npm that tests alone use. Each is installed once, into a cache outside the tree."""

import os
import pathlib
import shutil
import subprocess

INSTALL_SECONDS = 120


def package(name, version):
    """The folder of a package and None, or None and why it is not here."""
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = home / "hone-tests" / f"{name}-{version}"
    found = folder / "node_modules" / name
    if (found / "package.json").exists():
        return found, None
    npm = shutil.which("npm")
    if npm is None:
        return None, f"there is no npm to install {name} (apt-get install npm)"
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]
    command += ["--prefix", str(folder), f"{name}@{version}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"npm did not install {name} within {INSTALL_SECONDS} s: no network?"
    if done.returncode != 0:
        return None, f"npm could not install {name}: " + done.stderr.strip()[-300:]
    return found, None
