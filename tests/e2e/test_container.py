"""The image of tools/container: a sweep runs in it, and the archive names its user and ports.

Needs root, debootstrap, buildah and a mirror of Debian's packages, so it runs only with
HONE_BARE_ROOT (test_bare_root.py)."""
import json
import os
import shutil
import subprocess
import sys
import tarfile

import pytest

from conftest import BIN, ROOT, program

RELEASES = [name for name in os.environ.get("HONE_BARE_ROOT", "").split(",") if name]


def member(archive, digest):
    return json.load(archive.extractfile("blobs/" + digest.replace(":", "/")))


@pytest.mark.skipif(not RELEASES, reason="HONE_BARE_ROOT names no release of Debian")
@pytest.mark.parametrize("release", RELEASES or ["none"])
def test_an_image_is_built_and_runs_a_sweep(release, tmp_path):
    if os.geteuid() != 0 or not all(map(shutil.which, ("debootstrap", "buildah"))):
        pytest.skip("needs root, debootstrap and buildah")
    program("hone-bench")
    out = tmp_path / "hone.tar"
    done = subprocess.run([sys.executable, ROOT / "tools" / "container", "--bin", BIN,
                           "--release", release, "--out", out],
                          capture_output=True, text=True, timeout=900)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "completed  100%" in done.stdout and "hone-server" in done.stdout
    with tarfile.open(out) as archive:
        index = json.load(archive.extractfile("index.json"))
        image = member(archive, index["manifests"][0]["digest"])
        config = member(archive, image["config"]["digest"])["config"]
    assert config["User"] == "7777:7777" and "7777/tcp" in config["ExposedPorts"]
    assert config["Entrypoint"][0] == "hone-server" and "/data" in config["Volumes"]
    assert config["StopSignal"] == "SIGTERM"
