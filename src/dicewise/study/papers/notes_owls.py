"""The lecture notes on Hoot Owl Hoot: what they say of the box, and the four questions that they end with."""

from __future__ import annotations

from dicewise.document import Block, Claim, Paragraph, Rows, Section
from dicewise.engine.solve import solve
from dicewise.games.hoot_owl import HootOwl
from dicewise.games.hoot_owl.counting import count_boards, count_hands
from dicewise.study.papers.source import Chapter, Question, holds
from dicewise.study.work import Work

SOLVED = (1, 2)
"""Owls for which the chapter is solved anew: in a second. docs/hoot-owl.md has more."""


def boards(owls: int) -> int:
    """Unfinished boards that can come up."""
    game = HootOwl(owls)
    return count_boards(game.first_spaces, game.nest) - 1


def states(owls: int, hands: int) -> int:
    """Positions of the mix, by the number of hands."""
    game = HootOwl(owls)
    cards = len(game.deck_colours) + 1
    return boards(owls) * game.track * (count_hands(cards, game.size) ** hands if hands else cards)


def write(work: Work) -> Chapter:
    return Chapter(section(work), questions())


def section(work: Work) -> Section:
    work.tell(0.0, "bringing the owls home")
    game = HootOwl(6)
    lead: list[Block] = [
        Paragraph(
            "A game that all players win or lose together, with which the notes end. They ask four questions, and "
            "leave them open; the answers are below, among the questions that the sources leave open."
        ),
        Rows(
            "Positions, every card being drawn from the initial mix",
            ("owls", "boards", "no hand", "one hand", "two hands"),
            [
                (str(owls), f"{boards(owls):,}", *(f"{states(owls, hands):,}" for hands in (0, 1, 2)))
                for owls in range(1, 7)
            ],
            ("owls", "boards", "no hand", "one hand", "two hands"),
        ),
        _values(),
        Paragraph(
            "The initial mix is a poor picture of the real deck, because losing takes 13 of the 14 suns: where suns "
            "and colour cards are counted, and only the colours of cards played forgotten, hardly a game is lost."
        ),
    ]
    claims: list[Claim] = [
        holds("The board", "39 pos + nest", f"{game.nest} spaces and the nest", game.nest == 39),
        holds("The sun", "14 sun pos", f"{game.track + 1}, the last of them lost", game.track + 1 == 14),
        holds(
            "The deck",
            "14 sun cards + 6 each of each color, 6 colors",
            f"{game.suns} + {' + '.join(map(str, game.colour_cards))} = {game.suns + sum(game.colour_cards)}",
            (game.suns, game.colour_cards) == (14, (6,) * 6),
        ),
    ]
    return Section(
        "notes-owls",
        "Hoot Owl Hoot",
        lead,
        claims,
        ["dicewise solve hoot-owl --owls 3", "dicewise solve hoot-owl --owls 6 --hands 2 --plan"],
    )


def _values() -> Rows:
    rows = []
    for owls in SOLVED:
        games = [HootOwl(owls, "mix", 0), HootOwl(owls, "mix", 1), HootOwl(owls, "lumped", 1)]
        chances = [float(solve(game).value(game.start())) for game in games]
        rows.append((str(owls), *(f"{chance:.12f}" for chance in chances)))
    heads = ("owls", "mix, no hand", "mix, one hand", "colours lumped, one hand")
    return Rows("The chance to win with the best play", heads, rows, heads)


def questions() -> list[Question]:
    """The four questions, with numbers."""
    few, many = boards(3), boards(6)
    return [
        Question(
            "Hoot Owl Hoot: what captures the state?",
            "The set of spaces that owls are on, how often the sun has moved, the cards in hand, and what is "
            "remembered of the draw pile; not which owl is where, nor whose turn it is.",
            "dicewise advise hoot-owl owls=3,4,17 suns=6 hand=bgo",
        ),
        Question(
            "Hoot Owl Hoot: how many states are there?",
            f"{few:,} boards with 3 owls and {many:,} with 6, times 13 suns and 84 hands: {states(3, 1):,} and "
            f"{states(6, 1):,} with one hand; with two hands {states(3, 2):,} and {states(6, 2):,}.",
            "dicewise solve hoot-owl --owls 6 --hands 2 --plan",
        ),
        Question(
            "Hoot Owl Hoot: how to simplify?",
            "Keep positions after a move, before the draw: 28 hands of two cards in place of 84 of three, or 21 where "
            "suns are played as they come. Draw from the initial mix, or count colour cards without their colours.",
            "dicewise simulate hoot-owl --model deck --hands 2 --policies optimal-mix-1",
        ),
        Question(
            "Hoot Owl Hoot: what order to solve in?",
            "By total progress of the owls, from the nest back, and the sun from its last move back: every play raises "
            "one of them, so nothing comes back, and all boards with the same progress can be solved side by side.",
            "dicewise solve hoot-owl --owls 3",
        ),
    ]
