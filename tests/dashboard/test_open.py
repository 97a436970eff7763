"""`hone dashboard`: the address of the page, and the user's browser at it."""

import os
import pathlib
import subprocess

import world

BIN = pathlib.Path(os.environ["HONE_BIN"])


def dashboard(server, *words, **environment):
    address = f"http://127.0.0.1:{server.port}"
    command = [BIN / "hone", "--server", address, "dashboard", *words]
    env = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)


def test_it_prints_the_address_and_opens_the_browser_there(tmp_path):
    server = world.start(tmp_path / "data")
    sweep = server.submit(world.sweep_of("opened", 2))
    os.mkfifo(tmp_path / "asked")
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/asked\n')
    browser.chmod(0o755)
    url = f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}"
    assert dashboard(server, sweep).stdout.strip() == url
    shown = dashboard(server, sweep, "--open", BROWSER=str(browser))
    assert (shown.returncode, shown.stdout.strip()) == (0, url), shown.stderr
    assert (tmp_path / "asked").read_text() == url
    refused = dashboard(server, "--open", BROWSER="/nowhere/browser")
    assert refused.returncode != 0
    assert "cannot start '/nowhere/browser'" in refused.stderr and "set BROWSER" in refused.stderr
    assert server.stop() == 0
