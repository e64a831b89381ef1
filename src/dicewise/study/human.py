"""A policy small enough to remember: the best rules of thumb, a decision tree, and the whole policy in few bytes.

Two measures say how good a way to play is, each seat half the time and in payoffs: its *loss*, what optimal play gets
against the optimal player minus what it gets; and its *exposure*, what a best response to it gets minus what optimal
play gets against itself. Where one wins what the other loses, the exposure is what the rule loses against somebody who
has seen through it. Both are found in doubles with a bound on the error; for the best rule of each size, and for the
tree that was asked for, once more in fractions, by a program that shares nothing with the search.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dicewise._version import __version__
from dicewise.chart import Chart, Grid, Plane, Series
from dicewise.errors import InputError
from dicewise.games.greed import Greed
from dicewise.games.greed.policies import Dice, best_reply, best_reply_exactly, duel, mean_exactly, require_memory
from dicewise.games.greed.thumb import Thumb, in_words, letters_of, read
from dicewise.study.compact import sizes
from dicewise.study.result import Study, Table
from dicewise.study.thumbs import Arena, Found, arena_of, search
from dicewise.study.trees import Garden, Grown, Tree, as_data, leaves_of, lines_of
from dicewise.study.work import Work

MOST_NUMBERS, MOST_LEAVES, CURVE = 3, 64, 16
"""Numbers of a rule, leaves of a tree that may be asked for, and leaves up to which trees are always grown."""

EXACT_UP_TO = 120
"""The maximum up to which losses are also found in fractions, in seconds."""

LEAST_SHOWN = 1e-4
"""Share of a rule's loss from which on a state is shown to have a part in it."""

LONGEST = 3000
"""Characters of a fraction that is still written out."""


@dataclass(frozen=True)
class Measured:
    """What a way to play is worth, in payoffs."""

    loss: float
    exposure: float
    win: float
    tie: float
    lose: float
    error_bound: float
    exact_loss: Fraction | None = None
    exact_exposure: Fraction | None = None


def study_human(game: Greed, *, numbers: int = 3, leaves: int = 8, work: Work | None = None) -> Study:
    """The best rules with at most so many numbers, a tree of so many leaves, and the compact form of the optimum."""
    work = work or Work()
    if not 1 <= numbers <= MOST_NUMBERS:
        raise InputError(f"numbers {numbers} is not allowed; rules have 1 to {MOST_NUMBERS} numbers")
    if not 1 <= leaves <= MOST_LEAVES:
        raise InputError(f"leaves {leaves} is not allowed; trees have 1 to {MOST_LEAVES} leaves")
    if game.win == game.lose:
        raise InputError(f"{game.spec} pays the same whoever wins, so that no rule loses anything; give other payoffs")
    require_memory(game)  # before anything is loaded
    recipe = game.spec
    if "numba" not in sys.modules:
        work.tell(0.0, "loading the compiled search (the first time it is compiled, which takes some seconds)")
    arena = arena_of(recipe)
    arena.loss(Thumb(game.max))  # loads what is compiled, so that it is not taken for the pace of the search
    found, in_vain = search(game, recipe, numbers, work.stage(0.0, 0.6))
    found.sort(key=lambda each: (len(letters_of(each.family)), each.loss))
    winners = [
        min(group, key=lambda each: each.loss)
        for count in range(1, numbers + 1)
        if (group := [each for each in found if len(letters_of(each.family)) == count])
    ]
    grown = Garden(arena).grow(max(leaves, CURVE), work.stage(0.6, 0.8).tell)
    chosen = grown[min(leaves, len(grown)) - 1]
    policies = {each.name: arena.tables(each.rule) for each in found}
    tree_policy = Garden(arena).policy(chosen.tree)
    exactly = _in_fractions(game, [*(each.name for each in winners), chosen.tree], work.stage(0.8, 1.0))
    measured = {name: measure(arena, policy, exactly.get(name)) for name, policy in policies.items()}
    of_tree = measure(arena, tree_policy, exactly.get("tree"))
    best = min(winners, key=lambda each: each.loss)
    packed = sizes(game, arena.optimal)
    return Study(
        "human",
        game.spec,
        [
            _rules_table(game, found, measured),
            _tree_table(chosen),
            _sizes_table(arena, grown),
            _compact_table(game, packed),
        ],
        _findings(game, found, in_vain, winners, measured, chosen, of_tree, grown, leaves, packed),
        _chart(arena, best, policies[best.name], found, grown),
        _facts(game, best, measured[best.name], chosen, of_tree, packed),
    )


