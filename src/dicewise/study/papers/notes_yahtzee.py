"""Yahtzee in the lecture notes: anchors and components, counted; their sample card; how long it takes.

What the notes ask, and what the game is worth, is in `notes_yahtzee_play`.
"""

from __future__ import annotations

import time
from itertools import combinations, product
from math import comb, prod

from dicewise.document import Block, Paragraph, Picture, Rows, Section, Shown
from dicewise.engine.solve import solve
from dicewise.games.yahtzee import Yahtzee
from dicewise.games.yahtzee._layout import layout
from dicewise.games.yahtzee.rules import CONVENTIONS
from dicewise.games.yahtzee.solution import YahtzeeSolution
from dicewise.games.yahtzee.words import box_word, possible_scores
from dicewise.study.papers.notes_yahtzee_play import conventions, final_scores, questions
from dicewise.study.papers.source import Chapter, Erratum, holds, mends
from dicewise.study.work import Work

GAME = Yahtzee()
DRAWN = Yahtzee("no-bonus", boxes=("ones", "chance"), bonus_at=0, dice=1, sides=2, rerolls=1)
"""Small enough to be drawn: one die with two sides, two boxes, one reroll."""

ANCHORS = "2^12 · 64 · 3 = 3/4 million"
NODES, SPEED = 1.6e9, 1e9
"""Of all components, and how many of them a computer goes through in a second."""
YEAR = 365.25 * 24 * 3600

SAMPLE = {
    "ones": 1,
    "twos": 2,
    "threes": 9,
    "fours": 12,
    "fives": 15,
    "sixes": 18,
    "three-of-a-kind": 25,
    "four-of-a-kind": 0,
    "full-house": 25,
    "small-straight": 30,
    "large-straight": 15,
}
"""The notes' card, with chance and Yahtzee open."""


def write(work: Work) -> Chapter:
    work.tell(0.0, "solving Yahtzee")
    solution = solved(GAME)
    solution.find_details()
    lead = Paragraph(
        "Solitaire Yahtzee is the notes' large example: too large to be solved state by state without a thought, small "
        "once a turn is taken at a time. They do not say by which rules; here these are the official ones, with a "
        "forced joker and 100 points for each further Yahtzee."
    )
    asked, answers = questions(solution)
    sections = [
        anchors(solution),
        sample_card(solution),
        asked,
        conventions(work.stage(0.05, 0.1)),
        final_scores(GAME, work.stage(0.1, 1.0)),
    ]
    return Chapter(Section("notes-yahtzee", "Yahtzee", [lead], sections=sections), answers)


def solved(game: Yahtzee) -> YahtzeeSolution:
    solution = solve(game)
    assert isinstance(solution, YahtzeeSolution)
    return solution


# ---- anchors and components


def component(game: Yahtzee) -> list[tuple[str, int]]:
    """The steps of a turn, and how many nodes each has."""
    nodes = layout(game).nodes
    rolls, keeps = nodes.nodes - nodes.rolls.start, nodes.nodes
    steps = [("the anchor", 1), ("after the first roll", rolls)]
    for again in range(1, game.rerolls + 1):
        steps += [(f"dice kept for reroll {again}", keeps), (f"after reroll {again}", rolls)]
    return steps


