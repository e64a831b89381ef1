"""Slow, obvious twins of the library, written straight from the rules with fractions.

Nothing here shares code or ideas with the library: no scaling, no symmetry, no recurrence over dice. A die is
`weights`, from face to a positive whole weight. What is best is decided exactly, so ties are ties.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

State = tuple[int, int, bool]  # active, queued, last
Pair = tuple[Fraction, Fraction]  # what the mover gets, what the other gets
Seats = tuple[int | None, ...]  # scores, mover first; None for a player who is out
Shares = tuple[Fraction, ...]


def totals(weights: dict[int, int], n: int) -> dict[int, Fraction]:
    """The distribution of the total of n dice, by adding one die after the other."""
    ways = {0: 1}
    for _ in range(n):
        more: dict[int, int] = {}
        for total, count in ways.items():
            for face, weight in weights.items():
                more[total + face] = more.get(total + face, 0) + count * weight
        ways = more
    everything = sum(ways.values())
    return {total: Fraction(count, everything) for total, count in ways.items()}


def most_dice(max_score: int, weights: dict[int, int]) -> Callable[[int], int]:
    """The dice that a score may roll: up to a mean past the maximum if fair, else all that may fit."""
    sides = len(weights)
    numbered = sorted(weights) == list(range(1, sides + 1))
    if numbered and len(set(weights.values())) == 1:
        return lambda active: -(-2 * (max_score - active) // (sides + 1))
    return lambda active: (max_score - active) // min(weights)


def greed(
    max_score: int,
    weights: dict[int, int],
    win: int | Fraction = 1,
    tie: int | Fraction = 0,
    lose: int | Fraction = -1,
    n_limit: Callable[[int], int] | None = None,
) -> dict[State, tuple[Pair, tuple[int, ...]]]:
    """Greed for two: from (active, queued, last) to the values of mover and other and all best n, ascending.

    The mover maximises its own expectation and plays the smallest of equally good n.
    """
    limit = n_limit or most_dice(max_score, weights)
    rolled = cache(lambda n: totals(weights, n))
    won, drawn, lost = Fraction(win), Fraction(tie), Fraction(lose)
    solution: dict[State, tuple[Pair, tuple[int, ...]]] = {}

    def compare(active: int, queued: int) -> Pair:
        if active > queued:
            return won, lost
        if active < queued:
            return lost, won
        return drawn, drawn

    def hand_over(active: int, queued: int, last: bool) -> Pair:
        """The mover now has `active` and the other is to move: the other's state, seen by the mover."""
        (others, movers), _ = solution[queued, active, last]
        return movers, others

    def stand(active: int, queued: int, last: bool) -> Pair:
        return compare(active, queued) if last else hand_over(active, queued, True)

    def roll(active: int, queued: int, last: bool, n: int) -> Pair:
        mover = other = safe = Fraction(0)
        for total, chance in rolled(n).items():
            score = active + total
            if score > max_score:
                continue
            after = compare(score, queued) if last else hand_over(score, queued, False)
            mover += chance * after[0]
            other += chance * after[1]
            safe += chance
        return mover + (1 - safe) * lost, other + (1 - safe) * won

    # Last turns lead nowhere, normal states to last turns and to normal states with more points on the table.
    for last in (True, False):
        for points in range(2 * max_score, -1, -1):
            for active in range(max(0, points - max_score), min(points, max_score) + 1):
                queued = points - active
                choices = [stand(active, queued, last)]
                choices += [roll(active, queued, last, n) for n in range(1, limit(active) + 1)]
                top = max(mover for mover, _ in choices)
                best = tuple(n for n, (mover, _) in enumerate(choices) if mover == top)
                solution[active, queued, last] = choices[best[0]], best
    return solution


