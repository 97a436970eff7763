"""axe-core, which finds violations of the accessibility guidelines. It is installed once, into a cache outside the
tree, by npm; HONE_AXE names a file of your own."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

VERSION = "4.14.1"
SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
INSTALL_SECONDS = 120


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(home) / "hone-tests" / f"axe-core-{VERSION}"


def source():
    """The text of axe.min.js and None, or None and why it is not here."""
    if os.environ.get("HONE_AXE"):
        return pathlib.Path(os.environ["HONE_AXE"]).read_text(encoding="utf-8"), None
    file = cache() / "node_modules" / "axe-core" / "axe.min.js"
    if not file.exists():
        why = install(cache())
        if why:
            return None, why
    data = file.read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        return None, f"{file} is not axe-core {VERSION}: remove it, and it is installed again"
    return data.decode(), None


def install(folder):
    """Returns why it could not be installed, or None."""
    npm = shutil.which("npm")
    if npm is None:
        return "axe-core is not installed, and there is no npm to install it (apt-get install npm)"
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]
    command += ["--prefix", str(folder), f"axe-core@{VERSION}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        return f"npm did not install axe-core within {INSTALL_SECONDS} s: no network?"
    if done.returncode != 0:
        return "npm could not install axe-core: " + done.stderr.strip()[-300:]
    return None


def opened(pages, url, **more):
    """A page without a content policy: axe adds a style sheet, which the dashboard's policy would
    refuse and report as a fault of the page."""
    page = pages("about:blank", **more)
    page.call("Page.setBypassCSP", enabled=True)
    page.open(url)
    return page


def violations(page, text):
    """What axe finds on a page: one line for each rule, with the first elements that break it."""
    page.call("Runtime.evaluate", expression=text)
    return page.run(
        f"axe.run({{runOnly: {json.dumps(TAGS)}}}).then((result) => result.violations.map("
        "(one) => one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)"
        " + ' ' + node.any.map((why) => why.message).join(' ')).join(' | ')))"
    )
