"""What a server must bear of a sweep that it has accepted from a document: every route that reads,
and every command, also after the sweep has left memory and after a restart."""
import json
import subprocess
import urllib.parse

# Beyond limits::ended_sweeps_kept, so that all sweeps before them leave memory.
OTHERS = 70
QUERIES = {
    "/v1/sweeps/{sweep}/trials": ["", "sort=value", "where=phase > 0"],
    "/v1/sweeps/{sweep}/runs": ["", "where=value > 0 and phase > 0"],
    "/v1/sweeps/{sweep}/curves/matrix": ["", "points=20"],
    "/v1/sweeps/{sweep}/history": ["", "by=time&points=20"],
    "/v1/runs/{run}/metrics": ["", "name=loss"],
    "/v1/find": ["where=sweep where best > 0", "where=run where phase > 0",
                 "where=trial where lr > 0 and depth > 0"],
    "/v1/models": ["sweep={sweep}", "run={run}", "trial={trial}"],
    "/v1/lineage/{id}": ["", "direction=down", "direction=up"],
    "/v1/timeline": ["sweep={sweep}"],
    "/v1/events": ["sweep={sweep}", "sweep={sweep}&limit=5"],
}


def read_routes(program):
    """The paths of all routes that read, each with its queries."""
    table = subprocess.run([program, "--routes"], check=True, capture_output=True).stdout
    for route in json.loads(table):
        path = route["path"]
        if route["method"] == "GET" and "{sha256}" not in path:
            for query in QUERIES.get(path, [""]):
                yield path + ("?" + query if query else "")


class Aftermath:
    """Asks about sweeps by a speaker, whose ask() raises a finding at an answer of 5xx, at silence
    and at the end of the server."""

    def __init__(self, speaker, routes):
        self.speaker, self.routes = speaker, list(routes)

    def items(self, path):
        return self.speaker.json(path).get("items") or []

    def objects(self, sweep):
        """The ids of the sweep's first objects, by the names that routes have for them."""
        known = {"sweep": [sweep], "id": [sweep]}
        runs = self.items(f"/v1/sweeps/{sweep}/runs?limit=4")
        known["run"] = [run["id"] for run in runs]
        known["trial"] = list(dict.fromkeys("tr_" + one[3:].split(".")[0] for one in known["run"]))
        known["model"] = [one["id"] for one in self.items(f"/v1/models?sweep={sweep}&limit=2")]
        shown = self.speaker.json(f"/v1/sweeps/{sweep}")
        for name in ("workflow", "dataset"):
            known[name] = [shown[name]] if shown.get(name) else []
        attempts = [one for run in known["run"][:2]
                    for one in self.items(f"/v1/runs/{run}/attempts")]
        known["worker"] = list(dict.fromkeys(one["worker"] for one in attempts
                                             if one.get("worker")))[:1]
        known["id"] += known["run"][:1] + known["trial"][:1] + known["model"][:1]
        return known

    def read(self, known):
        for route in self.routes:
            names = [name for name in known if "{" + name + "}" in route]
            for number in range(2 if names else 1):
                if any(len(known[name]) <= number for name in names):
                    continue
                path = route
                for name in names:
                    path = path.replace("{" + name + "}", known[name][number])
                if "{" not in path:
                    path, _, query = path.partition("?")
                    self.speaker.ask("GET", path + "?" + urllib.parse.quote(query, safe="=&")
                                     if query else path)

    def send(self, path, **body):
        status, text = self.speaker.ask("POST", path, json.dumps(body))
        return json.loads(text) if status in (200, 201) else {}

    def mark(self, known, turn):
        for one in (known["sweep"] + known["trial"][:1] + known["run"][:1] + known["model"][:1]
                    + known["worker"]):
            self.send("/v1/notes", request_id=f"note {turn} {one}", on=one, text="seen")
            self.send("/v1/tags", on=one, add=["good"], remove=["bad"])
        for trial in known["trial"][:2]:
            self.send(f"/v1/trials/{trial}/pin", pinned=True)
            self.send(f"/v1/trials/{trial}/tell", value=1.0)
            self.send(f"/v1/trials/{trial}/pin", pinned=False)
        for model in known["model"][:1]:
            self.send(f"/v1/models/{model}/evaluations", request_id=f"measure {turn} {model}",
                      metric="return", values=[1.0, 2.0])

    def follow(self, sweep, turn):
        """Sweeps that are made from this one."""
        made = [self.send(f"/v1/sweeps/{sweep}/confirm", request_id=f"confirm {turn} {sweep}",
                          top=2, seeds=2)]
        spec = self.speaker.json(f"/v1/sweeps/{sweep}").get("spec")
        if spec:
            search = {**spec.get("search", {}), "warm_start": [sweep]}
            for number, changes in enumerate(({"search": search}, {})):
                made.append(self.send(
                    "/v1/sweeps", request_id=f"copy {turn} {number} {sweep}", forked_from=sweep,
                    spec={**spec, **changes, "confirms": None, "name": "copy"}))
        for one in made:
            if "sweep" in one:
                self.send(f"/v1/sweeps/{one['sweep']}/steer", verb="kill")

    def edit(self, sweep, turn):
        """Changes the sweep, which makes it run again, lets it propose, and ends it."""
        shown = self.speaker.json(f"/v1/sweeps/{sweep}")
        spec = shown.get("spec") or {}
        trials = spec.get("search", {}).get("trials", 1)
        changes = [{"trials": trials + 1}, {"concurrency": 3}, {"concurrency": 0}, {"share": 2},
                   {"slots": {"min": 1, "max": 9}}, {"by": "1h"}, {"by": "none"}]
        for name, domain in (spec.get("parameters") or {}).items():
            if isinstance(domain, dict) and isinstance(domain.get("max"), (int, float)):
                changes.append({"widen": [{"name": name, "max": domain["max"] * 2}]})
        for number, change in enumerate(changes):
            self.send(f"/v1/sweeps/{sweep}/edit", request_id=f"edit {turn} {number} {sweep}",
                      **change)
        self.send(f"/v1/sweeps/{sweep}/enqueue", request_id=f"set {turn} {sweep}", params={})
        self.send(f"/v1/sweeps/{sweep}/ask", asker="ada")
        for verb in ("pause", "resume"):
            self.send(f"/v1/sweeps/{sweep}/steer", verb=verb)
        self.work(sweep)
        self.send(f"/v1/sweeps/{sweep}/steer", verb="kill")

    def work(self, sweep):
        worker = self.send("/v1/workers", request_id=f"aftermath {sweep}", host="h", pid=1, cpus=64,
                           gpus=8, hone_version="0").get("worker")
        if worker is None:
            return
        grant = self.send("/v1/leases", request_id=f"work {sweep}", worker=worker, cpus=64, gpus=8,
                          wait=0, steps=True).get("grant")
        if grant:
            lease = f"/v1/leases/{grant['lease']}"
            self.send(f"{lease}/reports", phase=grant["next_phase"], step=1, value=1.0)
            self.send(f"{lease}/end", reason="exited_early", exit_code=0, detail="", log_tail="")

    def bear(self, sweep, turn):
        """Everything about one sweep. `turn` distinguishes the requests of repetitions."""
        known = self.objects(sweep)
        self.read(known)
        self.mark(known, turn)
        self.follow(sweep, turn)
        for archived in (True, False):
            self.send(f"/v1/sweeps/{sweep}/archive", archived=archived)
        self.edit(sweep, turn)
        self.read(known)
