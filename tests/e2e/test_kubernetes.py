"""The manifest for Kubernetes, as far as it can be tried without a cluster: its document, and a
real hone-server with its arguments, whose probes answer and whose files are private."""
import os
import re
import signal
import stat
import subprocess

import pytest
import yaml

from conftest import ROOT, STOP_SECONDS, Server, program
from guarded import Certificate, Secret

MANIFEST = ROOT / "packaging" / "kubernetes" / "hone-server.yaml"


@pytest.fixture(scope="module")
def documents():
    return {one["kind"]: one for one in yaml.safe_load_all(MANIFEST.read_text())}


@pytest.fixture(scope="module")
def pod(documents):
    return documents["StatefulSet"]["spec"]["template"]["spec"]


def test_selectors_ports_and_volumes_fit_each_other(documents, pod):
    service, stateful = documents["Service"]["spec"], documents["StatefulSet"]["spec"]
    labels = stateful["template"]["metadata"]["labels"]
    assert service["selector"] == labels == stateful["selector"]["matchLabels"]
    assert stateful["serviceName"] == documents["Service"]["metadata"]["name"]
    assert stateful["replicas"] == 1
    container, = pod["containers"]
    ports = {one["name"]: one["containerPort"] for one in container["ports"]}
    assert [one["targetPort"] for one in service["ports"]] == ["https"] == list(ports)
    mounted = {one["name"] for one in container["volumeMounts"]}
    claimed = {one["metadata"]["name"] for one in stateful["volumeClaimTemplates"]}
    assert mounted == claimed | {one["name"] for one in pod["volumes"]}
    listen, = (one for one in container["args"] if one.startswith("--listen"))
    assert listen.endswith(f":{ports['https']}")
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["port"] == "https"


def test_a_pod_ends_after_the_server_has_drained(pod):
    container, = pod["containers"]
    delay, = (one for one in container["args"] if one.startswith("--drain-delay"))
    assert pod["terminationGracePeriodSeconds"] > float(delay.split("=")[1]) + 5


def test_every_option_is_one_of_the_server(pod):
    known = subprocess.run([program("hone-server"), "--help"], capture_output=True, text=True,
                           check=True).stdout
    for word in pod["containers"][0]["args"]:
        assert re.search(rf"^  {word.split('=')[0]}\b", known, re.MULTILINE), word


class Container(Secret):
    """hone-server with the arguments of the manifest, on another port and folder."""

    def __init__(self, folder, own, words):
        super().__init__(folder / "data" / "hone", own)
        # A Secret passes the same options with other paths.
        taken = ("--data", "--listen", "--auth", "--tls-cert", "--tls-key")
        self.extra += [word for word in words if word.split("=")[0] not in taken]


@pytest.fixture
def container(pod, tmp_path):
    one = Container(tmp_path, Certificate(tmp_path, "server"), pod["containers"][0]["args"])
    yield one.start()
    if one.process is not None:
        one.kill()


def test_the_probes_answer_without_a_token_until_the_server_drains(pod, container):
    paths = {probe["httpGet"]["path"] for name, probe in pod["containers"][0].items()
             if name.endswith("Probe")}
    assert paths == {"/healthz", "/readyz"}
    def status(path):
        return Server.ask(container, "GET", path).status  # without a token

    assert [status(path) for path in sorted(paths)] == [200, 200]
    assert status("/v1/sweeps") == 401
    container.process.send_signal(signal.SIGTERM)
    while (ready := status("/readyz")) == 200:  # the signal is on its way
        pass
    assert ready == 503 and status("/healthz") == 200
    container.process.send_signal(signal.SIGTERM)
    assert container.process.wait(STOP_SECONDS) == 0
    container._close()


def test_the_ledger_and_the_token_are_readable_by_their_owner_only(container):
    assert stat.S_IMODE(container.folder.stat().st_mode) == 0o700
    for name in ("hone.db", "admin.token"):
        assert stat.S_IMODE((container.folder / name).stat().st_mode) == 0o600, os.listdir(
            container.folder)
