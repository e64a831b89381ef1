"""The papers, worked out again: the figures and tables of our source documents beside the sources' own numbers.

A source is a file here, and its `SOURCE` stands in `SOURCES`: what it says, its errata, its open questions. A game
with sources of its own adds a file and a name. What a chapter says is found when it is written; nothing is copied from
an earlier run but the sources' own numbers. Verdicts are found as well: a claim agrees when the code says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dicewise._version import __version__
from dicewise.document import VERDICTS, Document, Rows, Section
from dicewise.study.papers import guide, hold_dice, notes, policy_paper, solver_readme
from dicewise.study.papers.source import Question, Source
from dicewise.study.result import Study, Table
from dicewise.study.work import Work

SOURCES: tuple[Source, ...] = (
    guide.SOURCE,
    policy_paper.SOURCE,
    solver_readme.SOURCE,
    hold_dice.SOURCE,
    notes.SOURCE,
)

LEAD = (
    "dicewise began with a few documents about games of chance. Every figure and table below was made again when this "
    "page was written, by the code of dicewise, and stands beside what the documents say. Values are exact fractions "
    "where it says so, and otherwise doubles whose error bound is far below the digits shown.",
    "A claim agrees where our number rounds to the source's or its statement holds in all states that were looked at; "
    "it differs where it does not; it is corrected where it is wrong as printed and right with the slip mended.",
)


@dataclass(frozen=True)
class Papers:
    """The report, and what is in it as tables."""

    document: Document
    study: Study


def papers(work: Work | None = None, sources: Sequence[Source] | None = None) -> Papers:
    """Work out all that the sources say, or some of them."""
    work, sources = work or Work(), SOURCES if sources is None else sources
    total, done = sum(source.share for source in sources), 0.0
    chapters = []
    for source in sources:
        part = work.stage(done / total, (done + source.share) / total)
        part.tell(0.0, f"working out {source.short}")
        chapters.append(source.write(part))
        done += source.share
    questions = [(source, each) for source, ch in zip(sources, chapters, strict=True) for each in ch.questions]
    sections = [chapter.section for chapter in chapters]
    if any(source.errata for source in sources):
        sections.append(_errata(sources))
    if questions:
        sections.append(_questions(questions))
    footer = f"dicewise {__version__}. The whole page once more: `dicewise study papers`."
    document = Document("The papers, worked out again", LEAD, sections, footer)
    return Papers(document, _study(document, sources, questions))


def _errata(sources: Sequence[Source]) -> Section:
    rows = [[source.short, each.where, each.printed, each.right] for source in sources for each in source.errata]
    table = Rows("Slips of the pen, for readers who work through the formulas", ERRATA_HEADS, rows)
    return Section("errata", "Errata", [table])


ERRATA_HEADS = ("source", "where", "what is printed", "what it should be")


def _questions(questions: Sequence[tuple[Source, Question]]) -> Section:
    rows = [[source.short, each.text, each.answer, f"`{each.command}`"] for source, each in questions]
    table = Rows("What the sources leave open", ("source", "question", "answer", "command"), rows)
    return Section("questions", "Open questions", [table])


def _study(document: Document, sources: Sequence[Source], questions: Sequence[tuple[Source, Question]]) -> Study:
    claims = document.claims()
    columns = {
        "section": [section.name for section, _ in claims],
        "claim": [claim.text for _, claim in claims],
        "source": [claim.theirs for _, claim in claims],
        "ours": [claim.ours for _, claim in claims],
        "verdict": [claim.verdict for _, claim in claims],
        "why": [claim.why for _, claim in claims],
    }
    wrong = [at for at, (_, claim) in enumerate(claims) if claim.verdict != "agrees"]
    slips = [(source, each) for source in sources for each in source.errata]
    errata = {
        "source": [source.short for source, _ in slips],
        "where": [each.where for _, each in slips],
        "printed": [each.printed for _, each in slips],
        "right": [each.right for _, each in slips],
    }
    asked = {
        "source": [source.short for source, _ in questions],
        "question": [each.text for _, each in questions],
        "answer": [each.answer for _, each in questions],
        "command": [each.command for _, each in questions],
    }
    tables = [
        Table("claims", "what the sources say, and what comes out", columns, dict.fromkeys(_PRINTED, "{}"), wrong),
        Table("errata", "slips", errata, {"source": "{}", "where": "{}"}),
        Table("questions", "what the sources leave open", asked, {"question": "{}", "command": "{}"}),
    ]
    counts = {verdict: columns["verdict"].count(verdict) for verdict in VERDICTS}
    said = ", ".join(f"{count} {VERDICTS[verdict]}" for verdict, count in counts.items() if count)
    return Study("papers", "", tables, [f"Of {len(claims)} claims {said}."], None, {"verdicts": counts})


_PRINTED = ("claim", "source", "ours", "verdict")
