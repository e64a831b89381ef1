"""What a benchmark hands back: a plain table, what was aimed at, and what must hold in any case."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def seconds(value: float) -> str:
    """Three digits, in a unit that suits them."""
    for factor, unit in ((1e-6, "µs"), (1e-3, "ms")):
        if value < 999.5 * factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value:.3g} s" if value < 999.5 else f"{value:.0f} s"


def times(value: float) -> str:
    return f"{value:.2f}x" if value < 9.995 else f"{value:.1f}x" if value < 99.95 else f"{value:.0f}x"


def gigabytes(value: float) -> str:
    return f"{value / 1e9:.2f} GB"


def count(value: int) -> str:
    return f"{value:,}"


def small(value: float) -> str:
    return f"{value:.1e}"


@dataclass(frozen=True)
class Target:
    """A figure that was aimed at."""

    what: str
    measured: float
    bound: float
    form: Callable[[float], str]
    least: bool = False
    """Whether the bound is the least that will do, instead of the most."""

    @property
    def met(self) -> bool:
        return self.measured >= self.bound if self.least else self.measured <= self.bound

    def __str__(self) -> str:
        word = "at least" if self.least else "at most"
        verdict = "met" if self.met else "MISSED"
        return f"{verdict}: {self.what}: {self.form(self.measured)}, target {word} {self.form(self.bound)}"


@dataclass
class Result:
    """One benchmark's figures, in seconds and bytes."""

    columns: dict[str, Callable[[Any], str]]
    """How the cells of each column are written; a row may leave columns out."""
    rows: list[Row] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    checks: dict[str, bool] = field(default_factory=dict)
    """What must hold however busy the machine is."""
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """As a person reads it."""
        lines = self._table() if self.rows else []
        lines += [f"target {target}" for target in self.targets]
        lines += [f"check {'holds' if holds else 'FAILED'}: {what}" for what, holds in self.checks.items()]
        return lines + self.notes

    def _table(self) -> list[str]:
        cells = [list(self.columns)]
        for row in self.rows:
            cells.append([form(row[name]) if name in row else "" for name, form in self.columns.items()])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        head, *body = [_align(line, widths) for line in cells]
        return [head, "  ".join("-" * width for width in widths), *body]

    def as_dict(self) -> dict[str, Any]:
        """As a program reads it."""
        targets = [
            {key: value for key, value in asdict(target).items() if key != "form"} | {"met": target.met}
            for target in self.targets
        ]
        return {"rows": self.rows, "targets": targets, "checks": self.checks, "notes": self.notes}


def _align(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The first column to the left, figures to the right."""
    first, *rest = [
        cell.ljust(width) if at == 0 else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join([first, *rest]).rstrip()


def machine() -> dict[str, Any]:
    """Where and with what the figures were measured."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        **{name: version(name) for name in ("dicewise", "numpy", "numba")},
    }


def _processor() -> str:
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in described.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()
