"""Random games of every kind that the engine knows: acyclic and cyclic, with slow, free and paying loops."""

from __future__ import annotations

from random import Random

from small_games import Table

KINDS = ("acyclic", "cyclic", "slow", "rewards", "paying", "free", "mixed")


def random_game(seed: int, kind: str | None = None, players: int | None = None, most: int = 200) -> Table:
    """A game that depends on nothing but its arguments; `kind` and `players` are drawn where they are not given."""
    rng = Random(f"{seed} {kind} {players} {most}")
    kind = kind or rng.choice(KINDS)
    players = players or rng.choice((1, 2, 3) if kind == "acyclic" else (1, 2))
    count = min(most, 1 + int(rng.expovariate(1 / (most / 5))))
    constant = rng.choice((0, 1, 5))
    lowest = rng.choice((-6, -6, 0))

    def pay(lowest: int, highest: int) -> int | tuple[int, ...]:
        if players == 1:
            return rng.randint(lowest, highest)
        if players == 2:
            mine = rng.randint(lowest, highest)
            return (mine, constant - mine)
        return tuple(rng.randint(lowest, highest) for _ in range(players))

    ends = tuple(pay(lowest, 6) for _ in range(rng.randint(1, 4)))

    def reward() -> int | tuple[int, ...]:
        if kind in ("rewards", "paying", "mixed", "acyclic") and rng.random() < 0.6:
            amount = rng.randint(-3, 0 if kind == "rewards" else 1)
            if players == 2:
                return (amount, -amount)
            return amount if players == 1 else tuple(rng.randint(-3, 1) for _ in range(players))
        return 0

    def target(state: int) -> int:
        if kind == "acyclic":
            return rng.randint(state + 1, min(state + 12, count + len(ends) - 1))
        if rng.random() < 0.25:
            return count + rng.randrange(len(ends))
        if rng.random() < 0.6:  # mostly ahead, so that there are many components
            return min(state + rng.randint(1, 5), count + len(ends) - 1)
        return max(0, state - rng.randint(0, 6)) if rng.random() < 0.8 else rng.randrange(count)

    def weight() -> int:
        if kind in ("slow", "mixed") and rng.random() < 0.2:
            return 10 ** rng.randint(3, 9)
        return rng.randint(1, 4)

    moves = []
    for state in range(count):
        mover = rng.randrange(players)
        options = []
        for _ in range(rng.randint(1, 3)):
            edges = [(weight(), target(state), reward()) for _ in range(rng.randint(1, 4))]
            if kind in ("free", "mixed") and rng.random() < 0.3:
                edges = [(1, max(0, state - rng.randint(0, 3)), 0)]
            options.append(tuple(edges))
        moves.append((mover, tuple(options)))
    return Table(players, tuple(moves), ends)
