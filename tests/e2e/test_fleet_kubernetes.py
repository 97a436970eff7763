"""The manifests of packaging/kubernetes and the fleet of sdk/examples/fleets/kubernetes.yaml on a
real API server with the real controllers; containers are processes (kubernetes.py)."""
import json

import pytest

import kubernetes
from commands import hone, write_spec
from conftest import ROOT, program
from guarded import Certificate, Secret
from kubernetes import PATIENCE, ControlPlane, Kubelet
from slurm import until
from standby_pair import free_port
from test_fleet import all_pilots, fleet_of
from test_fleet_ray import TRAINER

pytestmark = pytest.mark.skipif(bool(kubernetes.why_not()),
                                reason=kubernetes.why_not() or "no reason")
MANIFESTS = ROOT / "packaging" / "kubernetes"


@pytest.fixture(name="plane")
def fixture_plane(tmp_path):
    program("hone-server")
    one = ControlPlane(tmp_path / "plane")
    try:
        yield one.start()
    finally:
        one.stop()


class Client:
    """`hone` with the administrator's token of a server in a pod."""

    def __init__(self, url, certificate, folder):
        self.environment = {"HONE_SERVER": url, "HONE_TLS_CA": str(certificate.cert),
                            "HONE_TOKEN_FILE": str(folder / "admin.token")}

    def ok(self, *words):
        done = hone(*words, **self.environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def submit(self, folder):
        """A sweep whose runs end when the file `go` is in the folder."""
        (folder / "train.py").write_text(TRAINER)
        file = write_spec(folder, command=["python3", str(folder / "train.py"), str(folder / "go")],
                          search={"method": "random", "trials": 6},
                          budget={"unit": "steps", "per_run": 2, "phases": 2})
        return self.ok("submit", str(file), "-q").split()[0]

    def count(self, what):
        return len(json.loads(self.ok(what, "--format", "json")))

    def found(self, expression):
        return json.loads(self.ok("find", expression, "--format", "json"))

    def ended(self, sweep):
        rows = json.loads(self.ok("ls", "--format", "json"))
        return [one["state"] for one in rows if one["id"] == sweep] == ["completed"]


@pytest.fixture(name="pods")
def fixture_pods(plane):
    """Pods whose server and standby listen on free ports."""
    server, standby = (f"127.0.0.1:{free_port()}" for _ in range(2))
    one = Kubelet(plane, {
        "": {"https://hone:7777": f"https://{server}", "https://hone-standby:7777":
             f"https://{standby}", "https://hone.example:7777": f"https://{server}"},
        "server": {"0.0.0.0:7777": server}, "standby": {"0.0.0.0:7777": standby}})
    one.server, one.standby = server, standby
    yield one
    one.stop()


def create_secret(plane, name, token, certificate):
    plane.kubectl("create", "secret", "generic", name, f"--from-file=token={token}",
                  f"--from-file=ca.crt={certificate.cert}")


def test_server_standby_and_workers_of_the_manifests_train_a_sweep(plane, pods, tmp_path):
    certificate = Certificate(tmp_path, "server")
    plane.kubectl("create", "secret", "tls", "hone-tls", f"--cert={certificate.cert}",
                  f"--key={certificate.key}")
    plane.kubectl("apply", "-f", str(MANIFESTS / "hone-server.yaml"))
    data = pods.folder / "data-hone-server-0" / "hone"
    plane.wait_for((data / "admin.token").exists, "the administrator's token")
    client = Client(f"https://{pods.server}", certificate, data)
    for name, scope in (("worker", "worker"), ("replica", "replica")):
        file = tmp_path / f"{name}.token"
        client.ok("token", "create", name, "--scope", scope, "--out", str(file))
        create_secret(plane, f"hone-{name}", file, certificate)
    for name in ("hone-standby", "hone-worker"):
        plane.kubectl("apply", "-f", str(MANIFESTS / f"{name}.yaml"))

    sweep = client.submit(tmp_path)
    assert until(lambda: client.count("workers") == 2, PATIENCE), pods.logs()
    first = plane.items("pods?labelSelector=app.kubernetes.io/component=worker")[0]
    plane.kubectl("delete", "pod", first["metadata"]["name"], "--wait=false")
    assert until(lambda: client.count("workers") == 3, PATIENCE), pods.logs()
    (tmp_path / "go").touch()
    assert until(lambda: client.ended(sweep), PATIENCE), pods.logs()

    plane.kubectl("delete", "statefulset", "hone-server", "--wait=false")
    plane.wait_for(lambda: plane.ask("GET", "pods/hone-server-0") is None, "the end of the server")
    copy = pods.folder / "data-hone-standby-0" / "hone"
    client.ok("db", "promote", "--data", str(copy))
    client.environment["HONE_SERVER"] = f"https://{pods.standby}"
    assert client.ended(sweep)
    again = client.submit(tmp_path)
    assert until(lambda: client.ended(again), PATIENCE), pods.logs()


@pytest.fixture(name="site")
def fixture_site(plane, tmp_path, monkeypatch):
    """A server whose kubectl has the rights of hone-fleet.yaml, and the file of its fleet."""
    plane.kubectl("apply", "-f", str(MANIFESTS / "hone-fleet.yaml"))
    token = plane.kubectl("create", "token", "hone-fleet").strip()
    monkeypatch.setenv("KUBECONFIG", str(plane.configure("fleet", token)))
    one = Secret(tmp_path / "data", Certificate(tmp_path, "server"))
    one.start()
    secret = tmp_path / "worker.token"
    secret.write_text(one.create("worker")[1])
    create_secret(plane, "hone-worker", secret, one.own)
    kubelet = Kubelet(plane, {"": {"https://hone.example:7777": one.url}})
    yield one, kubelet
    kubelet.stop()
    if one.process is not None:
        one.stop()


def test_a_fleet_of_jobs_trains_a_sweep_although_a_pod_dies(plane, site, tmp_path):
    server, kubelet = site
    client = Client(server.url, server.own, server.folder)
    client.ok("fleet", "create", str(ROOT / "sdk" / "examples" / "fleets" / "kubernetes.yaml"),
              "max=2", "idle=2s")
    sweep = client.submit(tmp_path)
    assert until(lambda: fleet_of(server)["joined"] == 2, PATIENCE), (
        all_pilots(server), kubelet.logs())
    assert until(lambda: [one["state"] for one in all_pilots(server)] == ["running"] * 2, PATIENCE)
    next(iter(kubelet.running.values())).kill()
    assert until(lambda: len(all_pilots(server)) == 3, PATIENCE), server.log_text()
    assert [one["end_rule"] for one in all_pilots(server) if one["state"] == "ended"] == ["failed"]
    # Until its lease ends, the lost run is no work for a pilot: one that had trained the others
    # before would end, as it should after two seconds, and the retry would start a fourth.
    assert until(lambda: client.found("attempt where not live"), PATIENCE), server.log_text()

    (tmp_path / "go").touch()
    assert until(lambda: client.ended(sweep), PATIENCE), (server.log_text(), kubelet.logs())
    assert until(lambda: fleet_of(server)["pilots"] == 0, PATIENCE), all_pilots(server)
    rules = sorted(one["end_rule"] for one in all_pilots(server))
    assert rules == ["completed", "completed", "failed"], all_pilots(server)

    client.ok("fleet", "set", "k8s", "min=1")
    assert until(lambda: fleet_of(server)["joined"] == 1, PATIENCE), server.log_text()
    client.ok("fleet", "stop", "k8s")
    assert until(lambda: fleet_of(server)["state"] == "stopped", PATIENCE), server.log_text()
    assert all(one.poll() is not None for one in kubelet.running.values())
    assert "cannot list its pilots" not in server.log_text()
