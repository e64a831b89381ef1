"""What both papers on Greed suppose about the best number of dice, counted in exact arithmetic on a grid of "
"rulesets."""

from __future__ import annotations

from typing import Any

from dicewise.document import Claim, Paragraph, Section
from dicewise.study.conjectures import CLAIMS, conjectures
from dicewise.study.papers.source import Question, blocks_of, holds, mends
from dicewise.study.result import Study
from dicewise.study.rulesets import read_rulesets
from dicewise.study.work import Work

GRID = {"max": "1:30", "sides": "2:12"}
COMMAND = "dicewise study conjectures greed --max 1:30 --sides 2:12"
LARGER = "dicewise study conjectures greed --max 1:60 --sides 2:12"


class Supposed:
    """The counts of the study, by name."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.rows: dict[tuple[str, str], dict[str, Any]] = {
            (row["turn"], row["claim"]): row for row in study.table("claims").rows()
        }

    def row(self, turn: str, name: str) -> dict[str, Any]:
        return self.rows[turn, CLAIMS[turn, name]]

    def always(self, *names: tuple[str, str]) -> bool:
        return all(self.row(*name)["exceptions"] == 0 for name in names)

    def counted(self, turn: str, name: str) -> str:
        row = self.row(turn, name)
        if row["exceptions"] == 0:
            return f"no exception in {row['checked']:,} states"
        return f"{row['exceptions']:,} exceptions in {row['checked']:,} states"

    def holds(self, text: str, theirs: str, turn: str, name: str, why: str = "") -> Claim:
        return holds(text, theirs, self.counted(turn, name), self.always((turn, name)), why)


def supposed(work: Work) -> Supposed:
    return Supposed(conjectures(read_rulesets("greed", GRID), work=work))


# ---- the guide


def in_guide(work: Work) -> tuple[Section, list[Question]]:
    """The two conjectures and the algorithm that is built on them."""
    found = supposed(work)
    printed = found.row("last", "search from n0 up, as printed")
    both = ("last", "search from n0, both ways")
    bound, floor = ("normal", "no more than n_max"), ("normal", "no more than floor")
    evidence = "That is evidence, not a proof for all rulesets."
    claims = [
        found.holds(
            "Conjecture 1: in a last turn ratings fall once the mean passes half-way",
            "conjectured",
            "last",
            "conjecture 1",
            f"Not strictly: equal ratings in a row occur. {evidence}",
        ),
        found.holds(
            "Conjecture 2: in a last turn the rating has one peak as n grows",
            "conjectured",
            "last",
            "conjecture 2",
            f"Not strictly: peaks may be flat. {evidence}",
        ),
        mends(
            "The algorithm: start at n0, the first n above half-way, and go up to the first fall",
            "finds n*",
            f"misses it in {printed['exceptions']:,} of {printed['checked']:,} states that need a search",
            found.always(both) and printed["exceptions"] > 0,
            "By conjecture 1 ratings fall from n0 on, so the peak is at n0 or below it: one has to look down from n0 "
            f"as well. Then there is {found.counted(*both)}.",
        ),
        found.holds(
            "Normal turns: no more dice than the first number whose mean is above the maximum",
            "n ≤ ⌊2(M − a)/(s + 1)⌋ + 1",
            *bound,
            "Counted for ⌈2(M − a)/(s + 1)⌉, which is never more than that. Rounded down, with at least one die, there "
            f"is {found.counted(*floor)} either.",
        ),
    ]
    lead = Paragraph(
        "The guide's algorithm for last turns rests on two conjectures. All three were held against every state of all "
        "rulesets with maximums 1 to 30 and 2 to 12 sides, in whole numbers; the command takes larger grids."
    )
    blocks = [lead, *blocks_of(found.study, "The conjectures, counted", "claims", "searches")]
    questions = [
        Question(
            "Are the conjectures true, and is the algorithm sound?",
            f"Conjecture 1: {found.counted('last', 'conjecture 1')}; conjecture 2: "
            f"{found.counted('last', 'conjecture 2')}. The algorithm is sound when it looks down from its start as "
            "well; in these states n0 or n0 − 1 is always best.",
            LARGER,
        ),
        Question(
            "Is there a pattern in normal states that improves the upper bound?",
            f"2(M − a)/(s + 1) rounded down, at least 1, has {found.counted(*floor)} ({found.counted(*bound)} for the "
            "bound rounded up). But normal states need not have one peak: "
            f"{found.counted('normal', 'one peak')}.",
            LARGER,
        ),
    ]
    return Section("guide-conjectures", "The conjectures", blocks, claims, [COMMAND, LARGER]), questions


# ---- the policy paper


def in_policy_paper(work: Work) -> Section:
    """Proposition 5.1.1, one peak, and the note on neighbours."""
    found = supposed(work)
    claims = [
        holds(
            "Proposition 5.1.1: no more than n_max = ⌈2(M − a)/(s + 1)⌉ dice",
            "proved",
            f"{found.counted('last', 'no more than n_max')}, last turns; "
            f"{found.counted('normal', 'no more than n_max')}, normal turns",
            found.always(("last", "no more than n_max"), ("normal", "no more than n_max")),
            "Sound for fair dice; not for custom dice, where dicewise uses another bound.",
        ),
        found.holds(
            "In a last turn the payoff has one peak as n grows",
            "by simulation",
            "last",
            "conjecture 2",
            f"In normal turns it is not so: {found.counted('normal', 'one peak')}.",
        ),
        mends(
            "In a last turn n* does not grow with the other's score",
            "n* at q + t ≤ n* at q",
            "n* at q + t ≥ n* at q",
            found.always(("last", "n rises with q"), ("last", "largest n rises with q")),
            f"Printed the wrong way round: {found.counted('last', 'as printed, n falls with q')} as printed, "
            f"{found.counted('last', 'n rises with q')} the other way.",
        ),
        mends(
            "In a last turn n* does not grow as the own score falls",
            "n* at a − t ≤ n* at a",
            "n* at a − t ≥ n* at a",
            found.always(("last", "n rises as a falls"), ("last", "largest n rises as a falls")),
            f"Likewise: {found.counted('last', 'as printed, n falls as a falls')} as printed, "
            f"{found.counted('last', 'n rises as a falls')} the other way.",
        ),
    ]
    lead = Paragraph(
        "The paper bounds the number of dice, stops a search at the first fall, and proposes to start it from "
        "neighbouring states. Counted on the grid of the guide's conjectures, where the table of all counts is. Used "
        f"the right way round, neighbours are a sound warm start: {found.counted('last', 'search warm start')}."
    )
    return Section("policy-search", "Bounds and neighbours", [lead], claims, [COMMAND])
