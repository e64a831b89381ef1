"""Simulated games: the stream is the published one, the draws are exact, and both ways play the same games."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise import Game, Greed, InputError, LimitError, RulesError, simulate, solve, sure, total_of
from dicewise.engine import draws
from dicewise.engine import simulate as simulating
from dicewise.engine.draws import digits, first_digits, key_of, philox, pick, thresholds
from dicewise.engine.policies import play
from random_policies import policy_tables, tables
from small_games import Ladder, Nim, Pile, RotatedNim, Table, Walk

# ---- the stream

KNOWN = [  # kat_vectors of Random123, the authors' own library, version 1.14
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_known_answers_of_philox(counter: Any, key: Any, words: Any) -> None:
    assert philox(counter, key) == words
    many = philox(tuple(np.full(3, word, dtype=np.uint64) for word in counter), key)
    assert [set(word.tolist()) for word in many] == [{word} for word in words]


def test_the_stream_of_a_game() -> None:
    """What docs/policies.md says about the digits of U."""
    key = key_of(2**40 + 5)
    assert key == (5, 2**8)
    r = philox((3, 7, 9, 1), key)
    assert digits(key, 2**32 + 9, 7, block=3) == r[0] << 96 | r[1] << 64 | r[2] << 32 | r[3]
    games = np.array([0, 1, 2**32 + 9], dtype=np.uint64)
    assert first_digits(key, games, 7).tolist() == [digits(key, g, 7) >> 64 for g in (0, 1, 2**32 + 9)]


def test_seeds() -> None:
    seeds = [0, 1, 2**32, 2**64 - 1, 2**64, 2**64 + 1, 2**128, 2**200 + 7, 10**100]
    keys = [key_of(seed) for seed in seeds]
    assert len(set(keys)) == len(seeds)
    assert all(0 <= half < 2**32 for key in keys for half in key)
    for wrong in (-1, 1.0, "1", True, None):
        with pytest.raises(InputError, match=r"seed .* is not allowed; give a whole number from 0 up"):
            key_of(wrong)  # type: ignore[arg-type]


# ---- one draw


@given(st.lists(st.one_of(st.integers(1, 9), st.integers(1, 6**40)), min_size=1, max_size=9), st.integers(0, 10**6))
def test_a_draw_is_where_u_falls(weights: list[int], game: int) -> None:
    sums, key = list(accumulate(weights)), key_of(3)
    u = Fraction(sum(digits(key, game, 5, block) << 128 * (3 - block) for block in range(4)), 2**512)
    number = next(i for i, end in enumerate(sums) if u * sums[-1] < end)
    assert pick(sums, key, game, 5) == number
    word = digits(key, game, 5) >> 64
    assert sum(end <= word for end in thresholds(sums)) == number


def coarse(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """Only so many of the first digits are random, the rest of their 64 is 0: then draws often need more of them."""
    keep = (1 << 64) - (1 << 64 - bits)
    real, many = draws.digits, draws.first_digits

    def few(key: Any, game: int, move: int, block: int = 0) -> int:
        all_digits = real(key, game, move, block)
        return all_digits & ~((1 << 128) - (1 << 64)) | all_digits & keep << 64 if block == 0 else all_digits

    monkeypatch.setattr(draws, "digits", few)
    monkeypatch.setattr(simulating, "first_digits", lambda key, games, move: many(key, games, move) & np.uint64(keep))


def test_more_digits_where_the_first_do_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    coarse(monkeypatch, 3)
    for game in range(64):
        u = Fraction(sum(draws.digits((1, 2), game, 0, block) << 128 * (3 - block) for block in range(4)), 2**512)
        for sums in ([1, 8], [1, 8 * 2**100], [2**100, 8 * 2**100], [3, 4, 7]):
            assert pick(sums, (1, 2), game, 0) == next(i for i, end in enumerate(sums) if u * sums[-1] < end)


@pytest.mark.parametrize("bits", [1, 3, 60])
def test_both_ways_agree_where_more_digits_are_needed(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    coarse(monkeypatch, bits)
    game = Greed(12, 4)
    doubts: list[int] = []
    fall_on = simulating._fall_on

    def watched(*args: Any) -> Any:
        edge, doubt = fall_on(*args)
        doubts.append(int(doubt.sum()))
        return edge, doubt

    monkeypatch.setattr(simulating, "_fall_on", watched)
    assert_same_games(game, lambda state: min(2, len(game.actions(state)) - 1), 200)
    assert (sum(doubts) > 0) == (bits < 60)


def chi_square(counts: list[int], chances: list[Fraction]) -> float:
    """How many standard deviations chi-square lies above its mean."""
    games, freedom = sum(counts), len(counts) - 1
    distance = sum((n - games * float(p)) ** 2 / (games * float(p)) for n, p in zip(counts, chances, strict=True))
    return (distance - freedom) / math.sqrt(2 * freedom)


@pytest.mark.parametrize("seed", [0, 1, 2**64 + 3])
def test_draws_are_random(seed: int) -> None:
    """Faces over games, over moves, and pairs of neighbours in both directions, as often as they should be."""
    key, fair = key_of(seed), [Fraction(1, 6)] * 6
    words = np.array([first_digits(key, np.arange(20_000, dtype=np.uint64), move) for move in range(12)])
    faces = (words >> np.uint64(32)) * np.uint64(6) >> np.uint64(32)
    for sample in (faces[0], faces[11], faces[:, :2000], faces[:, 0::97]):
        assert chi_square(np.bincount(sample.ravel().astype(int), minlength=6).tolist(), fair) < 4
    for here, there in ((faces[:-1], faces[1:]), (faces[:, :-1], faces[:, 1:])):
        pairs = np.bincount((here * np.uint64(6) + there).ravel().astype(int), minlength=36)
        assert abs(chi_square(pairs.tolist(), [Fraction(1, 36)] * 36)) < 4
    low = words & np.uint64(7)
    assert chi_square(np.bincount(low.ravel().astype(int), minlength=8).tolist(), [Fraction(1, 8)] * 8) < 4


def test_a_lottery_larger_than_64_bits() -> None:
    lottery = total_of(40, 6)
    assert lottery.total > 2**100
    sums = list(accumulate(lottery.weights))
    totals = [lottery.outcomes[pick(sums, key_of(8), game, 0)] for game in range(4000)]
    assert abs(sum(totals) / 4000 - 140) < 4 * math.sqrt(40 * 35 / 12 / 4000)


# ---- whole games


def assert_same_games(game: Game[Any, Any], policies: Any, games: int, seed: int = 1) -> None:
    """Side by side and by the rules, game by game."""
    played, key, start = play(game, policies), key_of(seed), game.start()
    first = 37
    slow = simulating._play_by_rules(played, start, key, first, first + games)
    fast = simulating._play_side_by_side(simulating._Table(played, start), key, first, first + games, None)
    assert fast is not None
    assert np.array_equal(slow[0], fast[0])
    assert np.array_equal(slow[1], fast[1])


@settings(max_examples=60, deadline=None)
@given(st.data(), st.booleans(), st.booleans())
def test_both_ways_play_the_same_games(data: st.DataObject, loops: bool, pays: bool) -> None:
    game = data.draw(tables(loops=loops, pays=pays))
    policies = [data.draw(policy_tables(game)) for _ in range(game.players)]
    assert_same_games(game, policies, 40, seed=data.draw(st.integers(0, 2**70)))


@pytest.mark.parametrize(
    "game", [Ladder(), Nim(9), RotatedNim(9), Greed(15, 6), Greed(6, 4, players=3), Greed(8, die="1:9,100:1")], ids=repr
)
def test_seats_are_told_apart(game: Game[Any, Any]) -> None:
    def timid(state: Any) -> Any:
        return game.actions(state)[0]

    def bold(state: Any) -> Any:
        return game.actions(state)[-1]

    def mixed(state: Any) -> Any:
        return dict.fromkeys(game.actions(state), 1)

    for policies in (mixed, [mixed, bold, timid][: game.players], [timid, bold, mixed][: game.players]):
        assert_same_games(game, policies, 100)
    # everybody's policy is the same policy for everybody: twins are kept once or twice, the games are the same
    shared, each = simulate(game, mixed, 500, 9), simulate(game, [lambda s: mixed(s)] * game.players, 500, 9)
    assert shared == each
    one, two = (lambda s: mixed(s)), (lambda s: mixed(s))
    if game.players == 2:
        assert simulate(game, [one, two], 500, 9) == shared


def test_the_same_seed_the_same_games() -> None:
    """Golden numbers: they may never change, on any machine, with any version of NumPy."""
    greed = Greed(100, 6)
    found = simulate(greed, solve(greed), 20_000, 2024)
    assert found.counts == {(-1.0, 1.0): 7643, (0.0, 0.0): 4275, (1.0, -1.0): 8082}
    assert found.total_moves == 131835
    ladder = simulate(Ladder(), lambda state: "flip" if state[0] < 3 else "take", 20_000, 10**30)
    assert ladder.counts == {(0.0,): 19674, (16.0,): 326}
    assert simulate(greed, solve(greed), 20_000, 2025) != found


def test_games_do_not_depend_on_how_many_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Greed(12, 4)
    whole = simulate(game, solve(game), 1000, 4)
    monkeypatch.setattr(simulating, "SIDE_BY_SIDE", 7)
    assert simulate(game, solve(game), 1000, 4) == whole
    monkeypatch.setattr(simulating, "OUTCOMES_KEPT", 40)  # then the rest is played by the rules
    assert simulate(game, solve(game), 1000, 4) == whole
    assert simulate(game, solve(game), 1000, 4, using="rules") == whole


def test_statistics() -> None:
    """Against the definitions, over all games one by one."""
    game = Table(2, ((0, (((1, 1, (5, 0)), (2, 2, (0, Fraction(1, 2)))),)),), ((1, 2), (3, -4)))
    found = simulate(game, [{}, {}], 900, 5)
    each = [row for row, count in found.counts.items() for _ in range(count)]
    assert set(each) == {(6.0, 2.0), (3.0, -3.5)}
    for player in (0, 1):
        totals = [row[player] for row in each]
        mean = sum(totals) / 900
        sd = math.sqrt(sum((total - mean) ** 2 for total in totals) / 899)
        assert found.means[player] == pytest.approx(mean)
        assert found.sds[player] == pytest.approx(sd)
        assert found.errors[player] == pytest.approx(sd / 30)
        assert found.distribution(player) == {t: n / 900 for t, n in sorted(Counter(totals).items())}
    assert found.moves == 1
    assert found.outcomes() == {row: count / 900 for row, count in found.counts.items()}
    assert found.within((4, Fraction(-5, 3)))
    assert not found.within((4.5, Fraction(-5, 3)))
    assert not found.within((4, Fraction(-5, 3)), errors=1e-9)
    alone = simulate(game, [{}, {}], 1, 3)
    assert math.isnan(alone.sds[0])
    assert not alone.within(alone.means)


def test_a_game_without_chance_is_within_its_value() -> None:
    found = simulate(Nim(9), lambda pile: pile.stones % 4 or 1, 3, 0)
    assert found.counts == {(1.0, -1.0): 3}
    assert found.within((1, -1))
    assert not found.within((1, -0.999))


@pytest.mark.parametrize("games", [0, -3, 2.0, "5", True])
def test_wrong_numbers_of_games(games: Any) -> None:
    with pytest.raises(InputError, match=r"games .* is not allowed; give a whole number from 1 up"):
        simulate(Ladder(), lambda state: "take", games, 1)


def test_wrong_ways() -> None:
    with pytest.raises(InputError, match="using 'table' is not known; choose one of auto, rules"):
        simulate(Ladder(), lambda state: "take", 5, 1, using="table")


class Round(Walk):
    """It goes round and round."""

    def step(self, state: int, action: int) -> Any:
        return sure(1 + state % 4)


@pytest.mark.parametrize("using", ["auto", "rules"])
def test_games_that_never_end(monkeypatch: pytest.MonkeyPatch, using: str) -> None:
    monkeypatch.setattr(simulating, "MOST_MOVES", 50)
    with pytest.raises(LimitError, match="game 0 is not over after 50 moves; with these policies it may never end"):
        simulate(Round(), lambda state: 1, 5, 1, using=using)


class Broken(Walk):
    def step(self, state: Any, action: int) -> Any:
        return sure([state])


def test_rules_that_are_broken() -> None:
    with pytest.raises(RulesError, match=r"broken: state \[3\] cannot be hashed; use tuples"):
        simulate(Broken(), lambda state: 1, 5, 1)


@pytest.mark.parametrize("using", ["auto", "rules"])
def test_progress(using: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulating, "SIDE_BY_SIDE", 50)
    seen: list[float] = []
    simulate(RotatedNim(9), lambda pile: 1, 220, 1, using=using, progress=lambda share, _: seen.append(share))
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert len(seen) > 5

    class Enough(Exception):  # noqa: N818
        pass

    def stop(share: float, what: str) -> None:
        raise Enough

    with pytest.raises(Enough):
        simulate(RotatedNim(9), lambda pile: 1, 220, 1, using=using, progress=stop)


def test_a_move_of_somebody_else() -> None:
    """A policy is asked about the position as its mover sees it."""
    game = RotatedNim(3)
    seen: set[Pile] = set()
    for policies in ((ask := lambda pile: seen.add(pile) or 1), [ask, lambda pile: ask(pile)]):
        simulate(game, policies, 2, 0)
    assert seen == {Pile(3, 0), Pile(2, 0)}
