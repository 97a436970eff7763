"""Programs that imitate the command lines of PBS, Grid Engine, LSF and kubectl, as far as the files
of sdk/examples/fleets use them: they accept no other options, print what the real ones print, and
run each job as a process group."""
import os
import pathlib
import stat
import sys

PROGRAMS = {"pbs": ("qsub", "qstat", "qdel"), "sge": ("qsub", "qstat", "qdel"),
            "lsf": ("bsub", "bjobs", "bkill"), "kubernetes": ("kubectl",)}

PROGRAM = r"""#!{python}
import json, os, pathlib, signal, subprocess, sys
from xml.sax.saxutils import escape

SYSTEM, NAME = "{system}", "{name}"
JOBS = pathlib.Path("{jobs}")


def start(number, name, command, log, text=None):
    "Runs the job; its keeper writes its end."
    job = JOBS / number
    job.mkdir()
    (job / "name").write_text(name)
    with open(log, "ab") as out:
        subprocess.Popen([sys.executable, "-c", KEEPER, str(job), text or "", *command],
                         stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)


KEEPER = '''
import pathlib, subprocess, sys
job, text, command = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
child = subprocess.Popen(command, stdin=subprocess.PIPE if text else subprocess.DEVNULL,
                         start_new_session=True)
(job / "pid").write_text(str(child.pid))
if text:
    child.stdin.write(text.encode())
    child.stdin.close()
(job / "status.new").write_text(str(child.wait()))
(job / "status.new").rename(job / "status")
'''


def jobs():
    for job in sorted(JOBS.iterdir(), key=lambda one: one.stat().st_mtime_ns):
        status = job / "status"
        word = "pending" if not (job / "pid").exists() else "running"
        if status.exists():
            word = "ended" if status.read_text() == "0" else "failed"
        yield job.name, (job / "name").read_text(), word


def end(number):
    try:
        os.kill(int((JOBS / number / "pid").read_text()), signal.SIGTERM)
    except (FileNotFoundError, ProcessLookupError):
        pass


def next_number():
    return str(4711 + len(list(JOBS.iterdir())))


def options(words, known):
    "The values of options, each with one, and the words after them."
    values = {{}}
    while words and words[0].startswith("-"):
        if words[0] not in known:
            sys.exit(f"{{NAME}}: invalid option {{words[0]}}")
        count = known[words.pop(0)]
        values.update({{len(values): [words.pop(0) for _ in range(count)]}})
    return [value for value in values.values() if value], words


def main(words):
{body}


main(sys.argv[1:])
"""

