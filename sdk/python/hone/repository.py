"""git, in a folder whose repository may be a stranger's: what its configuration names as programs
(hooks, monitors, filters, drivers of differences) does not run. As sdk/cpp/git.cpp does it."""
import os
import re
import subprocess
from typing import Dict, List, Optional, Tuple

_FIXED = [("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null"), ("core.pager", "cat"),
          ("core.editor", "false"), ("core.askPass", "false"), ("core.sshCommand", "false"),
          ("core.gitProxy", ""), ("core.alternateRefsCommand", "false"), ("diff.external", ""),
          ("interactive.diffFilter", ""), ("credential.helper", ""),
          ("log.showSignature", "false"), ("protocol.allow", "never"),
          ("submodule.recurse", "false"), ("gc.auto", "0"), ("maintenance.auto", "false")]
_PROGRAM = re.compile(r"(filter\..+\.(clean|smudge|process|required)|diff\..+\.(command|textconv)"
                      r"|merge\..+\.driver|remote\..+\.(promisor|uploadpack))", re.DOTALL)
_OF_THE_USER = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH",
                "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")


def _environment(settings: List[Tuple[str, str]]) -> Dict[str, str]:
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("GIT_") or name in _OF_THE_USER}
    for number, (key, value) in enumerate(settings):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    environment.update(GIT_CONFIG_COUNT=str(len(settings)), GIT_ALLOW_PROTOCOL="none",
                       GIT_NO_LAZY_FETCH="1", GIT_PAGER="cat", GIT_TERMINAL_PROMPT="0")
    return environment


def _output(settings: List[Tuple[str, str]], words: Tuple[str, ...],
            folder: Optional[str] = None) -> Optional[str]:
    try:
        done = subprocess.run(["git", "--no-pager", "--no-optional-locks", *words],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30,
                              check=False, env=_environment(settings), cwd=folder)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None


def _is_at_home(settings: List[Tuple[str, str]], folder: Optional[str]) -> bool:
    """Whether the work tree is the folder that holds `.git`: core.worktree may name another."""
    places = (_output(settings, ("rev-parse", "--show-toplevel", "--absolute-git-dir"), folder)
              or "").split("\n")
    try:
        home = os.path.join(places[0], ".git")
        if os.path.isfile(home):
            with open(home, encoding="utf-8", errors="surrogateescape") as file:
                home = os.path.join(places[0], file.readline()[len("gitdir: "):].rstrip("\n"))
        return os.path.samefile(home, places[1])
    except (OSError, IndexError, ValueError):
        return False


def git(*words: str, folder: Optional[str] = None) -> str:
    """What `git WORDS` prints in the folder, or the current one; "" if it fails."""
    settings = list(_FIXED)
    for scope in ("--local", "--worktree"):
        names = _output(settings, ("config", scope, "--includes", "--list", "--name-only", "-z"),
                        folder)
        if names is None and scope == "--local":
            return ""
        settings += [(name, "false" if name.endswith((".required", ".promisor")) else "")
                     for name in (names or "").split("\0") if _PROGRAM.fullmatch(name)]
    return (_output(settings, words, folder) or "") if _is_at_home(settings, folder) else ""
