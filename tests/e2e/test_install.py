"""`cmake --install` and the Debian packages: programs, man pages, completions and the SDK in their places."""
import pathlib
import shutil
import subprocess

import pytest

from conftest import BIN

BUILD = BIN.parent


def built(*paths):
    for path in paths:
        if not (BUILD / path).exists():
            pytest.skip(f"{BUILD / path} is not built")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    built("bin/hone", "bin/hone-server", "bin/hone-worker", "bin/hone-train", "packaging/man/hone.1",
          "packaging/libhone_sdk.a")
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    folder = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def output(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_programs_run_from_where_they_are_installed(prefix):
    assert output(prefix / "bin/hone", "version").startswith("hone 0.1")
    for name in ("hone-server", "hone-worker", "hone-train"):
        assert "sage" in output(prefix / "bin" / name, "--help")
    assert "hone-server" in output(prefix / "bin/hone", "server", "--help")


def test_man_pages_tell_every_command(prefix):
    pages = prefix / "share/man/man1"
    assert sorted(path.name for path in pages.iterdir()) == ["hone-server.1", "hone-train.1", "hone-worker.1", "hone.1"]
    for heading in ("SUBMIT", "WATCH", "LINEAGE", "DB", "COMPLETION"):
        assert f".SH HONE {heading}" in (pages / "hone.1").read_text()
    if shutil.which("man") is None:
        pytest.skip("man is not installed: the pages are not rendered")
    for page in pages.iterdir():
        done = subprocess.run(["man", "--warnings", "-l", "-E", "UTF-8", str(page)], capture_output=True, text=True,
                              env={"MANWIDTH": "200", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        assert done.returncode == 0 and "NAME" in done.stdout, done.stderr


def test_completions_are_of_their_shell(prefix):
    bash = prefix / "share/bash-completion/completions/hone"
    output("bash", "-n", bash)
    words = output("bash", "-c", f"source {bash}; COMP_WORDS=(hone li); COMP_CWORD=1; _hone; echo ${{COMPREPLY[@]}}")
    assert "lineage" in words
    assert (prefix / "share/zsh/vendor-completions/_hone").read_text().startswith("#compdef hone")
    assert "complete -c hone" in (prefix / "share/fish/vendor_completions.d/hone.fish").read_text()
    for shell, file in (("zsh", "share/zsh/vendor-completions/_hone"), ("fish", "share/fish/vendor_completions.d/hone.fish")):
        if shutil.which(shell):
            output(shell, "-n", prefix / file)


def test_the_sdk_is_there_without_our_flags(prefix):
    assert (prefix / "include/hone/hone.hpp").exists()
    targets = "".join(path.read_text() for path in prefix.rglob("honeTargets*.cmake"))
    assert "hone::sdk" in targets and "-Werror" not in targets and "-Wall" not in targets
    assert (prefix / "share/hone/python/pyproject.toml").exists()


def test_debian_packages_say_what_they_need(prefix, tmp_path):
    for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    done = subprocess.run(["cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", tmp_path],
                          capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    packages = {path.name.split("_")[0]: path for path in pathlib.Path(tmp_path).glob("*.deb")}
    assert set(packages) == {"hone", "libhone-dev"}
    needs = output("dpkg-deb", "-f", packages["hone"], "Depends")
    assert "libssl" in needs and "libc6" in needs
    files = output("dpkg-deb", "-c", packages["hone"])
    assert "./usr/bin/hone\n" in files.replace(" -> ", "\n") and "man1/hone.1" in files
    assert "nlohmann-json3-dev" in output("dpkg-deb", "-f", packages["libhone-dev"], "Depends")