def measure(arena: Arena, policy: Dice, exact: tuple[Fraction, Fraction] | None = None) -> Measured:
    """What a policy is worth against the optimal player, and against a best response."""
    game = arena.game
    fought = duel(game, policy, arena.optimal)
    reply = best_reply(game, policy)
    ends, scale = fought.mean, float(game.win - game.lose)
    optimum = arena.opponent.best
    return Measured(
        loss=optimum - ends.payoff(game),
        exposure=reply.mean - optimum,
        win=ends.win,
        tie=ends.tie,
        lose=ends.lose,
        error_bound=2 * reply.error_bound + 2 * scale * fought.error_bound,
        exact_loss=exact[0] if exact else None,
        exact_exposure=exact[1] if exact else None,
    )


# ---- in fractions


def _in_fractions(game: Greed, wanted: Sequence[str | Tree], work: Work) -> dict[str, tuple[Fraction, Fraction]]:
    """Loss and exposure of rules, by name, and of a tree, as fractions."""
    if game.max > EXACT_UP_TO:
        return {}
    items: list[list[Any]] = [
        [game.spec, None, each] if isinstance(each, str) else [game.spec, as_data(each), "tree"] for each in wanted
    ]
    answers = work.map(measure_exactly, items, "losses in fractions")
    return {
        item[2]: (Fraction(loss), Fraction(exposure)) for item, (loss, exposure) in zip(items, answers, strict=True)
    }


def measure_exactly(item: Sequence[Any]) -> list[str]:
    """Loss and exposure of one rule, or tree, as texts of fractions."""
    recipe, tree, name = item
    arena = arena_of(recipe)
    game = arena.game
    if tree is None:
        rule = read(game, name)
        assert rule is not None
        policy = arena.tables(rule)
    else:
        policy = Garden(arena).policy(tree_of(tree))
    optimum = optimum_exactly(arena)
    loss = optimum - mean_exactly(game, policy, arena.optimal).payoff(game)
    exposure = sum(best_reply_exactly(game, policy)) / 2 - optimum
    return [str(loss), str(exposure)]


def optimum_exactly(arena: Arena) -> Fraction:
    """What optimal play gets against itself, each seat half the time."""
    game = arena.game
    if game.constant_sum:
        return Fraction(game.win + game.lose) / 2
    found: Fraction = mean_exactly(game, arena.optimal, arena.optimal).payoff(game)
    return found


def tree_of(data: dict[str, Any]) -> Tree:
    """The tree that `as_data` described."""
    from dicewise.study.trees import Leaf, Node

    if "do" in data:
        return Leaf(data["do"], data.get("number", 0), Fraction(data.get("points", 0)))
    return Node(data["ask"], data["at_least"], tree_of(data["yes"]), tree_of(data["no"]))


# ---- what is shown


def _written(fraction: Fraction | None) -> str | None:
    text = None if fraction is None else f"{fraction.numerator}/{fraction.denominator}"
    return text if text is None or len(text) <= LONGEST else None


