"""Yahtzee in the lecture notes: the two questions of their last slide, what games are worth, and how they end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import NamedTuple

import numpy as np

from dicewise.document import Block, Paragraph, Points, Rows, Section
from dicewise.engine.solve import solve
from dicewise.games import find_game
from dicewise.games.yahtzee import Keep, Yahtzee
from dicewise.games.yahtzee._layout import layout
from dicewise.games.yahtzee.position import Action
from dicewise.games.yahtzee.rules import CONVENTIONS
from dicewise.games.yahtzee.solution import YahtzeeSolution
from dicewise.study.papers.source import Question, blocks_of, holds, mends
from dicewise.study.scores import scores
from dicewise.study.work import Work

TARGETS = (250,)
"""What the best chance of is found; each takes a while."""


class Card(NamedTuple):
    """A card that a question is answered for."""

    words: str
    typed: str


@dataclass(frozen=True)
class Asked:
    """A question of the notes: which of two is better, on which cards."""

    title: str
    text: str
    dice: str
    between: tuple[tuple[str, Action], tuple[str, Action]]
    cards: Sequence[Card]


UPPER = "twos=x threes=x fours=x fives=x"
ASKED = (
    Asked(
        "The full house, or three ones?",
        "11122 with two rerolls left, four of a kind and large straight among the open boxes: the full house, or 111?",
        "dice=11122 rerolls=2",
        (("full house", "full-house"), ("111", Keep((1, 1, 1)))),
        (
            Card("with all boxes open", ""),
            Card("with 3 in the ones", "ones=3"),
            Card("with the upper section full, without its bonus", f"ones=x {UPPER} sixes=x upper=40"),
            Card(
                "with full house, four of a kind and large straight open, nothing else",
                f"ones=x {UPPER} sixes=x upper=40 3-kind=x small=x chance=x yahtzee=0",
            ),
        ),
    ),
    Asked(
        "Four of a kind, or sixes?",
        "36666 at the end of a turn: four of a kind, or sixes?",
        "dice=36666 rerolls=0",
        (("four of a kind", "four-of-a-kind"), ("sixes", "sixes")),
        (
            Card("with all boxes open", ""),
            Card("with 25 points missing for the bonus", "ones=2 twos=4 threes=9 fours=8 fives=15"),
            Card(
                "with these two open, nothing else, and 24 missing",
                f"ones=x {UPPER} upper=39 3-kind=x house=x small=x large=x chance=x yahtzee=0",
            ),
        ),
    ),
)
PUBLISHED = {"free-joker": ("254.5896", "T. Verhoeff"), "no-bonus": ("245.87", "T. Verhoeff")}
YATZY = ("248.63", "M. Larsson and A. Sjöberg")


# ---- the last slide


def questions(solution: YahtzeeSolution) -> tuple[Section, list[Question]]:
    """The answers, for cards that are stated."""
    blocks: list[Block] = [
        Paragraph(
            "The last slide asks two questions. Which other boxes are open cannot be read, and the answer depends on "
            "it; so here are answers for stated cards. Values are means of what is still to come, this turn included."
        )
    ]
    commands, answers = [], []
    for asked in ASKED:
        rows, short, reasons = [], [], []
        for card in asked.cards:
            state = solution.game.parse(f"{card.typed} {asked.dice}")
            worth = {name: float(solution.after(state, action)[0]) for name, action in asked.between}
            better, other = sorted(worth, key=lambda name: -worth[name])
            gap = worth[better] - worth[other]
            rows.append([card.words, *(f"{worth[name]:.4f}" for name in worth), f"{better}, by {gap:.4f}"])
            short.append(f"{card.words.capitalize()}: {better}, by {gap:.3f} points.")
            reasons.append(f"{card.words.capitalize()}: {solution.why(state)}")
            commands.append(" ".join(f"dicewise advise yahtzee {card.typed} {asked.dice}".split()))
        names = [name for name, _ in asked.between]
        heads = ("card", *names, "better")
        blocks += [Paragraph(asked.text), Rows(asked.title, heads, rows, names), Points(reasons)]
        answers.append(Question(asked.text, " ".join(short), commands[-len(asked.cards)]))
    return Section("notes-questions", "The questions of the last slide", blocks, commands=commands), answers


# ---- what a game is worth


def conventions(work: Work) -> Section:
    """The mean of the best play under each convention, beside what others have published."""
    rows, claims = [], []
    for at, name in enumerate(CONVENTIONS):
        work.tell(at / len(CONVENTIONS), "solving Yahtzee by other rules")
        game = Yahtzee(name)
        solution = solve(game)
        value = float(solution.value(game.start()))
        theirs, who = PUBLISHED.get(name, YATZY if name == "yatzy" else ("", ""))
        rows.append([name, f"{value:.8f}", f"{solution.report.states:,}", f"{theirs} ({who})" if theirs else ""])
        if name in PUBLISHED:
            same = f"{value:.{len(theirs.partition('.')[2])}f}" == theirs
            claims.append(
                holds(f"The mean of the best play by the rules {name}", f"{theirs} ({who})", f"{value:.6f}", same)
            )
        elif name == "yatzy":
            slip = one_pair_as_two(game)
            claims.append(
                mends(
                    "The mean of the best play of Scandinavian Yatzy",
                    f"{theirs} ({who})",
                    f"{value:.6f}",
                    f"{slip:.2f}" == theirs,
                    f"Two pairs are of different faces. If one pair is let into that box, the mean is {slip:.4f}.",
                )
            )
    heads = ("rules", "mean", "cards that can come up", "published")
    blocks: list[Block] = [
        Paragraph(
            "How many points the best play makes on average depends on what is done with a second Yahtzee. Others have "
            "published some of these numbers."
        ),
        Rows("What a game is worth", heads, rows, heads[1:3]),
    ]
    commands = [f"dicewise solve yahtzee --rules {name}" for name in CONVENTIONS]
    return Section("notes-conventions", "What a game is worth", blocks, claims, commands)


def one_pair_as_two(game: Yahtzee) -> float:
    """The mean of the best play where the box for two pairs also takes one."""
    from dicewise.games.yahtzee import _kernel

    rules = layout(game)
    points = rules.points.copy()
    pair, two = game.words.index("one-pair"), game.words.index("two-pairs")
    points[two] = np.maximum(points[two], points[pair])
    return float(_kernel.solve(replace(rules, points=points), game.rerolls, None)[0, 0])


# ---- how games end


def final_scores(game: Yahtzee, work: Work, targets: Sequence[int] = TARGETS) -> Section:
    """The distribution of the final score, and the best chance of some targets."""
    study = scores(game, work=work.stage(0.0, 0.3))
    most = work.stage(0.3, 1.0).map(
        reached, [[game.spec, target] for target in targets], "playing for a number of points"
    )
    ends = list(study.table("scores").rows())
    blocks: list[Block] = [
        Paragraph(
            "The mean is not all there is to know. These are the exact chances of all final scores when play is for "
            "the mean; nothing is simulated."
        ),
        *blocks_of(study, "Final scores", "players"),
    ]
    rows = []
    for target, best in zip(targets, most, strict=True):
        mean_play = next((row["at_least"] for row in ends if row["score"] >= target), 0.0)
        rows.append([str(target), f"{mean_play:.6f}", f"{best:.6f}", f"{best - mean_play:.6f}"])
    heads = ("points", "for the mean", "for the points", "gain")
    blocks += [
        Rows(
            "The chance of so many points or more, by the play for the mean and by that for the points",
            heads,
            rows,
            heads,
        )
    ]
    typed = "yahtzee" if game == Yahtzee() else quote(game.spec)
    commands = [f"dicewise study scores {typed}", *(f"dicewise solve {typed} --aim reach:{each}" for each in targets)]
    return Section("notes-scores", "How games end", blocks, commands=commands)


def reached(item: tuple[str, int]) -> float:
    """The best chance of so many points from the start."""
    spec, target = item
    game = find_game(spec)
    assert isinstance(game, Yahtzee)
    aimed = replace(game, aim=f"reach:{target}")
    return float(solve(aimed).value(aimed.start()))
