"""Boards of two-player Greed as charts: payoffs and dice, two rulesets compared, where play goes, what is decided.

A board has a cell for each pair of scores, the active player's to the right, the queued player's upwards. What comes
out is data: `charts` draws it into files (payoffs and dice have sheets of their own, in `heatmaps`), `terminal` on the
screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dicewise._version import __version__
from dicewise.chart import Chart, Grid
from dicewise.game import Progress
from dicewise.games.greed.csv_file import ReadSolution
from dicewise.plot.heatmaps import ACTIVE, QUEUED, SMALL_BOARD, caption, drawable, minus, ruleset
from dicewise.solution import Solution

if TYPE_CHECKING:
    from dicewise.games.greed.solution import GreedSolution

    Table = np.ndarray[Any, np.dtype[Any]]

RAREST = 1e-7
TURNS = {False: "Normal turns", True: "Last turn"}
OPEN, FORFEIT, DEAD, CERTAIN = range(4)


# ---- payoffs and dice


def payoff_grid(solution: GreedSolution, last: bool) -> Grid:
    """What each state is worth to the player to move."""
    game = solution.game
    low, high = float(game.lose), float(game.win)
    around = max(1.0, abs(low)) if low == high else 0.0
    return Grid(
        f"{TURNS[last]}: payoff",
        ACTIVE,
        QUEUED,
        solution.payoffs(last),
        range(game.max + 1),
        range(game.max + 1),
        "payoff to the player to move",
        "diverging",
        (low - around, high + around),
        numbers="{:.2f}" if game.max <= SMALL_BOARD else "",
    )


def dice_grid(solution: GreedSolution, last: bool) -> Grid:
    """How many dice to roll in each state."""
    game = solution.game
    most = max(int(solution.dice(turn).max()) for turn in (False, True))
    return Grid(
        f"{TURNS[last]}: dice to roll",
        ACTIVE,
        QUEUED,
        solution.dice(last).astype(float),
        range(game.max + 1),
        range(game.max + 1),
        "dice to roll",
        "counts",
        (0.0, float(most)),
        numbers="{:.0f}" if game.max <= SMALL_BOARD else "",
    )


def heatmap_chart(solution: Solution[Any, Any]) -> Chart:
    """The four boards together."""
    greed = drawable(solution)
    panels = [make(greed, last) for make in (payoff_grid, dice_grid) for last in (False, True)]
    words = [
        "Four boards, with the active player’s score to the right and the queued player’s upwards; "
        "above what each state is worth to the player to move, red for a loss and blue for a win, below the number of "
        "dice to roll, the more the darker, grey for standing; normal turns on the left, the last turn on the right",
        *(f"{TURNS[last].lower()}: {_told(greed, last)}" for last in (False, True)),
        *caption(greed),
    ]
    return _chart(greed, ", ".join(ruleset(greed.game)), panels, [], "; ".join(words))


def _told(solution: GreedSolution, last: bool) -> str:
    """What the boards of one kind of turn show, in numbers."""
    payoffs, dice = solution.payoffs(last), solution.dice(last)
    low, high = (minus(f"{end:.3g}") for end in (payoffs.min() + 0.0, payoffs.max() + 0.0))
    stand = f"standing in {(dice == 0).sum():,} of {dice.size:,} states"
    return f"payoffs from {low} to {high}, up to {dice.max()} dice, {stand}"


def board_chart(solution: Solution[Any, Any], what: str, last: bool) -> Chart:
    """One of them, `payoff` or `dice`."""
    greed = drawable(solution)
    grid = (payoff_grid if what == "payoff" else dice_grid)(greed, last)
    words = f"{grid.title} in every state, by both players’ scores; {'; '.join(caption(greed))}"
    return _chart(greed, ", ".join(ruleset(greed.game)), [grid], [], words)


# ---- two rulesets


def difference_chart(solution: Solution[Any, Any], other: Solution[Any, Any]) -> Chart:
    """One ruleset minus another, payoffs and dice; where the maxima differ, states with as many points to go are
    held against each other."""
    one, two = drawable(solution), drawable(other)
    size = min(one.game.max, two.game.max) + 1
    aligned = one.game.max != two.game.max
    at: Sequence[float] = range(1 - size, 1) if aligned else range(size)
    x, y = (f"{words}{' minus the maximum' if aligned else ''}" for words in (ACTIVE, QUEUED))
    small = size - 1 <= SMALL_BOARD
    names = [_named(each) for each in (one, two)]
    panels, said = [], []
    for what, scale in (("payoff", "difference of payoffs"), ("dice to roll", "difference of dice")):
        for last in (False, True):
            tables = [each.payoffs(last) if what == "payoff" else each.dice(last).astype(float) for each in (one, two)]
            cells = np.subtract(*(table[-size:, -size:] for table in tables)) + 0.0  # no -0
            numbers = ("{:+.2f}" if what == "payoff" else "{:+.0f}") if small else ""
            panels.append(Grid(f"{TURNS[last]}: {what}", x, y, cells, at, at, scale, "diverging", numbers=numbers))
            said.append(f"{TURNS[last].lower()}, {what}: {_compared(cells, what)}")
    notes = [f"{names[0]} minus {names[1]}: blue where the first has more, red where it has less; " + "; ".join(said)]
    if aligned:
        notes.append(
            f"The maxima {one.game.max} and {two.game.max} differ: boards are aligned by points to go, so that both "
            "maxima are at 0, and only states that both have are compared."
        )
        if replace(one.game, max=two.game.max) == two.game:
            notes.append("Nothing else differs, and what a state is worth depends on the points to go alone.")
    title = f"{names[0]} minus {names[1]}"
    captions = [", ".join(ruleset(each.game)) + f": {each.game.spec}, {each.report.method}" for each in (one, two)]
    return Chart(title, panels, [*captions, *notes, f"dicewise {__version__}"], f"{title}: " + " ".join(notes))


def _named(solution: GreedSolution) -> str:
    return solution.file if isinstance(solution, ReadSolution) else solution.game.spec


def _compared(cells: Table, what: str) -> str:
    differ = int((cells != 0).sum())
    if not differ:
        return "no difference"
    size = f"{np.abs(cells).max():.3g}" if what == "payoff" else f"{int(np.abs(cells).max())} dice"
    return f"{differ:,} of {cells.size:,} states differ, by up to {size}"


# ---- where play goes


def reach_chart(solution: Solution[Any, Any], progress: Progress | None = None) -> Chart:
    """How likely a game comes to each state when both play their best."""
    from dicewise.games.greed.reach import reach

    greed = drawable(solution)
    found = reach(greed, progress)
    scores, limits = range(greed.game.max + 1), _decades(found.normal, found.last)
    panels, said = [], []
    for last, chances in ((False, found.normal), (True, found.last)):
        seen = chances > 0
        cells = np.where(seen, chances, np.nan)
        panels.append(
            Grid(
                f"{TURNS[last]}: {seen.sum():,} of {seen.size:,} states",
                ACTIVE,
                QUEUED,
                cells,
                scores,
                scores,
                "chance that a game comes there",
                "log",
                limits,
            )
        )
        often = int((chances >= 1e-3).sum())
        likely = chances.copy()
        likely[0, 0] = 0.0  # the start always comes up
        a, q = np.unravel_index(np.argmax(likely), likely.shape)
        said.append(
            f"{TURNS[last].lower()}: {seen.mean():.1%} of the states can come up, {often:,} of them in one game of a "
            f"thousand or more" + (f", the likeliest is ({a}, {q}) with {likely[a, q]:.2%}" if likely.any() else "")
        )
    said.append(f"a game has {found.turns:.4g} turns on average; grey states never come up")
    if limits[0] == RAREST:
        said.append("the last colour is for one game in ten million and all that is rarer")
    notes = ["; ".join(said)[:1].upper() + "; ".join(said)[1:] + "."]
    title = f"Where optimal play goes: {', '.join(ruleset(greed.game))}"
    return _chart(greed, title, panels, notes, notes[0])


def _decades(*tables: Table) -> tuple[float, float]:
    """Colours down to a game in ten million: what is rarer has the last colour, or it would have most of them."""
    least = min(float(table[table > 0].min()) if (table > 0).any() else 1.0 for table in tables)
    return min(max(least, RAREST), 0.1), 1.0


# ---- what is decided


def regions_chart(solution: Solution[Any, Any]) -> Chart:
    """Which last turns are won before a die is rolled, and which states end in a tie."""
    greed = drawable(solution)
    game = greed.game
    last = last_kinds(greed)
    normal = np.where(greed.dice(False) == 0, 1, 0)
    level = np.arange(game.max + 1)
    dead = (greed.dice(False)[level, level] == 0) & (last[level, level] == DEAD)
    normal[level[dead], level[dead]] = DEAD
    scores = range(game.max + 1)

    def grid(turn: bool, cells: Table, kinds: Sequence[str]) -> Grid:
        counted = [f"{kind}: {(cells == number).sum():,}" for number, kind in enumerate(kinds)]
        return Grid(TURNS[turn], ACTIVE, QUEUED, cells.astype(float), scores, scores, "", "kinds", kinds=counted)

    panels = [
        grid(False, normal, ("roll", "stand", "dead tie")),
        grid(True, last, ("open", "forfeit", "dead tie", "certain victory")),
    ]
    notes = [
        "Last turn: a forfeit is won by standing, the other player stood while behind; a certain victory by a number "
        "of dice that pass the other’s score whatever they show and cannot pass the maximum; in a dead tie both scores "
        "are equal and no roll is better than standing. Normal turns: in a dead tie both stand. "
        "Numbers are counts of states."
    ]
    counts = "; ".join(f"{panel.title.lower()}, {', '.join(panel.kinds)}" for panel in panels)
    title = f"What is decided: {', '.join(ruleset(game))}"
    return _chart(greed, title, panels, notes, f"Regions of the board; {counts}. {notes[0]}")


def last_kinds(solution: GreedSolution) -> Table:
    """The kind of each last turn, indexed [active, queued].

    Certain is what is certain by the faces alone: n dice show at least n times the lowest and at most n times the
    highest face, so that a victory from a against q is certain if  a + n low > q  and  a + n high <= M  for some n.
    Of all n the largest that cannot bust is the only one to look at.
    """
    game = solution.game
    low, high = game.dice.outcomes[0], game.dice.outcomes[-1]
    active, queued = np.ogrid[: game.max + 1, : game.max + 1]
    safe = (game.max - active) // high
    kinds = np.full((game.max + 1, game.max + 1), OPEN)
    kinds[active + safe * low > queued] = CERTAIN
    kinds[np.broadcast_to(active > queued, kinds.shape)] = FORFEIT
    kinds[(active == queued) & (solution.dice(True) == 0)] = DEAD
    return kinds


def _chart(solution: GreedSolution, title: str, panels: Sequence[Grid], notes: Sequence[str], words: str) -> Chart:
    rules = "   ·   ".join([", ".join(ruleset(solution.game)), *caption(solution)])
    return Chart(title, panels, [rules, *notes], f"{words} {rules}" if notes else words)
