"""A document: sections of words, tables and figures, as data, before anything has a place or a colour.

Studies write documents and `plot` makes pages of them, so that a study needs neither a drawing library nor HTML. Texts
are plain; what stands between `backquotes` is something to be typed or a name of a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dicewise.chart import Chart
from dicewise.solution import Solution

VERDICTS = {
    "agrees": "agree with the source",
    "differs": "differ from it",
    "corrected": "are wrong as printed and right when corrected",
}
"""What may be said of a claim, and of several."""


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    items: Sequence[str]


@dataclass(frozen=True)
class Listing:
    """Lines that keep their breaks: what a program prints."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class Rows:
    """A table, already in words."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[str] = ()
    """The heads of columns of numbers, which stand on the right."""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.heads) for row in self.rows) or not set(self.numbers) <= set(self.heads):
            raise ValueError(f"table {self.title!r}: rows and heads do not fit")


@dataclass(frozen=True)
class Shown:
    """A picture of a solution, by the name that it has among the views of `plot`."""

    solution: Solution[Any, Any]
    view: str


@dataclass(frozen=True)
class Picture:
    """A figure with what is said below it."""

    title: str
    """As in `Figure 2`, of which source."""
    caption: str
    """What is seen; the ruleset is in the picture itself, and once more here."""
    content: Chart | Shown
    words: str
    """For those who do not see it."""


@dataclass(frozen=True)
class Claim:
    """What a source says, beside what comes out."""

    text: str
    theirs: str
    ours: str
    verdict: str
    """One of `VERDICTS`."""
    why: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"claim {self.text!r}: verdict {self.verdict!r}")


Block = Paragraph | Points | Listing | Rows | Picture


@dataclass(frozen=True)
class Section:
    name: str
    """One word, which links lead to; unique in a document."""
    title: str
    blocks: Sequence[Block] = ()
    claims: Sequence[Claim] = ()
    commands: Sequence[str] = ()
    """What to type for the same once more."""
    sections: Sequence[Section] = ()

    def all(self) -> Iterator[Section]:
        """This section and those inside it, in reading order."""
        yield self
        for inner in self.sections:
            yield from inner.all()


@dataclass(frozen=True)
class Document:
    title: str
    lead: Sequence[str]
    """The paragraphs before the first section."""
    sections: Sequence[Section]
    footer: str = ""

    def __post_init__(self) -> None:
        names = [section.name for section in self.all()]
        if len(set(names)) < len(names):
            raise ValueError(f"two sections have the same name, of {names}")

    def all(self) -> Iterator[Section]:
        """All sections, in reading order."""
        for section in self.sections:
            yield from section.all()

    def claims(self) -> list[tuple[Section, Claim]]:
        """All claims, each with its section."""
        return [(section, claim) for section in self.all() for claim in section.claims]