PBS_QSUB = """
    values, rest = options(words, {"-N": 1, "-l": 1, "-j": 1, "-o": 1})
    (name,), (limits,), (joined,), (log,) = values
    if rest or joined != "oe" or not limits.startswith("select=1:ncpus="):
        sys.exit("qsub: illegal -l value")
    hours = limits.split("walltime=")[1]
    if len(hours.split(":")) != 3:
        sys.exit("qsub: illegal walltime")
    number = next_number() + ".pbs"
    start(number, name, ["/bin/sh"], log, sys.stdin.read())
    print(number)
"""
PBS_QSTAT = """
    if words != ["-x", "-f", "-F", "json"]:
        sys.exit("qstat: illegal option")
    letters = {"pending": "Q", "running": "R", "ended": "F", "failed": "F"}
    print(json.dumps({"timestamp": 1, "Jobs": {
        number: {"Job_Name": name, "job_state": letters[word]} for number, name, word in jobs()}}))
"""
SGE_QSUB = """
    known = {"-terse": 0, "-N": 1, "-pe": 2, "-l": 1, "-j": 1, "-o": 1}
    ((name,), (environment, slots), (limits,), (joined,), (log,)), rest = options(words, known)
    if len(rest) != 1 or environment != "smp" or not slots.isdigit() or joined != "y" or \\
            not limits.removeprefix("h_rt=").isdigit():
        sys.exit("Unable to run job: unknown option")
    number = next_number()
    start(number, name, ["/bin/sh", rest[0]], log)
    print(number)
"""
SGE_QSTAT = """
    if words != ["-xml"]:
        sys.exit("qstat: error: unknown option")
    rows = {"running": "", "pending": ""}
    for number, name, word in jobs():
        if word in rows:  # a job that has ended is not listed
            letters = {"running": "r", "pending": "qw"}[word]
            rows[word] += (f'<job_list state="{word}"><JB_job_number>{number}</JB_job_number>'
                           f'<JB_name>{escape(name)}</JB_name><state>{letters}</state></job_list>')
    print(f"<?xml version='1.0'?><job_info><queue_info>{rows['running']}</queue_info>"
          f"<job_info>{rows['pending']}</job_info></job_info>")
"""
DELETE = """
    for number in words:
        end(number)
"""
LSF_BSUB = """
    values, rest = options(words, {"-J": 1, "-n": 1, "-W": 1, "-o": 1})
    (name,), (slots,), (limit,), (log,) = values
    if len(rest) != 1 or not slots.isdigit() or len(limit.split(":")) != 2:
        sys.exit("Bad argument. Job not submitted.")
    number = next_number()
    start(number, name, ["/bin/sh", rest[0]], log)
    print(f"Job <{number}> is submitted to default queue <normal>.")
"""
LSF_BJOBS = """
    if words != ["-a", "-noheader", "-o", "jobid stat job_name"]:
        sys.exit("bjobs: Illegal option")
    letters = {"pending": "PEND", "running": "RUN", "ended": "DONE", "failed": "EXIT"}
    for number, name, word in jobs():
        print(number, letters[word], name)
"""
KUBECTL = """
    if words == ["create", "-o", "name", "-f", "-"]:
        job = json.load(sys.stdin)
        name, spec = job["metadata"]["name"], job["spec"]
        pod = spec["template"]["spec"]
        (container,) = pod["containers"]
        assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job"), job
        assert spec["backoffLimit"] == 0, spec
        assert pod["restartPolicy"] == "Never" and pod["activeDeadlineSeconds"] > 0, pod
        assert name == name.lower() and "_" not in name and len(name) <= 63, name
        assert {one["name"] for one in container["volumeMounts"]} <= \\
            {one["name"] for one in pod["volumes"]}, pod
        if (JOBS / name).exists():
            sys.exit(f'Error from server (AlreadyExists): jobs.batch "{name}" already exists')
        start(name, job["metadata"]["labels"]["hone-mark"], container["command"],
              JOBS.parent / f"{name}.log")
        print(f"job.batch/{name}")
    elif words[:3] == ["get", "jobs", "-l"] and words[4:] == ["-o", "json"]:
        statuses = {"pending": {}, "running": {"active": 1, "ready": 1}, "ended": {"succeeded": 1},
                    "failed": {"failed": 1}}
        print(json.dumps({"items": [
            {"metadata": {"name": name}, "status": statuses[word]}
            for name, mark, word in jobs() if f"hone-mark={mark}" == words[3]]}))
    elif words[0] == "delete" and words[2:] == ["--wait=false", "--ignore-not-found"]:
        end(words[1].removeprefix("job.batch/"))
    else:
        sys.exit(f"error: unknown command {words}")
"""
BODIES = {("pbs", "qsub"): PBS_QSUB, ("pbs", "qstat"): PBS_QSTAT, ("sge", "qsub"): SGE_QSUB,
          ("sge", "qstat"): SGE_QSTAT, ("lsf", "bsub"): LSF_BSUB, ("lsf", "bjobs"): LSF_BJOBS,
          ("kubernetes", "kubectl"): KUBECTL}


def install(system, folder):
    """Puts the programs of a system into `folder`/bin, which the caller adds to PATH."""
    jobs, programs = pathlib.Path(folder) / "jobs", pathlib.Path(folder) / "bin"
    jobs.mkdir()
    programs.mkdir()
    for name in PROGRAMS[system]:
        path = programs / name
        path.write_text(PROGRAM.format(python=sys.executable, system=system, name=name, jobs=jobs,
                                       body=BODIES.get((system, name), DELETE)))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"{programs}{os.pathsep}{os.environ['PATH']}"
