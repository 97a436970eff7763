"""No text of hone advises to install the package `hone`, which others own: the distribution is
hone-rl. The rule is a word of tests/lint/text.py, which lint.text applies to every file; here it
is applied to a repository of advice."""
import re
import subprocess
import sys

import pytest

from conftest import ROOT

LINT = ROOT / "tests" / "lint" / "text.py"
ADVICE = ["pip install hone", "pip install hone.", "pip3 install -U hone", "`pip install hone`",
          "python3 -m pip install --user numpy hone", "pip install 'hone'", "pip install hone[sb3]",
          'pip install "hone[sb3,optuna]==0.2"', "pip install hone>=0.2", "pipx install hone",
          "uv pip install hone", "uv add hone", "uv tool install hone", "PIP INSTALL HONE",
          "pip install -q -r requirements.txt hone", "pipx run hone up", "poetry add hone",
          "conda install -c conda-forge hone", "%pip install hone"]
GOOD = ["pip install hone-rl", "pip install 'hone-rl[sb3]'", "pip uninstall -y hone hone-rl",
        "pip install dist/hone_rl-*.whl`: `hone up`", "pip install sdk/python, then hone up",
        "pip install gymnasium, or `hone doctor --install atari`", "pip install /hone/checkout",
        "pip install numpy && hone up", "apt install ./dist/hone_0.2.deb"]
# A file of each kind that reaches users: documents, error texts, examples, docstrings, settings.
KINDS = {"page.md": "{}\n", "error.cpp": 'const char* kText = "{}";\n', "example.yaml": "# {}\n",
         "module.py": "'''Before: {}'''\n", "page.js": "// {}\n", "page.html": "<p>{}\n",
         "pyproject.toml": "# {}\n", "requirements.txt": "# {}\n", "book.ipynb": "{}\n",
         "CMakeLists.txt": "# {}\n", "quickstart": "#!/bin/sh\n# {}\n", "tools/wheel": "# {}\n"}


def advised(folder, files):
    """The files among `files` in which the lint finds the package of others."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    places = ("CMakeLists.txt", "sdk/python/hone/version.py", "packaging/debian/changelog",
              "CHANGELOG.md")  # whose versions the lint compares
    for place in places:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).touch()
    done = subprocess.run([sys.executable, LINT, folder], capture_output=True, text=True)
    assert "broken rules" in done.stdout, done.stderr
    return set(re.findall(r"^(.*?):\d+: '.*': write hone-rl", done.stdout, re.MULTILINE))


def test_a_page_advised_the_package_of_others(tmp_path):
    pages = {f"{i}.md": f"First: {advice}\n" for i, advice in enumerate(ADVICE)}
    missed = set(pages) - advised(tmp_path, pages)
    assert not missed, [pages[name] for name in missed]


def test_advice_for_hone_rl_passes(tmp_path):
    pages = {f"{i}.md": f"First: `{text}\n" for i, text in enumerate(GOOD)}
    assert [pages[name] for name in advised(tmp_path, pages)] == []


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_of_file_is_searched(tmp_path, name):
    assert advised(tmp_path, {name: KINDS[name].format("pip install hone")}) == {name}
