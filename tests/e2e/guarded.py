"""Servers that require tokens, servers with TLS, and certificates for them."""
import hashlib
import http.client
import secrets
import ssl
import subprocess

from conftest import Server


class Guarded(Server):
    """A server that requires tokens; requests carry `token`, by default the administrator's."""

    def __init__(self, folder, *extra):
        super().__init__(folder, "--auth", *extra)
        self.token = None

    def start(self, port=0):
        super().start(port)
        self.token = self.token or self.admin_file().read_text().strip()
        return self

    def admin_file(self):
        return self.folder / "admin.token"

    def ask(self, method, path, body=None, headers=None, timeout=40, token=None):
        headers = dict(headers or {})
        headers.setdefault("Authorization", f"Bearer {token or self.token}")
        return super().ask(method, path, body, headers, timeout)

    def create(self, *scopes, **more):
        """A new token's id and its secret."""
        secret = "hone_" + secrets.token_hex(32)
        body = {"request_id": secrets.token_hex(8), "name": secrets.token_hex(8),
                "scopes": list(scopes),
                "sha256": hashlib.sha256(secret.encode()).hexdigest(), **more}
        answer = self.ask("POST", "/v1/tokens", body)
        assert answer.status == 201, answer
        return answer.json["token"], secret


class Certificate:
    """A self-signed certificate and its key. `names` are in the form of openssl:
    DNS:localhost,IP:127.0.0.1."""

    def __init__(self, folder, name, names="DNS:localhost,IP:127.0.0.1"):
        folder.mkdir(parents=True, exist_ok=True)
        self.cert, self.key = folder / f"{name}.pem", folder / f"{name}.key"
        self.make(names)

    def make(self, names="DNS:localhost,IP:127.0.0.1"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "30", "-subj", "/CN=hone", "-addext", f"subjectAltName={names}",
                        "-keyout",
                        str(self.key), "-out", str(self.cert)], check=True, capture_output=True)


class Secret(Guarded):
    """A TLS server with the certificate `own`; `clients` restricts it to clients with that
    certificate."""

    scheme = "https"

    def __init__(self, folder, own, *extra, clients=None):
        more = ["--tls-client-ca", str(clients.cert)] if clients else []
        super().__init__(folder, "--tls-cert", str(own.cert), "--tls-key", str(own.key), *more,
                         *extra)
        self.own, self.clients = own, clients

    def context(self):
        context = ssl.create_default_context(cafile=str(self.own.cert))
        if self.clients:
            context.load_cert_chain(self.clients.cert, self.clients.key)
        return context

    def connect(self, timeout=40):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout,
                                           context=self.context())

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"
