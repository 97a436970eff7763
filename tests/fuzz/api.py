#!/usr/bin/env python3
"""Sends a real server what schemas/openapi.yaml allows, and more, and holds its answers to that
file: Schemathesis.

tests/fuzz/api.py [--bin DIR] [--examples N] [--seed N]

Needs schemathesis (python3 -m venv DIR; DIR/bin/pip install schemathesis; PATH=DIR/bin:$PATH).
Exits with 2 where it is not there, and with 1 when an answer is a mistake of the server's or is not
what the file says. The server has a sweep with a run, its report, metrics and a checkpoint, so that
most requests find something.
"""
import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,"
          "response_schema_conformance")


def fill(server, sweep_spec):
    """A little of everything; answers what the parameters of paths may be."""
    sweep = server.submit(sweep_spec(terminator={"rule": "hypertrick", "eviction_rate": 0.25}))
    worker = server.join()
    grant = server.acquire(worker)
    lease, run = grant["lease"], grant["attempt"].split("#")[0]
    digest = hashlib.sha256(b"state").hexdigest()
    server.ask("PUT", f"/v1/blobs/{digest}", b"state")
    server.post(f"/v1/leases/{lease}/models", {"sha256": digest, "bytes": 5, "step": 250,
                                               "phase": 0})
    server.post(f"/v1/leases/{lease}/metrics",
                {"points": [{"name": "loss", "step": 1, "value": 0.5}]})
    server.report(grant, 0, 12.5)
    trial = "tr_" + run[3:].split(".")[0]
    return {"sweep": sweep, "trial": trial, "run": run, "worker": worker, "lease": lease,
            "model": "md_1", "id": trial,
            "workflow": "wf_1", "dataset": "ds_1", "sha256": digest}


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default=str(ROOT / "build" / "test" / "bin"),
                         help="where hone-server is")
    options.add_argument("--examples", type=int, default=30,
                         help="random requests for each operation")
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    schemathesis = shutil.which("schemathesis")
    if schemathesis is None:
        print("schemathesis is not on PATH; make a virtual environment and install it there",
              file=sys.stderr)
        return 2
    os.environ["HONE_BIN"] = options.bin
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    from conftest import Server, sweep_spec  # reads HONE_BIN

    with tempfile.TemporaryDirectory(prefix="hone-api-") as folder:
        server = Server(pathlib.Path(folder) / "data").start()
        known = fill(server, sweep_spec)
        config = pathlib.Path(folder) / "schemathesis.toml"
        config.write_text("[parameters]\n" + "".join(f'"path.{name}" = "{value}"\n' for name,
                                                     value in known.items()))
        # /v1/leases may wait half a minute for work, as it should.
        done = subprocess.run([schemathesis, "--config-file", str(config), "run",
                               str(ROOT / "schemas" / "openapi.yaml"),
                               "--url", f"http://127.0.0.1:{server.port}", "--max-examples",
                               str(options.examples), "--seed",
                               str(options.seed), "--phases", "examples,coverage,fuzzing",
                               "--checks", CHECKS, "--exclude-path",
                               "/v1/leases", "--continue-on-failure"], cwd=folder)
        alive = server.process.poll() is None
        if not alive or server.stop() != 0:
            print(server.log_text()[-4000:], file=sys.stderr)
            return 1
        return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
