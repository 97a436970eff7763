"""Drives a headless Chromium by the DevTools protocol: a websocket client of the standard library, pages, and what
they did wrong (console errors, refused by the content policy, requests to elsewhere)."""

import base64
import contextlib
import itertools
import json
import os
import re
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import time

START_SECONDS = 60
WAIT_SECONDS = float(os.environ.get("HONE_PAGE_SECONDS", "60"))


def chromium():
    """The browser's path, or None."""
    return (
        os.environ.get("HONE_CHROMIUM")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
    )


class WebSocket:
    """A client's side of RFC 6455: text messages only."""

    def __init__(self, host, port, path):
        self.socket = socket.create_connection((host, port), timeout=WAIT_SECONDS)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            (
                f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                "Sec-WebSocket-Version: 13\r\n\r\n"
            ).encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self._receive()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def _receive(self):
        chunk = self.socket.recv(1 << 16)
        if not chunk:
            raise ConnectionError("the browser closed its connection")
        self.buffer += chunk

    def _take(self, size):
        while len(self.buffer) < size:
            self._receive()
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x81, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x81, 0x80 | 127, size)
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(
            size, "big"
        )
        self.socket.sendall(head + mask + masked)

    def receive(self):
        text = b""
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self._take(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._take(8))
            part = self._take(size)
            if first & 0x0F in (0, 1, 2):
                text += part
                if first & 0x80:
                    return text.decode()

    def ready(self, seconds):
        return bool(self.buffer) or bool(select.select([self.socket], [], [], seconds)[0])


class Browser:
    def __init__(self, *flags, idle=False):
        """idle: runs only on processor time that no other process wants. (Chromium undoes `nice`.)"""
        self.folder = tempfile.mkdtemp(prefix="hone-chromium-")
        command = [
            *(["chrt", "--idle", "0"] if idle else []),
            chromium(),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
            "--force-color-profile=srgb",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
            f"--user-data-dir={self.folder}",
            "--remote-debugging-port=0",
            *flags,
            "about:blank",
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.socket = self._connect()
        self.ids = itertools.count(1)
        self.answers = {}
        self.pages = {}

    def _connect(self):
        for raw in self.process.stderr:
            found = re.search(r"ws://([\d.]+):(\d+)(/\S+)", raw.decode(errors="replace"))
            if found:
                return WebSocket(found[1], int(found[2]), found[3])
        raise RuntimeError("chromium ended before it listened")

    def call(self, method, session=None, **params):
        number = next(self.ids)
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self.socket.send(json.dumps(message))
        deadline = time.monotonic() + WAIT_SECONDS
        while number not in self.answers:
            assert time.monotonic() < deadline, f"{method}: no answer"
            self.pump(1)
        answer = self.answers.pop(number)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def pump(self, seconds):
        """Takes one message, if one comes in that time."""
        if not self.socket.ready(seconds):
            return False
        message = json.loads(self.socket.receive())
        if "id" in message:
            self.answers[message["id"]] = message
        elif message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].take(message["method"], message["params"])
        return True

    def page(self, url, width=1280, height=800, dark=False):
        return Page(self, url, width, height, dark)

    def close(self):
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        self.process.stderr.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    """A tab. `faults` holds console errors, exceptions and violations of the content policy."""

    def __init__(self, browser, url, width, height, dark):
        self.browser = browser
        self.faults = []
        self.urls = []
        target = browser.call("Target.createTarget", url="about:blank", newWindow=True)
        self.target = target["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)[
            "sessionId"
        ]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.call(f"{domain}.enable")
        self.size(width, height)
        self.theme(dark)
        self.open(url)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def take(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.faults.append(
                "exception: " + details.get("exception", {}).get("description", details["text"])
            )
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.faults.append(
                "console: " + " ".join(str(a.get("value", "")) for a in params["args"])
            )
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.faults.append(
                "log: " + params["entry"]["text"] + " " + params["entry"].get("url", "")
            )
        elif method == "Audits.issueAdded" and "ContentSecurityPolicy" in params["issue"]["code"]:
            self.faults.append("policy: " + json.dumps(params["issue"]["details"]))
        elif method == "Network.requestWillBeSent":
            self.urls.append(params["request"]["url"])

    def size(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def theme(self, dark):
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )

    def open(self, url):
        self.call("Page.navigate", url=url)

    def go(self, hash_):
        """To another page of the dashboard, without loading it again."""
        self.run(f"location.hash = {json.dumps(hash_)}")

    def run(self, expression):
        """The value of an expression; promises are awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, (expression, answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait(self, expression, what=None):
        """Until the expression is true; returns its value. An expression that throws is not true yet."""
        deadline = time.monotonic() + WAIT_SECONDS
        guarded = (
            "(() => { try { const value = (" + expression + ");"
            " return value instanceof Node ? true : value; } catch { return null; } })()"
        )
        while True:
            value = self.run(guarded)
            if value:
                return value
            assert (
                time.monotonic() < deadline
            ), f"{what or expression}\n{self.text()[:2000]}\n{self.faults}"
            self.browser.pump(0.05)

    def text(self):
        return self.run("document.body ? document.body.innerText : ''")

    def key(self, key, **more):
        text = key if len(key) == 1 else {"Enter": "\r"}.get(key, "")
        code = {
            "Enter": 13,
            "Escape": 27,
            "ArrowDown": 40,
            "ArrowUp": 38,
            "ArrowLeft": 37,
            "ArrowRight": 39,
            "Tab": 9,
            " ": 32,
        }.get(key, ord(key.upper()) if len(key) == 1 else 0)
        common = {"key": key, "windowsVirtualKeyCode": code, **more}
        self.call(
            "Input.dispatchKeyEvent", type="keyDown", **({"text": text} if text else {}), **common
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def drag(self, start, end):
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                button="left",
                buttons=1,
                clickCount=1,
            )

    def click(self, selector):
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def picture(self, file, full=False):
        more = {}
        if full:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            more = {
                "captureBeyondViewport": True,
                "clip": {
                    "x": 0,
                    "y": 0,
                    "width": size["width"],
                    "height": size["height"],
                    "scale": 1,
                },
            }
        data = self.call("Page.captureScreenshot", format="png", **more)["data"]
        with open(file, "wb") as out:
            out.write(base64.b64decode(data))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.pages.pop(self.session, None)
