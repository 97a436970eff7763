"""A hone-server of this program, for sweeps where no other server runs."""

from __future__ import annotations

import os
import pathlib
import select
import shutil
import subprocess
from typing import List, Optional

from .errors import HoneError, Unavailable

START_S = 30.0
STOP_S = 15.0


def find_program(name: str) -> str:
    """The path of one of hone's programs: from HONE_BIN, of the wheel or the Debian package that
    holds this module, or from PATH."""
    here = pathlib.Path(__file__).resolve()
    folders: List[pathlib.Path] = []
    if len(here.parents) > 4 and here.parents[1].name in ("site-packages", "dist-packages"):
        folders.append(here.parents[4] / "bin")  # of PREFIX/lib/python3.11/site-packages/hone
    if os.environ.get("HONE_BIN"):
        folders.insert(0, pathlib.Path(os.environ["HONE_BIN"]))
    for folder in folders:
        if os.access(folder / name, os.X_OK):
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise HoneError(f"{name} is not installed: put it on the PATH, name its folder in "
                        "HONE_BIN, or start a server elsewhere and name it in HONE_SERVER")
    return found


def data_folder() -> str:
    """Where `hone up` keeps its data: HONE_DATA, or ~/.hone."""
    return os.environ.get("HONE_DATA") or os.path.expanduser("~/.hone")


def private_folder(path: str) -> str:
    """Makes a folder that other users cannot read, with every folder above it that is missing."""
    parent = os.path.dirname(path)
    if parent and not os.path.isdir(parent):
        private_folder(parent)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def askers_folder() -> str:
    """Where the names of askers are locked: below HONE_DATA, or in the user's cache. No server needs
    to run here."""
    if os.environ.get("HONE_DATA"):
        return os.path.join(data_folder(), "askers")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "hone", "askers")


class LocalServer:
    """A hone-server on a free port of this machine. It ends with this process."""

    def __init__(self, data: Optional[str] = None) -> None:
        """Starts the server on the folder `data` (that of `hone up`). Raises Unavailable with the
        server's own reason if it does not start, as when another one uses the folder."""
        folder = data or data_folder()
        private_folder(folder)
        with open(os.path.join(folder, "python-server.log"), "ab") as log:
            begin = log.tell()
            self._process = subprocess.Popen(
                [find_program("hone-server"), "--data", folder, "--listen", "127.0.0.1:0",
                 "--die-with-parent"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                start_new_session=True)  # Ctrl-C is for this program, which then ends the server
            log_path = log.name
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], START_S)
        line = self._process.stdout.readline().decode() if ready else ""
        if "://" not in line:
            self.close()
            with open(log_path, "rb") as text:
                text.seek(begin)
                reason = text.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            raise Unavailable("hone-server did not start: "
                              + "".join(reason or [f"see {log_path}"]))
        self.url = line.split()[-1]

    def close(self) -> None:
        """Ends the server; its data stays."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
