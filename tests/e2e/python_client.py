"""For tests of the Python SDK: a client of the server, and a folder for what the SDK keeps."""
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "sdk" / "python"))
import hone  # noqa: E402


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """Where the names of askers are locked."""
    monkeypatch.setenv("HONE_DATA", str(tmp_path / "home"))


@pytest.fixture
def client(server):
    with hone.Client(f"http://127.0.0.1:{server.port}") as one:
        yield one