def anchors(solution: YahtzeeSolution) -> Section:
    """What there is to count, by the notes and by play."""
    game = solution.game
    rules, steps = layout(game), component(game)
    each = sum(nodes for _, nodes in steps)
    starts = sum(1 for _ in solution.states())
    by_total, counted, found = _totals(game)
    lower = len(game.card) - len(by_total)  # the Yahtzee box is one of them; rows are by 0 to all upper boxes
    others, states = 2**lower, 3
    generous, reached = counted * others * states, found * others * states
    scores = prod(len(possible_scores(game, at)) + 1 for at in range(len(game.card)))
    began, used = time.perf_counter(), time.process_time()
    again = solve(game)  # once more: the compiler is loaded now
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    rolls, keeps = steps[1][1], steps[2][1]
    claims = [
        holds(
            "Anchors: twelve boxes used or not, a total of 0 to 63, a Yahtzee box that is unused, 0 or 50",
            ANCHORS,
            f"{generous:,} counted so; {again.report.states:,} can come up",
            generous / 2**20 == 0.75 and reached == again.report.states,
            f"Three quarters of 2^20. The boxes used cannot hold every total: {found:,} of {counted:,} pairs of upper "
            "boxes and total are possible, the first table has them.",
        ),
        holds(
            "An anchor with the score in each category is too much information",
            "TMI!",
            f"{scores / 1e9:.0f} billion such cards",
            scores > 1000 * generous,
            f"Counted as generously, with further Yahtzees left out: {scores / generous:,.0f} times as many. What "
            "stands in a box makes no difference to what is still to come.",
        ),
        holds("Rolls of five dice", "252", f"{rolls}", rolls == 252, "Multisets of five faces, C(10, 5)."),
        holds(
            "Ways to keep some of them",
            "462",
            f"{keeps}",
            keeps == 462,
            f"Multisets of none to five faces, C(11, 5); {keeps - rolls} of them leave a die to be rolled.",
        ),
        holds(
            "Nodes of all components",
            "1.6 billion",
            f"{generous * each / 1e9:.2f} billion; {starts * each / 1e9:.2f} billion that can come up",
            f"{generous * each / 1e9:.1f}" == f"{NODES / 1e9:.1f}",
            f"A component as the notes draw it has {each:,} nodes, in the second table; {generous:,} anchors have "
            f"{generous * each:,}. Only {starts:,} anchors that can come up begin a turn, the others are full cards. "
            f"For {NODES / 1e9:.1f} billion a component would need some {round(NODES / generous, -1):,.0f} nodes.",
        ),
        mends(
            "That many nodes, at a billion a second",
            "1.6 billion seconds, 50 years",
            f"{NODES / SPEED:.1f} s; 1.6 billion seconds are {NODES / YEAR:.0f} years",
            NODES / SPEED < 2 and round(NODES / YEAR, -1) == 50,
            "A billion nodes a second is a billion nodes in one second: 50 years is how long one node a second takes.",
        ),
        holds(
            "Anchor by anchor, component by component",
            "± 1 minute",
            f"{seconds:.2g} s",
            seconds < 90,
            f"Measured while this page was written, with the compiler loaded: {cpu:.2g} s of processor time, "
            f"{starts * each / 1e9 / seconds:.1f} billion nodes a second. The command says how long it takes you.",
        ),
    ]
    blocks: list[Block] = [
        Paragraph(
            "An anchor is a state at the start of a turn: the boxes used, the total of the upper section as far as it "
            "matters to the bonus, and whether a further Yahtzee will pay. A component is what can be reached from an "
            "anchor without going through another: one turn. Its last choice, a box, leads to anchors with one more "
            "box used. So components are solved one after the other, full cards first, and only one number of each is "
            "kept, the value of its anchor."
        ),
        _drawn(),
        Rows(
            "Upper boxes used, and totals of the upper section: all from 0 to 63, and those that the boxes can hold",
            ("used", "sets", "in the notes", "can come up"),
            [
                *([str(n), f"{sets:,}", f"{sets * (game.upper_at + 1):,}", f"{can:,}"] for n, sets, can in by_total),
                ["all", f"{sum(sets for _, sets, _ in by_total):,}", f"{counted:,}", f"{found:,}"],
                [f"× 2^{lower} · 3", "", f"{generous:,}", f"{reached:,}"],
            ],
            ("sets", "in the notes", "can come up"),
        ),
        Rows(
            f"A component, step by step, for {game.dice} dice with {game.sides} sides",
            ("step", "nodes"),
            [*([step, f"{nodes:,}"] for step, nodes in steps), ["all", f"{each:,}"]],
            ("nodes",),
        ),
        Paragraph(
            "The notes' algorithm takes a keep as the mean over all rolls that may follow. dicewise rolls one die at a "
            "time: a keep is worth the mean over the next die, from large keeps to small ones, and the best keep of a "
            f"roll is found from small ones to large, so that {rules.nodes.nodes} nodes need some "
            f"{2 * rules.nodes.faces * rules.nodes.rolls.start:,} additions or comparisons for a reroll."
        ),
    ]
    commands = ["dicewise solve yahtzee", "dicewise certify yahtzee", f"dicewise plot {_typed(DRAWN)} -o turn.svg"]
    return Section("notes-anchors", "Anchors and components", blocks, claims, commands)


def _totals(game: Yahtzee) -> tuple[list[tuple[int, int, int]], int, int]:
    """By the number of upper boxes used: how many sets of boxes, and how many totals they can hold. Then all totals as
    the notes count, and all that are possible."""
    rules = layout(game)
    upper = [at for at, box in enumerate(game.card) if box.face]
    rows = []
    for used in range(len(upper) + 1):
        can = [len(rules.totals(sum(1 << at for at in boxes))) for boxes in combinations(upper, used)]
        assert len(can) == comb(len(upper), used)
        rows.append((used, len(can), sum(can)))
    return rows, 2 ** len(upper) * (game.upper_at + 1), sum(can for _, _, can in rows)


