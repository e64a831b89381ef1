"""What a study found: tables, sentences, facts, and a chart. The command line prints, writes and draws any of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dicewise.chart import Chart

_NOTHING = re.compile(r"^-(?=[0.]+(e\+00)?%?$)")
"""The sign of a number of which rounding leaves nothing."""


@dataclass(frozen=True)
class Table:
    """Columns of equal length, and how people should see them."""

    name: str
    """One word: the field of the JSON result, and what `--table` takes."""
    title: str
    columns: Mapping[str, Sequence[Any]]
    """By name: numbers (fractions too), texts, truth values; None where there is no answer."""
    shown: Mapping[str, str]
    """The columns that are printed, each with the form of its numbers, as in `{:.6f}`; none where the table is for
    CSV and JSON alone."""
    brief: Sequence[int] | None = None
    """The rows that are printed; all, if not said."""

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) > 1 or not set(self.shown) <= set(self.columns):
            raise ValueError(f"table {self.name!r}: columns of lengths {sorted(lengths)}, shown {list(self.shown)}")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Row by row, as plain values that CSV and JSON can hold: fractions are written `p/q`."""
        columns = {name: list(column) for name, column in self.columns.items()}
        for at in range(len(self)):
            yield {name: plain(column[at]) for name, column in columns.items()}

    def printed(self) -> list[list[str]]:
        """The rows that people see."""
        rows = range(len(self)) if self.brief is None else self.brief
        return [[_formed(self.columns[name][at], form) for name, form in self.shown.items()] for at in rows]


@dataclass(frozen=True)
class Study:
    """The answer to a question that was asked of many solutions."""

    name: str
    game: str
    """The spec of the ruleset, or of the rulesets in words."""
    tables: Sequence[Table]
    """The first is the one that a CSV file holds unless another is asked for."""
    findings: Sequence[str]
    """What was found, in sentences."""
    chart: Chart | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Single numbers, by name."""

    def __post_init__(self) -> None:
        names = ["study", "findings", "game", "schema", "version", *self.facts, *(table.name for table in self.tables)]
        if not self.tables or len(set(names)) < len(names):
            raise ValueError(f"study {self.name!r}: no tables, or two fields of one name: {names}")

    def table(self, name: str) -> Table:
        return next(table for table in self.tables if table.name == name)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the facts, the findings, and each table as a list of rows under its name."""
        return {
            "study": self.name,
            **{name: _finite(plain(fact)) for name, fact in self.facts.items()},
            "findings": list(self.findings),
            **{table.name: [_finite(row) for row in table.rows()] for table in self.tables},
        }


def spaced(count: int, most: int) -> list[int]:
    """Rows of a table to be printed: at most so many, evenly from the first to the last."""
    shown = min(count, most)
    return sorted({round(at * (count - 1) / max(shown - 1, 1)) for at in range(shown)})


def whole(number: Fraction) -> int | Fraction:
    """A whole number as such: what was asked for is written as it was given, -1 and not -1/1."""
    return number.numerator if number.denominator == 1 else number


def plain(value: Any) -> Any:
    """A value as Python and JSON know it."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value


def _finite(value: Any) -> Any:
    """JSON has no infinity."""
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _formed(value: Any, form: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction) and form.endswith(("f}", "e}", "g}", "%}")):
        value = float(value)
    return value if isinstance(value, str) else _NOTHING.sub("+" if ":+" in form else "", form.format(value))