def greed_many(
    max_score: int, weights: dict[int, int], players: int
) -> dict[tuple[Seats, int], tuple[Shares, tuple[int, ...]]]:
    """Greed for a tableful: from (scores, turns_left) to everybody's share and all best n, ascending.

    Scores and shares are in seating order, mover first. `turns_left` is 0 in normal play, else the number of
    last turns still to be played, the mover's included. Every state with two or more players still in has an
    entry, whether play from scratch gets there or not.
    """
    limit = most_dice(max_score, weights)
    rolled = cache(lambda n: totals(weights, n))

    def share(scores: Seats) -> Shares:
        top = max(score for score in scores if score is not None)
        return tuple(Fraction(score == top, scores.count(top)) for score in scores)

    def after(scores: Seats, turns_left: int, stood: bool) -> Shares:
        """What everybody gets, in the order of `scores`, once the player in the first seat has moved."""
        still_in = [seat for seat, score in enumerate(scores) if score is not None]
        if len(still_in) == 1 or turns_left == 1:
            return share(scores)
        if turns_left > 1:
            turns_left -= 1
        elif stood:
            turns_left = len(still_in) - 1
        seat = next(seat for seat in still_in if seat > 0)
        shares, _ = solve(scores[seat:] + scores[:seat], turns_left)
        return shares[-seat:] + shares[:-seat]

    def roll(scores: Seats, turns_left: int, active: int, n: int) -> Shares:
        shares = [Fraction(0)] * players
        safe = Fraction(0)
        outcomes: list[tuple[int | None, Fraction]] = []
        for total, chance in rolled(n).items():
            if active + total <= max_score:
                outcomes.append((active + total, chance))
                safe += chance
        if safe < 1:
            outcomes.append((None, 1 - safe))
        for score, chance in outcomes:
            for seat, value in enumerate(after((score, *scores[1:]), turns_left, False)):
                shares[seat] += chance * value
        return tuple(shares)

    @cache
    def solve(scores: Seats, turns_left: int) -> tuple[Shares, tuple[int, ...]]:
        active = scores[0]
        assert active is not None
        choices = [after(scores, turns_left, True)]
        choices += [roll(scores, turns_left, active, n) for n in range(1, limit(active) + 1)]
        top = max(shares[0] for shares in choices)
        best = tuple(n for n, shares in enumerate(choices) if shares[0] == top)
        return choices[best[0]], best

    seats = [None, *range(max_score + 1)]
    solution = {}
    for scores in product(seats[1:], *[seats] * (players - 1)):
        others = players - 1 - scores.count(None)
        for turns_left in range(others + 1 if others else 0):
            solution[scores, turns_left] = solve(scores, turns_left)
    return solution


# ---- cyclic games: what becomes of a game that is cut off after a very long time


def cut_off(game: Any, states: list[int], moves: int, then: float) -> list[dict[int, float]]:
    """What each state is worth to player 0 if the game is cut off after so many moves, which pays `then`: the values
    for the last 24 numbers of moves, with player 1 against player 0 where there is one."""
    worth = dict.fromkeys(states, then)
    seen = []

    def first(pay: Any) -> float:
        return float(pay[0] if isinstance(pay, tuple) else pay)

    table = {
        state: [
            (
                sum(weight for _, weight, _ in lottery),
                [(weight, first(game.reward(state, action, outcome)), to) for outcome, weight, to in lottery],
            )
            for action in game.actions(state)
            for lottery in [game.step(state, action)]
        ]
        for state in states
    }
    ends: dict[Any, float] = {}
    for options in table.values():
        for _, edges in options:
            for _, _, to in edges:
                if to not in table:
                    ends[to] = first(game.payoff(to))
    best = {state: max if game.turn(state) == 0 else min for state in states}
    for move in range(moves):
        worth = {
            state: best[state](
                sum(w * (paid + (worth[to] if to in worth else ends[to])) for w, paid, to in edges) / total
                for total, edges in options
            )
            for state, options in table.items()
        }
        if move >= moves - 24:
            seen.append(worth)
    return seen


