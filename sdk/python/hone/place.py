"""Where and with what the commands of a submitted document run, and snapshots of their code. As
sdk/cli/local/place.cpp and sdk/cpp/code_snapshot.cpp do it."""
import hashlib
import json
import os
import shlex
import shutil
import stat
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from .errors import HoneError
from .repository import git

BYTES_MAX = 64 << 20  # code, not data; as the worker accepts them
FILES_MAX = 20_000
LINE_BYTES_MAX = 4 << 20
PATH_BYTES_MAX = 1000


def commands_of(document: Dict[str, Any]) -> Iterator[Tuple[Dict[str, Any], str]]:
    """Each object that has a command, and its key."""
    steps = document.get("steps") if isinstance(document, dict) else None
    for one in [document, *(steps if isinstance(steps, list) else [])]:
        if isinstance(one, dict) and one.get("command"):
            yield one, "command"


def _words(given: Any) -> List[str]:
    try:
        return shlex.split(given) if isinstance(given, str) else [str(word) for word in given]
    except (TypeError, ValueError):
        return []


def _names_a_file(words: List[str]) -> bool:
    parts = [part for word in words for part in word.split()] + words
    for before, part in zip([""] + parts, parts):
        part = part[len("${hone.work}/"):] if part.startswith("${hone.work}/") else part
        part = part.split("=", 1)[-1]
        if before == "-m" and (os.path.isdir(part.replace(".", "/"))
                               or os.path.isfile(part.replace(".", "/") + ".py")):
            return True
        if part and part[0] not in "/-" and "${" not in part and os.path.isfile(part):
            return True
    return False


def _interpreter_for(program: str) -> Optional[str]:
    python = program in ("python", "python3")
    for root in (os.environ.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX")):
        if os.path.isabs(root) and (python or os.access(f"{root}/bin/{program}", os.X_OK)):
            for name in ("python3", "python"):
                if os.access(f"{root}/bin/{name}", os.X_OK):
                    return f"{root}/bin/{name}"
    return shutil.which(program) if python else None


def record(document: Dict[str, Any]) -> None:
    """Makes `cwd` and `python` absolute, and records this process's folder, for a command that names
    a file in it, and its interpreter."""
    for holder, key in commands_of(document):
        command = holder[key]
        command = dict(command) if isinstance(command, dict) else {"run": command}
        for name in ("cwd", "python"):
            given = command.get(name)
            if isinstance(given, str) and given:
                found = shutil.which(given) if name == "python" and "/" not in given else None
                command[name] = found or os.path.abspath(os.path.expanduser(given))
        words = _words(command.get("run"))
        place: Dict[str, str] = {}
        if not command.get("cwd") and not command.get("code") and (
                _names_a_file(words) or _names_a_file(_words(command.get("prepare") or []))):
            place["folder"] = os.getcwd()
        if words and "/" not in words[0] and not command.get("python"):
            python = _interpreter_for(words[0])
            if python and os.path.isabs(python):
                place["python"] = python
        if place and not command.get("submitter"):
            command["submitter"] = place
        if len(command) > 1:
            holder[key] = command


def _stays_inside(path: str, target: str) -> bool:
    depth, named = path.count("/"), False
    if not target or len(os.fsencode(target)) > PATH_BYTES_MAX or target.startswith("/"):
        return False
    for part in target.split("/"):
        if part == "..":
            depth -= 1
            if named or depth < 0:
                return False
        named = named or part not in ("", ".", "..")
    return named


def _is_text(name: str) -> bool:
    return name.isprintable() and len(os.fsencode(name)) <= PATH_BYTES_MAX and not any(
        "\ud800" <= c <= "\udfff" for c in name)


def _entry(folder: str, name: str) -> Optional[Tuple[Dict[str, Any], bytes]]:
    path = os.path.join(folder, name)
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None  # deleted, but tracked
    above = os.path.realpath(os.path.dirname(path))
    if not _is_text(name) or os.path.commonpath([folder, above]) != folder:
        return None
    if stat.S_ISLNK(mode):
        target = os.readlink(path)
        inside = _stays_inside(name, target) and _is_text(target)
        return ({"path": name, "link": target}, b"") if inside else None
    if not stat.S_ISREG(mode):
        return None
    if os.path.getsize(path) > BYTES_MAX:
        raise HoneError(f"{path} is too large for a snapshot, of at most {BYTES_MAX >> 20} MiB")
    with open(path, "rb") as file:
        content = file.read()
    entry: Dict[str, Any] = {"path": name, "bytes": len(content)}
    if mode & stat.S_IXUSR:
        entry["program"] = True
    return entry, content


def packed(folder: str) -> Tuple[bytes, bytes]:
    """The tracked files of the folder as one blob, and the patch that they contain."""
    folder = os.path.realpath(folder)
    commit = git("rev-parse", "--verify", "HEAD", folder=folder).strip()
    names = sorted(set(git("ls-files", "-z", "--cached", folder=folder).split("\0")) - {""})
    if not commit or not names:
        raise HoneError("code: snapshot takes the files that git tracks: "
                        f"{folder} is not in a git repository with a commit, or has none")
    patch = git("diff", "--no-color", "--no-ext-diff", "--no-textconv",
                "--ignore-submodules=dirty", "--binary", "HEAD",
                folder=folder).encode("utf-8", "surrogateescape")
    entries = [entry for entry in (_entry(folder, name) for name in names) if entry]
    line = json.dumps({
        "hone_snapshot": 1, "git_commit": commit,
        "git_branch": git("symbolic-ref", "--short", "HEAD", folder=folder).strip(),
        "patch_bytes": len(patch), "files": [entry for entry, _ in entries]},
        ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    whole = b"".join([line, patch, *(content for _, content in entries)])
    if len(whole) > BYTES_MAX or len(line) > LINE_BYTES_MAX or len(entries) > FILES_MAX:
        raise HoneError(f"{folder} is too large for a snapshot, of at most {FILES_MAX} files and "
                        f"{BYTES_MAX >> 20} MiB: take data out of the repository")
    return whole, patch


def take_snapshots(document: Dict[str, Any], put: Callable[[str, bytes], Any]) -> None:
    """Takes the snapshots that the commands want; `put` stores each text under its digest."""
    for holder, key in commands_of(document):
        command = holder[key]
        if not isinstance(command, dict) or command.get("code") != "snapshot":
            continue
        whole, patch = packed(command.pop("cwd", None) or os.getcwd())
        for content in filter(None, (whole, patch)):
            put(hashlib.sha256(content).hexdigest(), content)
        command["code"] = {"sha256": hashlib.sha256(whole).hexdigest(), "bytes": len(whole)}
