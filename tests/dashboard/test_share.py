"""A sweep as one file, saved from its page: what `hone export --html` writes."""
import json
import os
import pathlib
import re
import subprocess

BIN = pathlib.Path(os.environ["HONE_BIN"])
DATA = re.compile(r'<script type="application/json" id="report">(.*?)</script>', re.S)
KEEP = """URL.createObjectURL = (blob) => {
  blob.text().then((text) => (window.saved = text));
  return '#';
}"""


def data_of(document):
    return json.loads(DATA.search(document)[1])


def test_the_page_saves_the_file_of_the_command_line(filled, pages, tmp_path):
    page = pages(f"{filled.url}#/sweeps/{filled.seeds}")
    page.wait("document.querySelector('[data-share]')")
    page.run(KEEP)
    page.click("[data-share]")
    page.wait("window.saved !== undefined")
    file = tmp_path / "shared.html"
    file.write_text(page.run("window.saved"), encoding="utf-8")
    command = [BIN / "hone", "--server", filled.url.rstrip("/"), "export", "--html", filled.seeds]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    written = done.stdout
    shared = file.read_text(encoding="utf-8")
    assert DATA.sub("", shared) == DATA.sub("", written)
    ours, theirs = data_of(shared), data_of(written)
    assert ours["answers"].keys() == theirs["answers"].keys()
    assert ours["refused"] == theirs["refused"] and ours["matrix"] == theirs["matrix"]
    assert {**ours["about"], "at": ""} == {**theirs["about"], "at": ""}
    opened = pages(f"{file.as_uri()}#/sweeps/{filled.seeds}")
    opened.wait("document.querySelector('[data-card=best] tbody tr')")
    assert not opened.run("document.querySelector('[data-share]')")


def test_a_refusal_is_shown_and_the_button_is_free_again(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}")
    page.wait("document.querySelector('[data-share]')")
    page.run("window.fetch = () => Promise.reject(new TypeError('gone'))")
    page.click("[data-share]")
    page.wait("document.body.innerText.includes('does not answer')")
    page.wait("document.querySelector('[data-share]').disabled === false")
