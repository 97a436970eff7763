"""`cmake --install`: programs, man pages, completions and the SDK."""
import gzip
import shutil
import subprocess

import pytest

import commands
from commands import Up
from conftest import BIN, ROOT, VERSION

BUILD = BIN.parent.resolve()


def built(*paths):
    for path in paths:
        if not (BUILD / path).exists():
            pytest.skip(f"{BUILD / path} is not built")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    built("bin/hone", "bin/hone-server", "bin/hone-worker", "bin/hone-train",
          "bin/hone-bench", "packaging/man/hone.1.gz", "packaging/libhone_sdk.a")
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    folder = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True,
                   stdout=subprocess.DEVNULL)
    return folder


def output(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_programs_run_from_where_they_are_installed(prefix):
    assert output(prefix / "bin/hone", "version").startswith(f"hone {VERSION}")
    for name in ("hone-server", "hone-worker", "hone-train", "hone-bench"):
        assert "sage" in output(prefix / "bin" / name, "--help")
    assert "hone-server" in output(prefix / "bin/hone", "server", "--help")


def test_man_pages_tell_every_command(prefix):
    pages = prefix / "share/man/man1"
    assert sorted(path.name for path in pages.iterdir()) == [
        "hone-bench.1.gz", "hone-relay.1.gz", "hone-server.1.gz", "hone-train.1.gz",
        "hone-worker.1.gz", "hone.1.gz"]
    text = gzip.decompress((pages / "hone.1.gz").read_bytes()).decode()
    for heading in ("SUBMIT", "WATCH", "LINEAGE", "DB", "COMPLETION"):
        assert f".SH HONE {heading}" in text
    if shutil.which("man") is None:
        pytest.skip("man is not installed: the pages are not rendered")
    for page in pages.iterdir():
        done = subprocess.run(["man", "--warnings", "-l", "-E", "UTF-8", str(page)],
                              capture_output=True, text=True,
                              env={"MANWIDTH": "200", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        assert done.returncode == 0 and "NAME" in done.stdout, done.stderr


def test_completions_are_of_their_shell(prefix):
    bash = prefix / "share/bash-completion/completions/hone"
    output("bash", "-n", bash)
    words = output("bash", "-c",
                   f"PATH={prefix}/bin:$PATH; source {bash}; COMP_WORDS=(hone li); COMP_CWORD=1; "
                   "_hone; echo ${COMPREPLY[@]}")
    assert "lineage" in words
    assert (prefix / "share/zsh/vendor-completions/_hone").read_text().startswith("#compdef hone")
    assert "complete -c hone" in (prefix / "share/fish/vendor_completions.d/hone.fish").read_text()
    for shell, file in (("zsh", "share/zsh/vendor-completions/_hone"),
                        ("fish", "share/fish/vendor_completions.d/hone.fish")):
        if shutil.which(shell):
            output(shell, "-n", prefix / file)


def test_the_sdk_is_there_without_our_flags(prefix):
    assert (prefix / "include/hone/hone.hpp").exists()
    targets = "".join(path.read_text() for path in prefix.rglob("honeTargets*.cmake"))
    assert "hone::sdk" in targets and "-Werror" not in targets and "-Wall" not in targets
    assert (prefix / "share/hone/python/pyproject.toml").exists()


def test_a_sweep_of_the_installed_examples_by_the_installed_programs(prefix, tmp_path, monkeypatch):
    """Copies the examples, runs `hone up` next to them and submits. The source tree is not needed."""
    examples = tmp_path / "examples"
    shutil.copytree(prefix / "share/doc/hone/examples", examples)
    assert not [path for path in examples.rglob("*.*") if str(ROOT) in path.read_text()
                or "sdk/examples" in path.read_text()]
    monkeypatch.setattr(commands, "program", lambda name: str(prefix / "bin" / name))
    up = Up(tmp_path / "data", "--slots", "2", cwd=examples)
    try:
        for file in ("any-command.yaml", "sdk-trial.yaml", "ga3c-files.yaml"):
            sweep = commands.ok("submit", str(examples / file), "--set", "search.trials=3",
                                "--watch", "-q", server=up).split()[0]
            assert len(commands.ok("best", sweep, "--format", "csv", "--limit", "1",
                                   server=up).splitlines()) == 2, file
    finally:
        assert up.stop()[0] == 0
