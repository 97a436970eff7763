"""A Kubernetes without containers: the real API server, etcd and controllers (tools/kubernetes
builds them), and in the place of a kubelet a thread that starts the container of each pod as a
process of this machine, with the paths and addresses of the pod replaced."""
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request

from conftest import BIN
from standby_pair import free_port

PATIENCE = 240  # seconds
TOKEN = "administrator"
NAMESPACE = "rl"
CONTROLLERS = ("deployment,garbage-collector-controller,job,replicaset,serviceaccount,"
               "serviceaccount-token,statefulset")


def why_not():
    """Why no control plane can be started here; empty if one can."""
    if not os.environ.get("HONE_KUBERNETES"):
        return "HONE_KUBERNETES does not name the program of tools/kubernetes"
    return "" if shutil.which("kubectl") else "kubectl is not installed"


class ControlPlane:
    """etcd, kube-apiserver and kube-controller-manager on loopback, and a namespace that enforces
    the restricted standard for pods."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.port = free_port()
        self.processes = []
        self.kubeconfig = self.configure("admin", TOKEN)
        (self.folder / "tokens.csv").write_text(f"{TOKEN},admin,1,system:masters\n")
        self.run("openssl", "genrsa", "-out", "sa.key", "2048")
        self.run("openssl", "rsa", "-in", "sa.key", "-pubout", "-out", "sa.pub")

    def run(self, *words):
        subprocess.run(words, cwd=self.folder, check=True, capture_output=True)

    def configure(self, name, token):
        """A kubeconfig for a token."""
        path = self.folder / f"{name}.kubeconfig"
        cluster = {"server": f"https://127.0.0.1:{self.port}",
                   "certificate-authority": str(self.folder / "certs" / "apiserver.crt")}
        path.write_text(json.dumps({  # JSON is YAML
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "clusters": [{"name": "it", "cluster": cluster}],
            "users": [{"name": "it", "user": {"token": token}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it",
                                                    "namespace": NAMESPACE}}]}))
        return path

    def start_program(self, name, **options):
        words = [f"--{key.replace('_', '-')}={value}" for key, value in options.items()]
        with open(self.folder / f"{name}.log", "wb") as log:
            self.processes.append(subprocess.Popen(
                [os.environ["HONE_KUBERNETES"], name, *words], cwd=self.folder,
                stdout=log, stderr=log))

    def start(self):
        etcd, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        self.start_program("etcd", data_dir="etcd", listen_client_urls=etcd,
                           advertise_client_urls=etcd, listen_peer_urls=peer,
                           initial_advertise_peer_urls=peer, initial_cluster=f"default={peer}")
        self.start_program(
            "kube-apiserver", etcd_servers=etcd, bind_address="127.0.0.1",
            advertise_address="127.0.0.1", secure_port=self.port, cert_dir="certs",
            service_account_key_file="sa.pub", service_account_signing_key_file="sa.key",
            service_account_issuer="https://kubernetes.default.svc", token_auth_file="tokens.csv",
            authorization_mode="RBAC", service_cluster_ip_range="10.0.0.0/24")
        self.wait_for(self.is_ready, "a ready API server")
        self.start_program(
            "kube-controller-manager", kubeconfig=self.kubeconfig, leader_elect="false",
            controllers=CONTROLLERS, service_account_private_key_file="sa.key", secure_port=0)
        self.kubectl("create", "namespace", NAMESPACE)
        self.kubectl("label", "namespace", NAMESPACE,
                     "pod-security.kubernetes.io/enforce=restricted")
        self.wait_for(lambda: self.ask("GET", "serviceaccounts/default"), "a service account")
        return self

    def is_ready(self):
        try:
            self.ask("GET", path="/readyz")
        except OSError:
            return False
        return True

    @staticmethod
    def wait_for(condition, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if result := condition():
                return result
            time.sleep(0.1)
        raise AssertionError(f"not within {seconds} s: {what}")

    def ask(self, method, name="", body=None, group="/api/v1", path=None,
            form="application/json"):
        """The API's answer; None if it has no such object. `name` is in the namespace."""
        context = ssl.create_default_context(cafile=self.folder / "certs" / "apiserver.crt")
        url = f"https://127.0.0.1:{self.port}" + (path or f"{group}/namespaces/{NAMESPACE}/{name}")
        request = urllib.request.Request(
            url, None if body is None else json.dumps(body).encode(), method=method,
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": form})
        try:
            with urllib.request.urlopen(request, context=context, timeout=30) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            if error.code == 404 and path is None:
                return None
            raise
        return json.loads(text) if text.startswith(b"{") else text

    def kubectl(self, *words, text=None):
        done = subprocess.run(["kubectl", *words], input=text, capture_output=True, text=True,
                              env={**os.environ, "KUBECONFIG": str(self.kubeconfig)}, timeout=60)
        assert done.returncode == 0 and "Warning" not in done.stderr, done.stderr
        return done.stdout

    def items(self, name, group="/api/v1"):
        return self.ask("GET", name, group=group)["items"]

    def stop(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


class Kubelet(threading.Thread):
    """Starts, ends and reports the containers of a control plane's pods. `names` replaces addresses
    that a cluster would resolve."""

    def __init__(self, plane, names):
        super().__init__(daemon=True)
        self.plane, self.names = plane, names
        self.folder = plane.folder / "pods"
        self.running = {}  # uid -> process
        self.ended = set()  # uids of pods that are deleted
        self.ending = threading.Event()
        self.start()

    def run(self):
        while not self.ending.wait(0.1):
            with contextlib.suppress(OSError):  # of a busy API server; the next round repeats it
                for pod in self.plane.items("pods"):
                    self.follow(pod)

    def follow(self, pod):
        name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
        process = self.running.get(uid)
        if "deletionTimestamp" in pod["metadata"]:
            if uid not in self.ended and process is not None:
                process.terminate()
            self.ended.add(uid)
            if process is None or process.poll() is not None:
                self.plane.ask("DELETE", f"pods/{name}?gracePeriodSeconds=0")
        elif process is None:
            self.bind(name)
            self.running[uid] = self.start_container(pod)
            self.report(name, {"phase": "Running", "conditions": [
                {"type": "Ready", "status": "True"}]})
        elif process.poll() is not None and pod["status"]["phase"] == "Running":
            self.report(name, {"phase": "Failed" if process.returncode else "Succeeded",
                               "conditions": [{"type": "Ready", "status": "False"}]})

    def bind(self, name):
        self.plane.ask("POST", f"pods/{name}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": "here"}})

    def report(self, name, status):
        self.plane.ask("PATCH", f"pods/{name}/status", {"status": status},
                       form="application/strategic-merge-patch+json")

    def mounts(self, pod):
        """Paths of the container and what they are here. A claim outlives its pod."""
        spec = pod["spec"]
        volumes = {one["name"]: one for one in spec["volumes"]}
        for mount in spec["containers"][0]["volumeMounts"]:
            volume = volumes[mount["name"]]
            claim = volume.get("persistentVolumeClaim", {}).get("claimName")
            place = self.folder / (claim or f"{pod['metadata']['name']}.{mount['name']}")
            place.mkdir(parents=True, exist_ok=True)
            if "secret" in volume:
                secret = self.plane.ask("GET", f"secrets/{volume['secret']['secretName']}")
                for name, value in secret["data"].items():
                    (place / name).write_bytes(base64.b64decode(value))
            yield mount["mountPath"], str(place)

    def start_container(self, pod):
        (container,) = pod["spec"]["containers"]
        here = {**self.names.get(pod["metadata"]["labels"].get("app.kubernetes.io/component"), {}),
                **self.names[""], **dict(self.mounts(pod))}
        known = re.compile(f"({'|'.join(map(re.escape, here))})(?![\\w.-])")
        words = [known.sub(lambda found: here[found[0]], word)
                 for word in container["command"] + container.get("args", [])]
        name = pod["metadata"]["name"]
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"})

    def logs(self):
        return "\n".join(f"{one.name}: {one.read_text()[-1500:]}"
                         for one in sorted(self.folder.glob("*.log")))

    def stop(self):
        self.ending.set()
        self.join(PATIENCE)
        for process in self.running.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
