"""What a worker starts for a job: becomes the application with the overrides of the job."""

import json
import os
import sys

FILE = "jobs.json"


def main(folder: str) -> None:
    with open(os.environ["HONE_PARAMS_FILE"], encoding="utf-8") as file:
        number = int(json.load(file)["job"].partition(":")[0])
    with open(os.path.join(folder, FILE), encoding="utf-8") as file:
        todo = json.load(file)
    words = todo["jobs"][number]
    os.chdir(todo["cwd"])
    os.environ.update(todo["env"])
    os.execv(words[0], words)


if __name__ == "__main__":
    main(sys.argv[1])
