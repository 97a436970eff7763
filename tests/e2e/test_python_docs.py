"""The Python examples of docs/sdk.md, run in order in one program."""
import os
import re
import subprocess
import sys

from conftest import ROOT


def test_the_examples_of_the_page_run(server, tmp_path):
    text = (ROOT / "docs" / "sdk.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks) + "\nprint('the end')\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "sdk" / "python"),
                   "HONE_DATA": str(tmp_path / "home"), "HONE_SERVER": f"http://127.0.0.1:{server.port}"}
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, env=environment,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("sweep_ended\nthe end\n"), done.stdout
    sweeps = server.get("/v1/sweeps")["items"]
    assert [sweep["state"] for sweep in sweeps] == ["completed"] * 3