def _rules_table(game: Greed, found: Sequence[Found], measured: dict[str, Measured]) -> Table:
    of = [measured[each.name] for each in found]
    columns: dict[str, Sequence[Any]] = {
        "numbers": [len(letters_of(each.family)) for each in found],
        "rule": [each.name for each in found],
        "loss": [each.loss for each in of],
        "exposure": [each.exposure for each in of],
        "win": [each.win for each in of],
        "tie": [each.tie for each in of],
        "lose": [each.lose for each in of],
        "tried": [each.tried for each in found],
        "whole_grid": [each.whole for each in found],
        "family": [each.family for each in found],
        "error_bound": [each.error_bound for each in of],
        "exact_loss": [_written(each.exact_loss) for each in of],
        "exact_exposure": [_written(each.exact_exposure) for each in of],
        "words": [in_words(game, each.rule) for each in found],
    }
    shown = {"numbers": "{}", "rule": "{}", "loss": "{:.6f}", "exposure": "{:.6f}"}
    shown |= dict.fromkeys(("win", "tie", "lose"), "{:.1%}")
    return Table("rules", "the best rule of each family, and how its games against optimal play end", columns, shown)


def _tree_table(chosen: Grown) -> Table:
    lines = list(lines_of(chosen.tree))
    title = f"a tree of {_leaves(chosen)} for normal turns; whoever is behind rolls one die at least"
    return Table("tree", title, {"tree": lines}, {"tree": "{}"})


def _sizes_table(arena: Arena, grown: Sequence[Grown]) -> Table:
    garden = Garden(arena)
    of = [measure(arena, garden.policy(each.tree)) for each in grown]
    columns: dict[str, Sequence[Any]] = {
        "leaves": [each.leaves for each in grown],
        "loss": [each.loss for each in of],
        "exposure": [each.exposure for each in of],
        "tree": ["; ".join(lines_of(each.tree)) for each in grown],
    }
    shown = {"leaves": "{}", "loss": "{:.6f}", "exposure": "{:.6f}"}
    brief = [at for at in range(len(grown)) if grown[at].leaves in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)]
    return Table("sizes", "trees by their size", columns, shown, brief)


def _compact_table(game: Greed, packed: dict[str, int]) -> Table:
    names = {
        "raw": "a byte or two for each state",
        "zlib": "the same, zlib",
        "lzma": "the same, xz",
        "compact": "compact",
    }
    columns: dict[str, Sequence[Any]] = {
        "form": [names[form] for form in packed],
        "bytes": list(packed.values()),
        "states_per_byte": [2 * (game.max + 1) ** 2 / size for size in packed.values()],
    }
    shown = {"form": "{}", "bytes": "{:,}", "states_per_byte": "{:.2f}"}
    return Table("compact", "the whole optimal policy", columns, shown)


def _findings(
    game: Greed,
    found: Sequence[Found],
    in_vain: Sequence[str],
    winners: Sequence[Found],
    measured: dict[str, Measured],
    chosen: Grown,
    of_tree: Measured,
    grown: Sequence[Grown],
    leaves: int,
    packed: dict[str, int],
) -> list[str]:
    said = []
    if not game.constant_sum:
        said.append(
            "With these payoffs one player's loss is not the other's gain: 'exposure' is what a best response gets "
            "more than optimal play gets against itself, and may be negative."
        )
    for each in winners:
        of, count = measured[each.name], len(letters_of(each.family))
        much = "1 number" if count == 1 else f"{count} numbers"
        said.append(
            f"The best rule of {much}, {each.name}, loses {_amount(of.loss, of.exact_loss)} a game against optimal "
            f"play{_answered(game, of)}"
        )
    best = min(winners, key=lambda each: each.loss)
    said.append("Best means of the families and numbers tried; another wording may be better.")
    said.append(f"{best.name} on a card: {in_words(game, best.rule)}")
    for family in in_vain:
        said.append(f"No rule {family} that was tried loses less than the best one without its last number.")
    if not all(each.whole for each in found):
        said.append("Not all rules of every family were tried (see whole_grid): better ones are possible there.")
    said.append(
        f"The tree of {_leaves(chosen)} loses {_amount(of_tree.loss, of_tree.exact_loss)} against optimal "
        f"play{_answered(game, of_tree)} Trees are grown, and not proven to be the best of their size."
    )
    if chosen.leaves < leaves:
        said.append(f"No larger tree than that of {_leaves(grown[-1])} was found to lose less.")
    said.append(
        f"The whole optimal policy takes {packed['compact']:,} bytes; its table, a byte or two for each state, "
        f"{packed['raw']:,}."
    )
    if game.max > EXACT_UP_TO:
        bound = max(each.error_bound for each in measured.values())
        said.append(
            f"Losses are in doubles, within {bound:.0e}; up to max {EXACT_UP_TO} they are found in fractions, too."
        )
    return said


