"""Lecture notes on finite probabilistic games: a coin game, and the general algorithm.

The games that the notes go on to have files of their own here.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dicewise.document import Block, Listing, Paragraph, Picture, Section, Shown
from dicewise.engine.solve import solve
from dicewise.engine.trace import trace, trace_lines
from dicewise.games.coin_ladder import CoinLadder
from dicewise.study.papers import notes_owls, notes_yahtzee
from dicewise.study.papers.source import Chapter, Source, holds, written
from dicewise.study.work import Work

GAME = CoinLadder()
TOP = CoinLadder(prizes=GAME.prizes[-2:])
"""As much of the ladder as the notes show."""

GAMES: tuple[Callable[[Work], Chapter], ...] = (notes_yahtzee.write, notes_owls.write)
"""The games that the notes go on to, each a section and what is asked about it."""
COINS = 0.02
"""How much of the time the coin game takes."""


def write(work: Work) -> Chapter:
    work.tell(0.0, "climbing the coin ladder")
    lead = Paragraph(
        "The notes define the value of a state of a finite game, V(s), as a maximum over actions or a mean over what "
        "may happen, and work it out from the end of the game to its start."
    )
    each = (1 - COINS) / len(GAMES)
    games = [game(work.stage(COINS + each * at, COINS + each * (at + 1))) for at, game in enumerate(GAMES)]
    sections = [*_coins(), *(game.section for game in games)]
    asked = [question for game in games for question in game.questions]
    return Chapter(Section(SOURCE.name, SOURCE.title, [lead], sections=sections), asked)


def _coins() -> list[Section]:
    """The coin game, and the algorithm that solves it."""
    solution, short = solve(GAME, exact=True), solve(TOP, exact=True)
    top = GAME.parse("rung 4")
    take, flip = (Fraction(solution.after(top, action)[0]) for action in ("take", "flip"))
    ladder: list[Block] = [
        Paragraph(
            "Flip two coins; on two heads take the prize on offer or flip for the next, otherwise lose all. The notes "
            "show the top of the ladder, a prize of 64 below one of 250. The rungs below are not known; "
            f"{', '.join(map(str, GAME.prizes))} is our choice, which makes every rung below 64 an exact tie."
        ),
        Picture(
            "The coin flipping game",
            f"As much of the ladder as the notes show. Boxes are choices, ellipses chance, tags ends; thick arrows are "
            f"best. `{TOP.spec}`",
            Shown(short, "graph"),
            "A graph from the start on the left to the ends on the right: where 64 is on offer taking it is chosen "
            "over flipping, which is worth 62.5.",
        ),
    ]
    claims = [
        holds(
            "Flipping for 250 with two coins",
            "62.5",
            f"{float(flip):g}",
            flip == Fraction("62.5"),
            f"{written(flip)}, exactly.",
        ),
        holds(
            "The value at the prize of 64",
            "max(64, 62.5) = 64",
            f"max({take}, {float(flip):g}) = {solution.value(top)}",
            take == solution.value(top) == 64,
        ),
    ]
    steps = "\n".join(trace_lines(trace(solution)))
    algorithm: list[Block] = [
        Paragraph(
            "For every end V is what it pays; then, for every other state in an order in which all arrows lead back, V "
            "is the best of its actions (remembered as OPT) or the mean of what may happen. That is what the solver "
            "does, whatever the game; here with every step written down, in fractions."
        ),
        Listing(
            steps, "The general algorithm on the coin ladder, as `dicewise solve coin-ladder --exact --trace` prints it"
        ),
    ]
    return [
        Section(
            "notes-coins",
            "The coin flipping game",
            ladder,
            claims,
            ["dicewise advise coin-ladder rung 4", "dicewise plot coin-ladder --prizes 64,250 -o ladder.svg"],
        ),
        Section(
            "notes-algorithm",
            "The general algorithm",
            algorithm,
            commands=["dicewise solve coin-ladder --exact --trace"],
        ),
    ]


SOURCE = Source("notes", "notes", "Notes on finite probabilistic games", write, share=6.0, errata=notes_yahtzee.ERRATA)