def endless(game: Any, moves: int = 3000, far: float = 300.0) -> tuple[str | None, dict[int, float]]:
    """Why a cyclic game of one player, or of two opponents, has no answer, or None and what its states are worth.

    One player: the best that ends is what a game is worth whose cutting off is a disaster; if cutting it off for
    nothing is better than that, the player would rather never end. Two players: the value must not depend on whether
    cutting off counts as the best or as the worst result for player 0.
    """
    states, ends, waiting = {0}, set(), [0]
    before: dict[int, set[int]] = {}
    while waiting:
        state = waiting.pop()
        for action in game.actions(state):
            for _, _, to in game.step(state, action):
                before.setdefault(to, set()).add(state)
                if not game.actions(to):
                    ends.add(to)
                elif to not in states:
                    states.add(to)
                    waiting.append(to)
    ending, waiting = set(ends), list(ends)
    while waiting:
        for state in before.get(waiting.pop(), set()) - ending:
            ending.add(state)
            waiting.append(state)
    if not states <= ending:
        return "no end", {}
    listed = sorted(states)
    pays = any(
        game.reward(s, a, o) not in (0, (0, 0)) for s in listed for a in game.actions(s) for o, _, _ in game.step(s, a)
    )
    if game.players == 1:
        low = cut_off(game, listed, moves, -far)[-1]
        free = cut_off(game, listed, moves, 0.0)
        if any(free[-1][s] > cut_off(game, listed, moves // 2, 0.0)[-1][s] + 1 for s in listed):
            return "paying loop", {}
        if any(row[s] > low[s] + 1e-6 for row in free for s in listed):
            return "endless play", {}
        return None, low
    results = [game.payoff(end)[0] for end in ends]
    low = cut_off(game, listed, moves, -far if pays else min(results))[-1]
    high = cut_off(game, listed, moves, far if pays else max(results))[-1]
    if any(high[s] - low[s] > 1e-6 for s in listed):
        return "endless play", {}
    return None, low


# ---- hold dice


Value = int | Fraction
Roll = tuple[Value, ...]


def hold_dice(
    dice: int, weights: dict[Value, int], cost: Value = 1
) -> tuple[Fraction, dict[Roll, tuple[Fraction, list[Roll | str]]]]:
    """Hold dice with a cost above 0: the value of the start, and from each roll to its value and all best actions.

    Policy iteration over rolls, each die rolled on its own: begin by always sticking, and change an action where
    another one is better. What every roll is worth to a policy comes out of linear equations, one per roll.
    """
    values = sorted(weights)
    everything = sum(weights.values())
    opposite = dict(zip(values, values[::-1], strict=True))
    rolls = sorted({tuple(sorted(roll)) for roll in product(values, repeat=dice)})

    def score(roll: Roll) -> Value:
        return sum(opposite[value] if roll.count(value) > 1 else value for value in roll)

    @cache
    def reroll(keep: Roll) -> dict[Roll, Fraction]:
        """Where rolling the other dice leads to."""
        chances: dict[Roll, Fraction] = {}
        for others in product(values, repeat=dice - len(keep)):
            chance = Fraction(1)
            for value in others:
                chance *= Fraction(weights[value], everything)
            to = tuple(sorted(keep + others))
            chances[to] = chances.get(to, Fraction(0)) + chance
        return chances

    @cache
    def keeps(roll: Roll) -> list[Roll]:
        found = {()}
        for value in roll:
            found |= {(*keep, value) for keep in found}
        return sorted(found - {roll}, key=lambda keep: (len(keep), keep))

    def worth(action: Roll | str, roll: Roll, worths: dict[Roll, Fraction]) -> Fraction:
        if action == "stick":
            return Fraction(score(roll))
        return sum((chance * worths[to] for to, chance in reroll(action).items()), Fraction(-cost))

    policy: dict[Roll, Roll | str] = dict.fromkeys(rolls, "stick")
    while True:
        worths = _evaluate(rolls, policy, {roll: Fraction(score(roll)) for roll in rolls}, reroll, cost)
        changed = False
        for roll in rolls:
            best = max(keeps(roll), key=lambda keep: worth(keep, roll, worths))
            if worth(best, roll, worths) > worths[roll]:
                policy[roll], changed = best, True
        if not changed:
            break
    start = sum((chance * worths[to] for to, chance in reroll(()).items()), Fraction(0))
    best_of = {roll: [a for a in ["stick", *keeps(roll)] if worth(a, roll, worths) == worths[roll]] for roll in rolls}
    return start, {roll: (worths[roll], best_of[roll]) for roll in rolls}


def _evaluate(
    rolls: list[Roll],
    policy: dict[Roll, Roll | str],
    score: dict[Roll, Fraction],
    reroll: Callable[[Roll], dict[Roll, Fraction]],
    cost: Value,
) -> dict[Roll, Fraction]:
    """What a policy makes of each roll: Gauss' elimination over the rolls that it does not stick with."""
    open_rolls = [roll for roll in rolls if policy[roll] != "stick"]
    rows = []
    for roll in open_rolls:
        chances = reroll(policy[roll])
        row = [Fraction(roll == to) - chances.get(to, Fraction(0)) for to in open_rolls]
        paid = sum((chance * score[to] for to, chance in chances.items() if policy[to] == "stick"), Fraction(-cost))
        rows.append([*row, paid])
    for at in range(len(rows)):
        pivot = next(row for row in range(at, len(rows)) if rows[row][at])
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [entry / rows[at][at] for entry in rows[at]]
        for other in range(len(rows)):
            if other != at and rows[other][at]:
                factor = rows[other][at]
                rows[other] = [mine - factor * its for mine, its in zip(rows[other], rows[at], strict=True)]
    return score | {roll: row[-1] for roll, row in zip(open_rolls, rows, strict=True)}
