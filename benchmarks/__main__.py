"""`python -m benchmarks [NAME ...]`: run benchmarks, print a table each.

A missed target is printed and no more, since a busy machine misses some; a check that fails (answers that differ, a
package imported that should not be, a command that fails) ends with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import greed, hold_dice, hoot_owl, peers, processes, yahtzee
from benchmarks.measure import CommandError
from benchmarks.report import Result, machine

BENCHMARKS: dict[str, Callable[[], Result]] = {
    "greed-speed": greed.speed,
    "greed-doubling": greed.doubling,
    "greed-threads": greed.threads,
    "greed-first-use": processes.first_use,
    "greed-exact": greed.exact,
    "numpy-dress": processes.dresses,
    "hold-dice": hold_dice.speed,
    "pig": peers.pig,
    "hold-dice-peers": peers.hold_dice,
    "explore": peers.explore,
    "yahtzee-speed": yahtzee.speed,
    "yahtzee-first-use": yahtzee.first_use,
    "greed-large": processes.large,
    "yahtzee-targets": yahtzee.targets,
    "yahtzee-distribution": yahtzee.distribution,
    "hoot-owl-three": hoot_owl.three,
    "hoot-owl-six": hoot_owl.six,
}
LONG = dict.fromkeys(
    ("greed-large", "yahtzee-targets", "yahtzee-distribution", "hoot-owl-six"), "minutes and gigabytes"
)
"""Left out unless named or --all is given."""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks", description="Measure dicewise beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which ones [default: all but the long ones]")
    parser.add_argument("--all", action="store_true", help=f"also the long ones: {', '.join(LONG)}")
    parser.add_argument("--list", action="store_true", help="say which there are")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the figures to FILE, in seconds and bytes"
    )
    given = parser.parse_args(argv)
    if given.list:
        for name in BENCHMARKS:
            print(f"{name:<20} {about(name)}")
        return 0
    unknown = [name for name in given.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"{unknown[0]!r} is not known; known: {', '.join(BENCHMARKS)}")
    names = given.names or [name for name in BENCHMARKS if given.all or name not in LONG]

    where = machine()
    print(", ".join(f"{key} {value}" for key, value in where.items()), flush=True)
    results: dict[str, Result] = {}
    for name in names:
        print(f"\n{name}: {about(name)}", flush=True)
        started = time.monotonic()
        try:
            results[name] = BENCHMARKS[name]()
        except CommandError as failure:
            results[name] = Result({}, checks={str(failure): False})
        print("\n".join(results[name].lines()))
        print(f"({time.monotonic() - started:.0f} s)", flush=True)
    if given.json:
        content = {"schema": 1, **where, "results": {name: result.as_dict() for name, result in results.items()}}
        given.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    missed = sum(not target.met for result in results.values() for target in result.targets)
    failed = sum(not holds for result in results.values() for holds in result.checks.values())
    print(f"\n{missed or 'no'} target(s) missed, {failed or 'no'} check(s) failed")
    return 1 if failed else 0


def about(name: str) -> str:
    words = (BENCHMARKS[name].__doc__ or "").strip()
    return f"{words} ({LONG[name]}; only if named or with --all)" if name in LONG else words


if __name__ == "__main__":
    sys.exit(main())