def _drawn() -> Picture:
    return Picture(
        "The Yahtzee graph of the notes, with one die",
        "Small enough to be drawn: a die with two sides, one reroll, and the boxes ones and chance. Ellipses with the "
        "word roll are anchors; what is between one and the next is a component. Boxes are choices, other ellipses "
        f"rolls to come, tags ends; thick arrows are best. `{DRAWN.spec}`",
        Shown(solved(DRAWN), "graph"),
        "A graph from left to right. From the start a die is rolled, may be rolled again, and is scored as ones or as "
        "chance; that leads to two anchors, each with a component of its own, and from there to the full card.",
    )


def _typed(game: Yahtzee) -> str:
    """How the drawn game is asked for."""
    return (
        f"yahtzee --rules {game.rules} --boxes {','.join(game.boxes)} --bonus-at {game.bonus_at} --dice {game.dice} "
        f"--sides {game.sides} --rerolls {game.rerolls} --view graph"
    )


# ---- the sample card


def sample_card(solution: YahtzeeSolution) -> Section:
    """Whether the card of the notes can be, and what it is worth."""
    game = solution.game
    may = {box: possible_scores(game, at) for at, box in enumerate(game.words)}
    wrong = [box for box in SAMPLE if SAMPLE[box] not in may[box]]
    mended = [SAMPLE | dict(zip(wrong, scores, strict=True)) for scores in product(*(may[box] for box in wrong))]
    cards = [" ".join(f"{box}={score}" for box, score in card.items()) for card in mended]
    values = {solution.value(game.parse(card)) for card in cards}
    pays = {name: _large_straight(Yahtzee(name)) for name in CONVENTIONS}
    allowed = " or ".join(str(card["large-straight"]) for card in mended)
    rows = [
        [
            box,
            str(score),
            ", ".join(map(str, may[box])) if len(may[box]) <= 6 else f"0, {may[box][1]} to {may[box][-1]}",
            "impossible" if box in wrong else "possible",
        ]
        for box, score in SAMPLE.items()
    ]
    rows += [[box, "open", "", ""] for box in may if box not in SAMPLE]
    claims = [
        mends(
            "The large straight of the sample card",
            str(SAMPLE["large-straight"]),
            allowed,
            wrong == ["large-straight"] and SAMPLE["large-straight"] not in pays.values() and len(values) == 1,
            f"A large straight pays {', '.join(f'{points} ({name})' for name, points in pays.items())}. What stands in "
            f"the box makes no difference to what is still to come: with {allowed} the anchor is the same.",
        )
    ]
    blocks: list[Block] = [
        Paragraph(
            "The notes show a card near its end, once as the anchor of a component and twice as what may follow it."
        ),
        Rows("The sample card", ("box", "printed", "may hold", "so it is"), rows, ("printed",)),
        *_onward(solution, cards[-1]),
    ]
    return Section("notes-card", "The sample card", blocks, claims, [f"dicewise advise yahtzee {cards[-1]} dice=12346"])


def _large_straight(game: Yahtzee) -> int:
    """What a large straight pays, by whatever name."""
    return possible_scores(game, game.words.index(box_word(game, "large-straight")))[-1]


def _onward(solution: YahtzeeSolution, card: str) -> list[Block]:
    """The anchors that the component of the card leads to."""
    game = solution.game
    state = game.parse(card)
    found = solution.details(state, "roll")
    nothing = found["nothing"]  # chance always pays something
    leads = [
        ("chance=x", found["chance"]),
        ("yahtzee=50", found["yahtzee"] - nothing),
        ("yahtzee=0", nothing),
    ]
    rows = [
        [f"`{more}`", f"{float(solution.value(game.parse(f'{card} {more}'))):.4f}", f"{chance:.4f}"]
        for more, chance in leads
    ]
    missing = game.upper_at - state.upper
    return [
        Rows(
            "The anchors that follow, what is still to come from there, and how likely the best play leads there",
            ("anchor", "worth", "chance"),
            rows,
            ("worth", "chance"),
        ),
        Paragraph(
            f"From the card as it stands {float(solution.value(state)):.4f} points are still to come, on average; its "
            f"upper section is full and lacks {missing} points for the bonus."
        ),
    ]


ERRATA = (
    Erratum("Yahtzee graph", "1.6 billion nodes at 1 billion a second take 1.6 billion seconds", "1.6 seconds"),
    Erratum("sample card", "15 in the large straight", "0 or 40"),
)
