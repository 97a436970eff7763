"""Files of a run that its page shows: images, videos and texts."""

import hashlib
import struct
import zlib

import world


def png(width, height):
    """A grey image."""

    def part(kind, body):
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    rows = b"".join(b"\0" + bytes([40 * (y % 6)] * width) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + part(b"IHDR", head)
        + part(b"IDAT", zlib.compress(rows))
        + part(b"IEND", b"")
    )


def moving_picture():
    """An animation of SVG, with a script that must not run."""
    return (
        b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">'
        b"<script>fetch('https://example.org/')</script>"
        b'<circle cy="20" r="8"><animate attributeName="cx" values="8;72;8" dur="2s"'
        b' repeatCount="indefinite"/></circle></svg>'
    )


def keep(server, grant, name, content):
    digest = hashlib.sha256(content).hexdigest()
    assert server.ask("PUT", f"/v1/blobs/{digest}", content).status in (200, 201)
    body = {"name": name, "sha256": digest, "bytes": len(content)}
    server.post(f"/v1/leases/{grant['lease']}/artifacts", body)


def test_images_and_texts_of_a_run_are_shown(tmp_path, pages):
    server = world.start(tmp_path / "data")
    server.submit(world.sweep_of("files", 2))
    grant = server.acquire(server.join(cpus=1))
    keep(server, grant, "plots/policy.png", png(32, 16))
    keep(server, grant, "episode.svg", moving_picture())
    keep(server, grant, "broken.png", b"no image")
    keep(server, grant, "notes.txt", b"<b>first</b> line")
    keep(server, grant, "weights.bin", bytes(100))
    server.report(grant, 0, 1.0)
    run = grant["attempt"].split("#")[0]
    page = pages(f"http://127.0.0.1:{server.port}/#/runs/{run}")
    # Small images are there without a click, and a file that is none has a problem.
    shown = "[...document.querySelectorAll('.media img')].filter((one) => one.naturalWidth > 0)"
    page.wait(f"{shown}.length === 2")
    sizes = page.run(f"{shown}.map((one) => [one.alt, one.naturalWidth]).sort().join()")
    assert sizes == "episode.svg,80,plots/policy.png,32"
    page.wait("document.querySelector('[data-file=\"broken.png\"] [role=alert]')")
    assert page.run("document.querySelector('[data-show=\"weights.bin\"]')") is None
    page.run("document.querySelector('[data-show=\"notes.txt\"]').click()")
    page.wait("document.querySelector('.media pre')?.innerText === '<b>first</b> line'")
    # Reports that arrive leave it open; a second click closes it.
    server.report(grant, 1, 2.0)
    page.wait("document.querySelector('main').innerText.includes('2 / 10')")
    assert page.run("document.querySelectorAll('.media figure').length") == 4
    page.run("document.querySelector('[data-show=\"notes.txt\"]').click()")
    page.wait("!document.querySelector('.media pre')")
    assert server.stop() == 0
