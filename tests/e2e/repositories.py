"""Git repositories of tests."""
import subprocess


def git(folder, *words):
    author = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
    return subprocess.run(["git", *author, *words], cwd=folder, check=True, capture_output=True,
                          text=True).stdout.strip()


def repository(folder, program):
    """A new repository on branch main with a train.py, which is not committed."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "train.py").write_text(program)
    return folder


def commit(folder, value):
    """Commits train.py with a value.py; returns the commit."""
    (folder / "value.py").write_text(f"VALUE = {value}\n")
    git(folder, "add", "value.py", "train.py")
    git(folder, "commit", "-q", "-m", f"value {value}")
    return git(folder, "rev-parse", "HEAD")
