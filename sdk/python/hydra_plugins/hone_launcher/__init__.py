"""A launcher of Hydra: `python app.py -m hydra/launcher=hone lr=0.1,0.01` runs every job on a worker
of hone, elsewhere again where a worker is lost.

The jobs of a batch are the trials of one sweep. Each starts the application with the overrides of
the job, so the workers need its files and this Python at the same paths, and hydra.sweep.dir on a
disk that they share with this program. Works below every sweeper."""

import json
import os
import pickle
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from hone import Client, HoneError, current
from hydra._internal.utils import get_args_parser
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus, configure_log, filter_overrides, setup_globals
from hydra.experimental.callback import Callback
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict

from . import job

JOBS_MAX = 1000  # the values of a choice of hone
TEXT_MAX = 200


@dataclass
class Settings:
    """hydra.launcher: the server (default: that of HONE_SERVER, or of `hone up`), and what each job
    takes of a worker."""

    _target_: str = "hydra_plugins.hone_launcher.HoneLauncher"
    server: Optional[str] = None
    cpus: int = 1
    gpus: int = 0
    max_retries: int = 3


ConfigStore.instance().store(group="hydra/launcher", name="hone", node=Settings, provider="hone")


class HoneLauncher(Launcher):
    def __init__(self, server: Optional[str], cpus: int, gpus: int, max_retries: int) -> None:
        self._server = server
        self._resources = {"cpus": cpus, "gpus": gpus}
        self._retries = max_retries

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction,
              config: DictConfig) -> None:
        self.config = config
        self.hydra_context = hydra_context

    def launch(self, job_overrides: Sequence[Sequence[str]],
               initial_job_idx: int) -> Sequence[JobReturn]:
        setup_globals()
        configure_log(self.config.hydra.hydra_logging, self.config.hydra.verbose)
        words = [list(one) for one in job_overrides]
        results: List[JobReturn] = []
        for begin in range(0, len(words), JOBS_MAX):
            results += self._launch(words[begin:begin + JOBS_MAX], initial_job_idx + begin)
        return results

    def _launch(self, jobs: List[List[str]], first: int) -> List[JobReturn]:
        shared = Path(str(self.config.hydra.sweep.dir)).absolute()
        shared.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(prefix=".hone-", dir=shared)
        commands = [self._command(words, first + at, os.path.join(folder, f"{at}.pickle"))
                    for at, words in enumerate(jobs)]
        with open(os.path.join(folder, job.FILE), "w", encoding="utf-8") as file:
            json.dump({"cwd": os.getcwd(), "jobs": commands,
                       "env": {name: os.environ[name] for name in ("PYTHONPATH",)
                               if name in os.environ}}, file)
        with Client(self._server) as client:
            sweep = client.submit(self._spec(jobs, folder))
            print(f"hone: {len(jobs)} jobs are {sweep} of {client.url}", file=sys.stderr)
            try:
                client.wait(sweep)
            except BaseException:  # Ctrl-C ends the jobs, too
                client.cancel(sweep)
                raise
            results = [self._result(client, sweep, at, folder) for at in range(len(jobs))]
        shutil.rmtree(folder)
        return results

    def _spec(self, jobs: List[List[str]], folder: str) -> Dict[str, Any]:
        names = [f"{at}: {' '.join(filter_overrides(words))}"[:TEXT_MAX]
                 for at, words in enumerate(jobs)]
        return {"name": str(self.config.hydra.job.name)[:100] or "hydra",
                "command": {"run": [sys.executable, os.path.abspath(job.__file__), folder]},
                "objective": {"metric": "value", "goal": "maximize"},
                "parameters": {"job": {"type": "choice", "values": names}},
                "search": {"method": "grid", "trials": len(jobs)}, "terminator": {"rule": "none"},
                "budget": {"unit": "jobs", "per_run": 1, "phases": 1},
                "limits": {"max_failed": len(jobs), "max_retries": self._retries},
                "resources": self._resources}

    def _command(self, words: List[str], number: int, result: str) -> List[str]:
        """Starts the application for one job, in the folder that Hydra gives it."""
        config = self.hydra_context.config_loader.load_sweep_config(self.config, words)
        with open_dict(config):
            config.hydra.job.num, config.hydra.job.id = number, str(number)
        HydraConfig.instance().set_config(config)
        folder = os.path.join(*(str(OmegaConf.select(config, "hydra.sweep." + one))
                                for one in ("dir", "subdir")))
        given, _ = get_args_parser().parse_known_args()
        flags = [word for name in ("config_path", "config_name", "config_dir")
                 if getattr(given, name) for word in ("--" + name.replace("_", "-"),
                                                      getattr(given, name))]
        ours = [f"hydra.run.dir={quoted(os.path.abspath(folder))}", f"hydra.job.num={number}",
                f"hydra.job.id={quoted(str(number))}", "hydra.mode=RUN",
                f"++hydra.callbacks.hone._target_={Result.__module__}.Result",
                f"++hydra.callbacks.hone.file={quoted(result)}"]
        return [sys.executable, *application(), *flags, *self.config.hydra.overrides.hydra, *words,
                *ours]

    @staticmethod
    def _result(client: Client, sweep: str, number: int, folder: str) -> JobReturn:
        try:
            with open(os.path.join(folder, f"{number}.pickle"), "rb") as file:
                result: JobReturn = pickle.load(file)
                return result
        except FileNotFoundError:
            why = HoneError(f"job {number} has no result: see hone ls runs {sweep} at {client.url}")
            return JobReturn(status=JobStatus.FAILED, _return_value=why)


class Result(Callback):
    """Of one job: keeps what the application returned, and reports it to hone."""

    def __init__(self, file: str) -> None:
        self._file = file

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **_: Any) -> None:
        part = f"{self._file}.{os.getpid()}"
        with open(part, "wb") as file:
            pickle.dump(job_return, file)
        os.replace(part, self._file)
        if job_return.status == JobStatus.COMPLETED:
            value = job_return.return_value
            current().report(0, float(value) if isinstance(value, (int, float)) else 0.0,
                             raises=False)


def application() -> List[str]:
    """The words that start this program again: -m MODULE, or its file."""
    main: Any = sys.modules["__main__"]
    if main.__spec__ is not None:
        return ["-m", main.__spec__.name.rpartition(".__main__")[0] or main.__spec__.name]
    return [os.path.abspath(main.__file__)]


def quoted(text: str) -> str:
    """A text as a value of an override."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


__all__ = ("HoneLauncher", "Result", "Settings")