def _leaves(grown: Grown) -> str:
    return "1 leaf" if grown.leaves == 1 else f"{grown.leaves} leaves"


def _answered(game: Greed, of: Measured) -> str:
    """What a best response makes of it, as the end of a sentence."""
    if game.constant_sum:
        return f" and {_amount(of.exposure, of.exact_exposure)} against a best response."
    word = "more" if of.exposure >= 0 else "less"
    return f"; a best response gets {abs(of.exposure):.9f} {word} than optimal play does."


def _amount(value: float, exact: Fraction | None) -> str:
    return f"{round(value if exact is None else float(exact), 9) + 0.0:.9f}"


def _facts(
    game: Greed, best: Found, of: Measured, chosen: Grown, of_tree: Measured, packed: dict[str, int]
) -> dict[str, Any]:
    return {
        "best": {
            "rule": best.name,
            "numbers": {letter: float(number) for letter, number in best.numbers.items()},
            "words": in_words(game, best.rule),
            "loss": of.loss,
            "exact_loss": _written(of.exact_loss),
            "exposure": of.exposure,
            "exact_exposure": _written(of.exact_exposure),
        },
        "tree_of": {
            "leaves": leaves_of(chosen.tree),
            "loss": of_tree.loss,
            "exact_loss": _written(of_tree.exact_loss),
            "exposure": of_tree.exposure,
            "exact_exposure": _written(of_tree.exact_exposure),
            "root": as_data(chosen.tree),
        },
        "bytes": dict(packed),
    }


def _chart(arena: Arena, best: Found, policy: Dice, found: Sequence[Found], grown: Sequence[Grown]) -> Chart:
    game = arena.game
    least: dict[int, float] = {}
    for each in found:
        count = len(letters_of(each.family))
        least[count] = min(least.get(count, np.inf), each.loss)
    some = [each for each in grown if each.loss > 0]
    curve = [
        Series("trees, by leaves", [float(each.leaves) for each in some], [each.loss for each in some]),
        Series("rules of thumb, by numbers", [float(count) for count in least], list(least.values()), kind="dots"),
    ]
    panels: list[Plane | Grid] = [
        Plane("loss against optimal play", "numbers, or leaves", "loss a game", curve, log="y")
    ]
    scores = [float(score) for score in range(game.max + 1)]
    for title, own, optimal in (
        ("normal turns", policy.normal, arena.optimal.normal),
        ("last turns", policy.last, arena.optimal.last),
    ):
        more = (own - optimal).astype(float)
        far = max(1.0, min(float(np.abs(more).max()), 4.0))
        panels.append(
            Grid(
                f"{best.name}, {title}",
                "own score",
                "other's score",
                np.clip(more, -far, far),
                scores,
                scores,
                "dice more than optimal play rolls" + (", up to 4" if np.abs(more).max() > 4 else ""),
                "diverging",
                (-far, far),
            )
        )
    opponent = arena.opponent
    opponent.loss(policy)
    regret = np.take_along_axis(opponent.regret, policy.normal[:, :, None], axis=2)[:, :, 0]
    lost = opponent.moving * regret
    lost[lost <= LEAST_SHOWN * best.loss] = np.nan
    panels.append(
        Grid("where it loses, normal turns", "own score", "other's score", lost, scores, scores, "loss a game", "log")
    )
    words = (
        f"{best.name} loses {best.loss:.6f} a game against optimal play; "
        f"the largest tree, of {_leaves(grown[-1])}, {grown[-1].loss:.6f}"
    )
    return Chart("A policy small enough to remember", panels, [game.spec, words, f"dicewise {__version__}"], words)
