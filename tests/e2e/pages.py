"""Executes a page of docs as a reader would: its files are written and its commands run, in order,
in one folder, against `hone up` in another one."""
import json
import os
import re
import subprocess
import sys

from commands import Up, ok
from conftest import BIN, ROOT

BLOCK = re.compile(r"^```(yaml|python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Page:
    """A page that ran. `printed` is what its commands wrote, by their lines; `ask` queries the
    server as long as the page is open."""

    def __init__(self, name, folder, python=sys.executable, sections=lambda title: True):
        """`python` is what `python3` means; `sections` chooses the sections by their titles."""
        self.folder, self.printed = folder / "project", {}
        self.folder.mkdir()
        self.up = Up(folder / "data", "--slots", "2", cwd=folder)
        programs = [str(BIN), os.path.dirname(python), os.environ["PATH"]]
        self.environment = {
            **os.environ, "PATH": ":".join(programs), "HONE_DATA": str(folder / "home"),
            "HONE_SERVER": f"http://127.0.0.1:{self.up.port}",
            "PYTHONPATH": str(ROOT / "sdk" / "python")}
        self.environment.pop("VIRTUAL_ENV", None)
        try:
            for section in (ROOT / "docs" / name).read_text().split("\n## ")[1:]:
                if sections(section.split("\n", 1)[0]):
                    self.follow(section)
        except BaseException:
            self.up.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.up.stop()

    def follow(self, section):
        for kind, block in BLOCK.findall(section):
            if kind == "console":
                self.run(block)
            else:
                file = block.splitlines()[0].removeprefix("# ")
                (self.folder / file).write_text(block)

    def run(self, block):
        """Executes the lines of a block in one shell, which a failing line ends."""
        lines = [line.removeprefix("$ ") for line in block.splitlines()]
        script = "set -e\n" + "\n".join(f"echo '@{i}'\n{line}" for i, line in enumerate(lines))
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=500)
        assert done.returncode == 0, (block, done.stdout, done.stderr)
        texts = re.split(r"^@\d+\n", done.stdout, flags=re.MULTILINE)[1:]
        self.printed.update(zip(lines, texts, strict=True))

    def ask(self, *words):
        return json.loads(ok(*words, "--format", "json", server=self.up))
