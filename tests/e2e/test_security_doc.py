"""Runs the five commands of docs/security.md literally."""
import os
import re
import signal
import socket
import subprocess

from conftest import BIN, ROOT, STOP_SECONDS, program


def commands():
    text = (ROOT / "docs" / "security.md").read_text()
    block = re.search(r"## Five commands\n\n```sh\n(.*?)```", text, re.DOTALL)[1]
    return block.splitlines()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def test_the_five_commands_work_as_written(tmp_path):
    program("hone"), program("hone-server"), program("hone-worker")
    port = free_port()
    make, up, export, *rest = [line.replace("7777", port) for line in commands()]
    assert len(rest) == 2
    environment = {key: value for key, value in os.environ.items() if not key.startswith("HONE_")}
    environment |= {"HOME": str(tmp_path), "PATH": f"{BIN}:{environment['PATH']}"}

    def run(script):
        done = subprocess.run(["bash", "-ec", script], cwd=tmp_path, env=environment,
                              capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(make)
    server = subprocess.Popen(["bash", "-c", "exec " + up], cwd=tmp_path, env=environment,
                              stdout=subprocess.PIPE,
                              text=True)
    try:
        while "stop" not in (line := server.stdout.readline()):
            assert line, "hone up ended early"
        for command in rest:
            run(f"{export}\n{command}")
        listed = run(f"{export}\nhone token ls --format csv --columns name,scopes")
        assert "alice,submit" in listed and "gpu-node,worker" in listed
        run(f"{export}\nunset HONE_TOKEN_FILE\nhone ls --token-file alice.token")
        run(
            f"hone worker --server https://localhost:{port} --tls-ca hone.pem --token-file gpu-node.token "
            "--data other-worker --until-idle")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(2 * STOP_SECONDS)
        server.stdout.close()
