"""Functions that studies in tests ask of other processes, and a study that can be interrupted and killed."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from dicewise.errors import CyclicError, InputError
from dicewise.study.work import Work


def square(item: int) -> dict[str, Any]:
    return {"square": item * item, "by": os.getpid()}


def odd_numbers(item: int) -> list[float]:
    return [float("nan"), float("inf"), -0.0, 0.1 + item]


def nap(item: int) -> int:
    time.sleep(0.02)
    return item * item


def slow_square(item: int) -> dict[str, Any]:
    time.sleep(0.3)
    return square(item)


def refuse(item: int) -> int:
    if item == 3:
        raise InputError("3 is not allowed; give another")
    return item


def go_round(item: int) -> int:
    raise CyclicError("play goes round at 7", "no end")


def slip(item: int) -> int:
    return 1 // item


def fall(item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def unspeakable(item: int) -> Any:
    return object()


if __name__ == "__main__":
    folder, jobs, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    import dicewise.study.work as work

    work.ALONE = 0.1
    try:
        print(json.dumps(Work(jobs, folder=folder).map(nap, range(count), "napping")))
    except KeyboardInterrupt as error:
        print(error, file=sys.stderr)
        sys.exit(130)
