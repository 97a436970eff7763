"""A Slurm of one node on this machine, from Debian's packages slurm-wlm and munge."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

from conftest import START_SECONDS

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={root}/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.pid
SlurmctldLogFile={root}/slurmctld.log
SlurmdLogFile={root}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
KillWait=5
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={node} CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes=n1 Default=YES MaxTime=60 PriorityTier=1 State=UP
PartitionName=urgent Nodes=n1 MaxTime=60 PriorityTier=10 PreemptMode=OFF State=UP
"""


def why_not():
    """Why no Slurm can be started here; empty if one can."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    return f"not installed: {', '.join(missing)} (slurm-wlm, munge)" if missing else ""


def until(holds, seconds):
    """Whether `holds()` becomes true in time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Slurm:
    def __init__(self, root, cpus=8):
        self.root = pathlib.Path(root)
        self.children = []
        for name in ("state", "spool", "munge"):
            (self.root / name).mkdir(parents=True, mode=0o755)
        os.chmod(self.root / "munge", 0o755)
        key = self.root / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        configuration = self.root / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(
            host=socket.gethostname(), root=self.root, user=os.environ.get("USER", "root"),
            controller=free_port(), node=free_port(), cpus=cpus))
        self.environment = {"SLURM_CONF": str(configuration)}

    def start(self):
        munge = self.root / "munge"
        self._spawn("munged", "-F", "--force", f"--key-file={munge}/key",
                    f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                    f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        assert until((munge / "socket").exists, START_SECONDS)
        self._spawn("slurmctld", "-D", "-c")
        self.controller = self.children[-1]
        self._spawn("slurmd", "-D", "-N", "n1")
        assert until(lambda: "idle" in self.run("sinfo", "-h", "-o", "%t"), START_SECONDS), \
            (self.root / "slurmctld.log").read_text()
        return self

    def stop_controller(self):
        self.controller.terminate()
        self.controller.wait(60)
        self.children.remove(self.controller)

    def start_controller(self):
        self._spawn("slurmctld", "-D")
        self.controller = self.children[-1]
        assert until(lambda: "n1" in self.run("sinfo", "-h", "-o", "%N"), START_SECONDS)

    def _spawn(self, *command):
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        with open(self.root / f"{command[0]}.err", "ab") as log:
            # Their output must not be a pipe of the caller: they outlive a reader's patience.
            self.children.append(subprocess.Popen(
                [shutil.which(command[0], path=path), *command[1:]], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log, env=dict(os.environ, **self.environment)))

    def run(self, *command):
        return subprocess.run(command, capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, **self.environment)).stdout

    def jobs(self):
        """name -> states, of every job that Slurm remembers."""
        found = {}
        for line in self.run("squeue", "-h", "--states=all", "-o", "%j %T").splitlines():
            name, state = line.split()
            found.setdefault(name, []).append(state)
        return found

    def stop(self):
        self.run("scancel", "--me", "--full")
        # The keeper of a job that cannot report its end tries again for good.
        until(lambda: self.run("squeue", "-h") == "", START_SECONDS)
        for child in reversed(self.children):
            child.terminate()
        for child in self.children:
            try:
                child.wait(30)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
