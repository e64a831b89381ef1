"""What the chapters of the papers' report have in common: a source, its errata, its open questions, and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dicewise.document import Block, Claim, Picture, Points, Rows, Section
from dicewise.study.result import Study
from dicewise.study.work import Work


@dataclass(frozen=True)
class Erratum:
    """A slip of a source."""

    where: str
    printed: str
    right: str


@dataclass(frozen=True)
class Question:
    """What a source leaves open, and what we can say."""

    text: str
    answer: str
    command: str
    """What to type for the answer."""


@dataclass(frozen=True)
class Chapter:
    """What the report says about a source."""

    section: Section
    questions: Sequence[Question] = ()


@dataclass(frozen=True)
class Source:
    """A document that we have checked."""

    name: str
    """One word: the anchor of its chapter."""
    short: str
    """What it is called in tables: `the guide`."""
    title: str
    """With its author."""
    write: Callable[[Work], Chapter]
    share: float
    """How much of the time of all chapters this one takes, about."""
    errata: Sequence[Erratum] = ()


# ---- words


def holds(text: str, theirs: str, ours: str, same: bool, why: str = "") -> Claim:
    """A claim that agrees if it is found to be true, and differs if not."""
    return Claim(text, theirs, ours, "agrees" if same else "differs", why)


def mends(text: str, theirs: str, ours: str, right: bool, why: str = "") -> Claim:
    """A claim that is wrong as printed: corrected, if what should stand there is found to be true."""
    return Claim(text, theirs, ours, "corrected" if right else "differs", why)


def written(value: Fraction) -> str:
    """A fraction as people write it, with a minus sign."""
    return str(value).replace("-", "\N{MINUS SIGN}")


def signed(value: float, form: str = "{:.6f}") -> str:
    return form.format(value).replace("-", "\N{MINUS SIGN}")


def counted(number: int, one: str, many: str = "") -> str:
    """`1 state`, `2,300 states`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


# ---- studies


def blocks_of(study: Study, figure: str, *tables: str, findings: bool = True) -> list[Block]:
    """A study as blocks: its picture, the tables that are named as people see them, and its findings."""
    blocks: list[Block] = []
    if study.chart is not None:
        caption = f"{study.chart.title}. {study.chart.caption[0]}"
        blocks.append(Picture(figure, caption, study.chart, study.chart.words))
    for name in tables:
        table = study.table(name)
        numbers = [head for head in table.shown if not any(isinstance(cell, str) for cell in table.columns[head])]
        said = f" ({len(table.printed())} of {len(table):,} rows)" if table.brief is not None else ""
        blocks.append(Rows(f"{table.title}{said}", list(table.shown), table.printed(), numbers))
    if findings and study.findings:
        blocks.append(Points(list(study.findings)))
    return blocks
