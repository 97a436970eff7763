"""tools/release with the programs that are built; the Debian packages are test_deb.py's."""
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile

import pytest

from conftest import BIN, ROOT, VERSION, program


def release(out, *words):
    return subprocess.run([sys.executable, ROOT / "tools" / "release", *words, "--suites", "",
                           "--no-cross", "--out", out], capture_output=True, text=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    program("hone-bench")
    for tool in ("git", "ninja", "dpkg-query", "objdump", "readelf", "strip", "ldd"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    if not (ROOT / ".git").exists() or not (BIN.parent / "build.ninja").exists():
        pytest.skip("needs a clone and its build")
    folders = [tmp_path_factory.mktemp("release") / name for name in "12"]
    for folder in folders:
        done = release(folder, VERSION, "--dirty", "--build", BIN.resolve().parent)
        assert done.returncode == 0, done.stderr
    return folders


def test_two_releases_of_a_commit_have_equal_bits(made):
    first, second = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in made]
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_the_digests_are_those_of_the_files(made):
    lines = (made[0] / "SHA256SUMS").read_text().splitlines()
    named = dict(reversed(line.split("  ")) for line in lines)
    files = [path for path in made[0].iterdir() if path.name != "SHA256SUMS"]
    assert len(files) == 5
    assert named == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_source_archive_holds_the_files_of_the_commit(made):
    listed = subprocess.run(["git", "ls-tree", "-r", "--name-only", "HEAD"], cwd=ROOT, text=True,
                            capture_output=True, check=True).stdout.splitlines()
    with tarfile.open(made[0] / f"hone-{VERSION}.tar.gz") as archive:
        files = {one.name for one in archive if not one.isdir()}
    assert files == {f"hone-{VERSION}/{name}" for name in listed}


def test_the_bill_of_materials_names_the_packages_of_the_programs(made):
    bill = json.loads((made[0] / f"hone-{VERSION}.cdx.json").read_text())
    found = {one["name"]: one for one in bill["components"]}
    for name in ("libssl-dev", "libsqlite3-dev", "libyaml-cpp-dev", "nlohmann-json3-dev"):
        installed = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], text=True,
                                   capture_output=True).stdout
        assert found[name]["version"] == installed
        assert found[name]["purl"].startswith(f"pkg:deb/debian/{name}@")


def test_the_notes_are_the_part_of_the_changelog(made):
    text = (made[0] / "NOTES.md").read_text()
    assert text in (ROOT / "CHANGELOG.md").read_text()
    assert "## [" not in text and "### Added" in text


def test_another_version_than_the_source_has_is_refused(tmp_path):
    done = release(tmp_path / "out", "9.9.9")
    assert done.returncode == 1 and f"CMakeLists.txt has version {VERSION}" in done.stderr
    assert not (tmp_path / "out").exists()
