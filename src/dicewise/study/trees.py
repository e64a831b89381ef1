"""A decision tree for the normal turns of two-player Greed: a chosen number of leaves, simple questions.

Inner nodes ask whether the own score, the other's score or the lead is at least some number. A leaf says `stand`,
`roll n`, `aim for X` (as many dice as bring the mean total nearest to X) or `D a die to X` (a die for every full D
points that are missing, at least one). Whoever is behind rolls a die at least, and the last turn is that of the rules
of thumb: half-way between the other's score and the maximum, unless ahead, or level where a tie pays enough.

With m(s) the chance to be at s and r(s, n) what rolling n dice there gives away, a policy loses sum over s of
m(s) r(s, n(s)). For fixed m that is a sum over states, so that the best leaf of a region, and the best question to
split it by, are found by adding up: for every question and every leaf, running sums of m r along the order of the
question's score. m itself depends on the tree. So a tree grows one leaf at a time: the few best splits, by the m of the
tree so far mixed with that of optimal play, are made, improved and compared by what they truly lose; and improved
means by small steps (every number of the tree up and down, every leaf replaced by the best one for its region) as long
as the true loss falls. The trees of all sizes come out of one growth. They are good trees; that they are the best of
their size is not claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.games.greed.policies import Dice
from dicewise.games.greed.thumb import written
from dicewise.study.thumbs import Arena, grid_of

CUT = 1e-10
SMALLEST_WEIGHT = 1e-7
"""States that come up less often do not decide about splits."""

SPLITS_TRIED, MOST_SPLITS = 6, 40
"""Splits that are made and improved at each size; as many more, one by one, where none of them helps."""

QUESTIONS = ("own", "other", "lead")
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Leaf:
    """What to do: `stand`, `roll`, `aim` or `per`."""

    kind: str
    number: int = 0
    points: Fraction = Fraction(0)

    def text(self) -> str:
        if self.kind == "stand":
            return "stand"
        if self.kind == "roll":
            return f"roll {self.number}"
        return f"aim for {self.number}" if self.kind == "aim" else f"{written(self.points)} a die to {self.number}"


@dataclass(frozen=True)
class Node:
    """A question, and what follows if the answer is yes and no."""

    asks: str
    least: int
    yes: Node | Leaf
    no: Node | Leaf


Tree = Node | Leaf


@dataclass(frozen=True)
class Grown:
    """A tree and what it loses against the optimal player."""

    tree: Tree
    leaves: int
    loss: float


def leaves_of(tree: Tree) -> int:
    return 1 if isinstance(tree, Leaf) else leaves_of(tree.yes) + leaves_of(tree.no)


def lines_of(tree: Tree, indent: str = "") -> Iterator[str]:
    """A tree as indented lines."""
    if isinstance(tree, Leaf):
        yield f"{indent}{tree.text()}"
        return
    whose = {"own": "you have {} or more", "other": "the other has {} or more"}
    if tree.asks == "lead":
        asked = f"you lead by {tree.least} or more" if tree.least > 0 else "you are level or ahead"
        if tree.least < 0:
            asked = f"you are behind by {-tree.least} or less, or not at all"
    else:
        asked = whose[tree.asks].format(tree.least)
    for word, branch in ((f"if {asked}", tree.yes), ("otherwise", tree.no)):
        if isinstance(branch, Leaf):
            yield f"{indent}{word}: {branch.text()}"
        else:
            yield f"{indent}{word}:"
            yield from lines_of(branch, indent + "| ")


def as_data(tree: Tree) -> dict[str, Any]:
    """A tree for JSON."""
    if isinstance(tree, Leaf):
        data: dict[str, Any] = {"do": tree.kind}
        if tree.kind != "stand":
            data["number"] = tree.number
        return data | ({"points": written(tree.points)} if tree.kind == "per" else {})
    return {"ask": tree.asks, "at_least": tree.least, "yes": as_data(tree.yes), "no": as_data(tree.no)}


class Garden:
    """Where trees of one ruleset are grown."""

    def __init__(self, arena: Arena) -> None:
        self.arena, self.game = arena, arena.game
        size = self.game.max + 1
        own, other = np.indices((size, size))
        self.own = own
        self.answers = {"own": own, "other": other, "lead": own - other}
        self.least = (own < other).astype(np.int64)
        self.limit = arena.opponent.limit[:, None]
        self.last = arena.tables_last
        self.rows: dict[Leaf, Any] = {}
        top, limit = self.game.max, int(arena.opponent.limit[0])
        scores = [int(score) for score in grid_of(self.game, "X")]
        self.leaves = [Leaf("stand"), *(Leaf("roll", n) for n in range(1, min(limit, 40) + 1))]
        self.leaves += [Leaf("aim", score) for score in scores]
        self.leaves += [Leaf("per", score, points) for score in scores for points in grid_of(self.game, "D")]
        self.top = top
        arena.opponent.loss(arena.optimal, CUT)
        self.optimal_reach = arena.opponent.moving.copy()

    def dice_of(self, leaf: Leaf) -> Any:
        """What a leaf rolls, by own score: [own, 1], before the least when behind."""
        if leaf not in self.rows:
            missing = leaf.number - np.arange(self.top + 1)
            if leaf.kind == "aim":
                mean = self.game.dice.mean()
                row = -((mean.numerator - 2 * missing * mean.denominator) // (2 * mean.numerator))
            elif leaf.kind == "per":
                row = np.maximum(missing * leaf.points.denominator // leaf.points.numerator, 1)
            else:
                row = np.full(self.top + 1, leaf.number if leaf.kind == "roll" else 0)
            self.rows[leaf] = np.clip(row, 0, self.limit[:, 0])[:, None]
        return self.rows[leaf]

    def table(self, tree: Tree) -> Any:
        """The normal turns of a tree, before the least when behind."""
        if isinstance(tree, Leaf):
            return np.broadcast_to(self.dice_of(tree), self.own.shape)
        return np.where(self.answers[tree.asks] >= tree.least, self.table(tree.yes), self.table(tree.no))

    def policy(self, tree: Tree) -> Dice:
        return Dice(np.minimum(np.maximum(self.table(tree), self.least), self.limit), self.last)

    def loss(self, tree: Tree, bar: float = math.inf) -> float:
        """What a tree truly loses, or something above the bar."""
        return self.arena.opponent.loss(self.policy(tree), CUT, bar)[0]

    def grow(self, most: int, tell: Any = None) -> list[Grown]:
        """Trees of 1, 2, ... leaves."""
        tree: Tree = self.best_leaf(np.ones(self.own.shape, dtype=bool), self.weights(None))
        tree, loss = self.improve(tree)
        grown = [Grown(tree, 1, loss)]
        while len(grown) < most:
            if tell is not None:
                tell(len(grown) / most, f"growing trees of up to {most} leaves")
            best, bar = None, grown[-1].loss - 1e-12
            for number, split in enumerate(self.splits(grown[-1].tree)):
                if number >= SPLITS_TRIED and best is not None:
                    break
                tree, loss = self.improve(split, quick=True)
                if loss < bar:
                    best, bar = tree, loss
            if best is None:  # no split helps any more
                break
            tree, loss = self.improve(best)
            grown.append(Grown(tree, len(grown) + 1, loss))
        return grown

    # ---- what states weigh, and what leaves cost in them

    def weights(self, tree: Tree | None) -> Floats:
        """How often states come up: with the tree, and a little as optimal play has it."""
        if tree is None:
            return self.optimal_reach
        self.arena.opponent.loss(self.policy(tree), CUT)
        mixed: Floats = 0.9 * self.arena.opponent.moving + 0.1 * self.optimal_reach
        return mixed

    def costs(self, region: Bools, weights: Floats) -> tuple[Any, Any, Floats]:
        """The states of a region that matter, and what every leaf costs in each of them: [leaf, state]."""
        own, other = np.nonzero(region & (weights > SMALLEST_WEIGHT))
        least, limit = self.least[own, other], self.limit[own, 0]
        rows = np.array([self.dice_of(leaf)[:, 0] for leaf in self.leaves])
        dice = np.minimum(np.maximum(rows[:, own], least), limit)
        return own, other, weights[own, other] * self.arena.opponent.regret[own, other, dice]

    def best_leaf(self, region: Bools, weights: Floats) -> Leaf:
        _, _, costs = self.costs(region, weights)
        return self.leaves[int(costs.sum(axis=1).argmin())]

    def splits(self, tree: Tree) -> list[Tree]:
        """The most promising trees with one leaf more."""
        weights = self.weights(tree)
        found: list[tuple[float, int, Tree]] = []
        for path, leaf, region in self.regions(tree):
            own, other, costs = self.costs(region, weights)
            if not len(own):
                continue
            now = float(costs[self.leaves.index(leaf)].sum()) if leaf in self.leaves else float(costs.sum(axis=1).min())
            for asks in QUESTIONS:
                score = self.answers[asks][own, other]
                order = np.argsort(score, kind="stable")
                sums = np.cumsum(costs[:, order], axis=1)
                # the question goes between two scores: cut k puts the states before k on the side of no
                cuts = np.flatnonzero(np.diff(score[order])) + 1
                if not len(cuts):
                    continue
                before = sums[:, cuts - 1]
                after = sums[:, -1:] - before
                gains = now - before.min(axis=0) - after.min(axis=0)
                for at in np.argsort(-gains)[:2]:
                    no, yes = (self.leaves[int(part[:, at].argmin())] for part in (before, after))
                    node = Node(asks, int(score[order][cuts[at]]), yes, no)
                    found.append((-float(gains[at]), len(found), _replaced(tree, path, node)))
        return [split for _, _, split in sorted(found, key=lambda each: each[:2])[:MOST_SPLITS]]

    def regions(self, tree: Tree, path: tuple[bool, ...] = (), region: Bools | None = None) -> Iterator[Any]:
        """Every leaf, the answers that lead to it, and its states."""
        here = np.ones(self.own.shape, dtype=bool) if region is None else region
        if isinstance(tree, Leaf):
            yield path, tree, here
            return
        said = self.answers[tree.asks] >= tree.least
        yield from self.regions(tree.yes, (*path, True), here & said)
        yield from self.regions(tree.no, (*path, False), here & ~said)

    # ---- small steps

    def improve(self, tree: Tree, quick: bool = False) -> tuple[Tree, float]:
        """The same tree with better numbers, by its true loss."""
        loss = self.loss(tree)
        while True:
            before = loss
            weights = self.weights(tree)
            for path, leaf, region in list(self.regions(tree)):
                best = self.best_leaf(region, weights)
                if best != leaf:
                    tree, loss = self._better(tree, loss, [_replaced(tree, path, best)])
            for path in list(_paths(tree)):
                tree, loss = self._better(tree, loss, self._steps(tree, path))
            if loss > before - 1e-9 or quick:
                return tree, loss

    def _better(self, tree: Tree, loss: float, others: Sequence[Tree]) -> tuple[Tree, float]:
        for other in others:
            found = self.loss(other, loss)
            if found < loss - 1e-12:
                tree, loss = other, found
        return tree, loss

    def _steps(self, tree: Tree, path: tuple[bool, ...]) -> list[Tree]:
        """A tree with the numbers of one node, or leaf, a little larger or smaller."""
        at = _at(tree, path)
        changed: list[Tree]
        if isinstance(at, Node):
            changed = [replace(at, least=at.least + step) for step in (-2, -1, 1, 2)]
        elif at.kind == "stand":
            return []
        else:
            top = self.top if at.kind != "roll" else int(self.limit[0, 0])
            changed = [replace(at, number=at.number + step) for step in (-1, 1) if 0 < at.number + step <= top]
            if at.kind == "per":
                half = Fraction(1, 2)
                changed += [replace(at, points=at.points + step) for step in (-half, half) if at.points + step > 0]
        return [_replaced(tree, path, other) for other in changed]


def _paths(tree: Tree, path: tuple[bool, ...] = ()) -> Iterator[tuple[bool, ...]]:
    yield path
    if isinstance(tree, Node):
        yield from _paths(tree.yes, (*path, True))
        yield from _paths(tree.no, (*path, False))


def _at(tree: Tree, path: tuple[bool, ...]) -> Tree:
    for said in path:
        assert isinstance(tree, Node)
        tree = tree.yes if said else tree.no
    return tree


def _replaced(tree: Tree, path: tuple[bool, ...], new: Tree) -> Tree:
    if not path:
        return new
    assert isinstance(tree, Node)
    if path[0]:
        return replace(tree, yes=_replaced(tree.yes, path[1:], new))
    return replace(tree, no=_replaced(tree.no, path[1:], new))
