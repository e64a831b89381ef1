"""The engine on small games: explored, solved in doubles and in fractions, checked, certified, stored."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise import (
    Game,
    Greed,
    InputError,
    LimitError,
    RulesError,
    Solution,
    Store,
    certify,
    check_game,
    recall,
    solve,
    sure,
)
from dicewise.engine.certify import check_by_rules
from dicewise.engine.explore import explore
from dicewise.engine.recall import keep, recall_stored
from dicewise.engine.solve import interests_of
from small_games import Ladder, Nim, Pile, RotatedNim, Table, brute_force


def test_coin_ladder() -> None:
    """Every rung below 64 is an exact tie (16/4 = 4 ...), and at 64 taking beats 250/4 = 62.5."""
    game = Ladder()
    for exact in (False, True):
        solution = solve(game, exact=exact)
        assert solution.value((4, "choose")) == 64
        assert solution.action((4, "choose")) == "take"
        assert [float(c.loss) for c in solution.choices((4, "choose"))] == [0, 1.5]
        assert solution.best_actions((2, "choose")) == ["take", "flip"]
        assert solution.action((2, "choose")) == "take"
        assert solution.value(game.start()) == Fraction(1, 4)
        assert solution.report.interests == "one player"


@pytest.mark.parametrize("rules", [Nim, RotatedNim])
def test_nim(rules: type[Nim]) -> None:
    game = rules(11)
    for exact in (False, True):
        solution = solve(game, exact=exact)
        assert solution.report.interests == "constant sum"
        assert solution.report.states == 11 if rules is RotatedNim else 20
        for stones in range(1, 12):
            for turn in (0, 1):
                win = 1 if stones % 4 else -1
                values = solution.values(Pile(stones, turn))
                assert values[turn] == win
                assert values[1 - turn] == -win
                if stones % 4:
                    assert solution.action(Pile(stones, turn)) == stones % 4
    assert check_game(game).ok


def test_states_that_play_cannot_reach_are_solved_when_asked_for() -> None:
    solution = solve(RotatedNim(5))
    assert solution.value(Pile(9, 1)) == 1
    assert solution.value(Pile(8, 0)) == -1


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Random acyclic games of one to three players, with rewards."""
    players = draw(st.integers(1, 3))
    count, ends = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    shared = draw(st.sampled_from(["team", "own", "opposed"]))
    number = st.one_of(st.integers(-3, 3), st.fractions(-2, 2, max_denominator=6))

    def pay(total: int) -> Any:
        if shared == "team" or players == 1:
            return draw(number)
        if shared == "opposed" and players == 2:
            first = draw(number)
            return (first, total - first)
        return tuple(draw(number) for _ in range(players))

    moves = []
    for state in range(count):
        actions = []
        for _ in range(draw(st.integers(1, 3))):
            edges = [
                (draw(st.integers(1, 5)), draw(st.integers(state + 1, count + ends - 1)), pay(0))
                for _ in range(draw(st.integers(1, 3)))
            ]
            actions.append(tuple(edges))
        moves.append((draw(st.integers(0, players - 1)), tuple(actions)))
    return Table(players, tuple(moves), tuple(pay(1) for _ in range(ends)))


@settings(max_examples=150, deadline=None)
@given(tables())
def test_random_games(game: Table) -> None:
    exact, fast = solve(game, exact=True), solve(game)
    known: dict[Any, tuple[Fraction, ...]] = {}
    for state in exact.states():
        right = brute_force(game, state, known)
        assert exact.values(state) == right
        for mine, truth in zip(fast.values(state), right, strict=True):
            assert mine == pytest.approx(float(truth), abs=1e-9)
            if fast.report.error_bound is not None:
                assert abs(Fraction(mine) - truth) <= fast.report.error_bound
    proof = certify(exact, exact=True)
    assert proof.proven
    assert proof.policy_loss == 0
    certificate = certify(fast)
    assert certificate.violation <= 1e-12
    if certificate.error_bound is not None:
        for state in exact.states():
            assert all(
                abs(Fraction(a) - b) <= certificate.error_bound
                for a, b in zip(fast.values(state), exact.values(state), strict=True)
            )
    assert check_game(game).ok


def test_interests_are_read_off_the_payoffs() -> None:
    def of(*ends: Any, reward: Any = 0) -> str:
        moves = ((0, tuple(((1, 1 + at, reward),) for at in range(len(ends)))),)
        return interests_of(explore(Table(2, moves, ends)))

    assert of((1, 0), (0, 1)) == "constant sum"
    assert of((1, 1), 3) == "team"
    assert of((1, 0), (0, 2)) == "each for itself"
    assert of((0.1, 0.9), (0.3, 0.7)) == "constant sum"
    assert of((1, 0), (0, 1), reward=(1, -1)) == "constant sum"
    assert of((1, 0), (0, 1), reward=(1, 0)) == "each for itself"


def test_greed_by_rules_has_the_same_interests() -> None:
    assert solve(Greed(5, 2), using="rules").report.interests == "constant sum"
    assert solve(Greed(5, 2, tie=-1), using="rules").report.interests == "each for itself"
    assert solve(Greed(5, 2, win=0, tie=0, lose=0), using="rules").report.interests == "team"


def test_using() -> None:
    with pytest.raises(InputError, match="using 'magic'"):
        solve(Nim(), using="magic")
    with pytest.raises(InputError, match="no kernel"):
        solve(Nim(), using="kernel")
    with pytest.raises(InputError, match="own graph"):
        solve(Nim(), using="graph")


def test_state_limit() -> None:
    with pytest.raises(LimitError, match="more than 5 states"):
        explore(Nim(100), limit=5)


def test_equal_lotteries_are_shared_and_finished_games_merged() -> None:
    graph = explore(Greed(8, 3))
    assert len(graph.ends) == 3  # win, tie, lose
    assert len(graph.first_edge) - 1 < len(graph.lottery)


# ---- rules that are wrong


@dataclass(frozen=True)
class Broken(Game[Any, Any]):
    """A game whose parts can be replaced by broken ones."""

    players: int = 1
    begin: Any = 2
    act: Callable[[Any], Any] = lambda state: ("go",) if state else ()
    go: Callable[[Any, Any], Any] = lambda state, action: sure(state - 1)
    pay: Any = 1
    mover: Any = 0
    paid: Any = 0
    twin: Callable[[Any], Any] = lambda state: state
    words: Callable[[Any], str] = str

    def start(self) -> Any:
        return self.begin

    def actions(self, state: Any) -> Any:
        return self.act(state)

    def step(self, state: Any, action: Any) -> Any:
        return self.go(state, action)

    def payoff(self, state: Any) -> Any:
        return self.pay

    def turn(self, state: Any) -> Any:
        return self.mover

    def reward(self, state: Any, action: Any, outcome: Any) -> Any:
        return self.paid

    def as_first(self, state: Any) -> Any:
        return self.twin(state)

    def text(self, state: Any) -> str:
        return self.words(state)


def raises(*_: Any) -> Any:
    raise ZeroDivisionError("oops")


STOPPED = [
    ({"act": lambda s: None}, "actions returned None"),
    ({"act": raises}, "actions raised ZeroDivisionError"),
    ({"go": raises}, "step raised ZeroDivisionError: oops .*state 2, action 'go'"),
    ({"go": lambda s, a: []}, "no outcome"),
    ({"go": lambda s, a: [(None, 0, s - 1)]}, "weight 0"),
    ({"go": lambda s, a: [(None, -1, s - 1)]}, "weight -1"),
    ({"go": lambda s, a: [(None, 0.5, s - 1)]}, "whole weight"),
    ({"go": lambda s, a: [s - 1]}, "triples"),
    ({"go": lambda s, a: s - 1}, "triples"),
    ({"go": lambda s, a: sure([s])}, "cannot be hashed"),
    ({"pay": float("nan")}, "not finite"),
    ({"pay": float("inf")}, "not finite"),
    ({"pay": (1, 2)}, "2 entries for 1 players"),
    ({"pay": "1"}, "not a number"),
    ({"pay": None}, "not a number"),
    ({"paid": float("nan")}, "not finite"),
    ({"paid": (1, 2, 3)}, "3 entries"),
    ({"mover": 1}, "turn is 1"),
    ({"mover": None}, "turn is None"),
    ({"players": 0}, "players is 0"),
    ({"players": "two"}, "players is 'two'"),
]


@pytest.mark.parametrize(("parts", "words"), STOPPED)
def test_broken_rules_are_named(parts: dict[str, Any], words: str) -> None:
    game = Broken(**parts)
    with pytest.raises(RulesError, match=words):
        solve(game)
    report = check_game(game)
    assert not report.ok
    assert any(word in problem for problem in report.problems for word in words.split(" .*")[:1]), report.problems


SPOILED = [
    ({"twin": lambda s: s - 1 if s == 2 else s}, "as_first"),
    ({"words": lambda s: "same"}, "text 'same'"),
    ({"words": lambda s: f"{s}0"}, "parse"),
    ({"words": lambda s: ""}, "one line"),
    ({"act": lambda s: ("go", "go") if s else ()}, "lists one twice"),
    ({"act": lambda s: (1, "1") if s else ()}, "same label"),
    ({"go": lambda s, a: [(0, 1, s - 1), (0, 1, 0)]}, "outcome twice"),
    ({"act": lambda s: ("go",), "go": lambda s, a: sure((s + 1) % 3)}, "no position is final"),
]


@pytest.mark.parametrize(("parts", "words"), SPOILED)
def test_check_finds_what_a_solver_would_not(parts: dict[str, Any], words: str) -> None:
    report = check_game(Broken(**parts))
    assert any(words in problem for problem in report.problems), report.problems


def test_check_wants_a_frozen_dataclass_and_free_option_names() -> None:
    class Loose(Nim):
        pass

    @dataclass(frozen=True)
    class Greedy(Nim):
        json: int = 1

    @dataclass
    class Thawed(Game[int, int]):
        start = actions = step = payoff = lambda self, *args: 0  # type: ignore[assignment]

    assert check_game(Loose()).ok
    assert any("'json'" in problem for problem in check_game(Greedy()).problems)
    assert any("frozen" in problem for problem in check_game(Thawed()).problems)


def test_check_stops_at_its_limit() -> None:
    report = check_game(Nim(1000), limit=50)
    assert report.ok
    assert report.states == 50
    assert not report.complete


def test_the_outlook() -> None:
    nim = check_game(Nim(30)).outlook
    assert nim is not None
    assert (nim.interests, nim.cyclic, nim.known, nim.refusal) == ("constant sum", 0, 58, "")
    assert not nim.at_least
    assert 0 < nim.seconds < 10
    assert 58 * 50 < nim.memory < 58 * 50_000
    part = check_game(Nim(1000), limit=50).outlook
    assert part is not None
    assert part.at_least
    assert part.known >= 50
    assert part.interests == ""  # no end was seen
    assert (check_game(RotatedNim(30)).parts, check_game(Nim()).parts) == (("as_first",), ())


def stones(state: Any, action: Any) -> Any:
    """0 and 1 are ends; 2 leads to 3, 3 to 2 or 1, 4 to itself."""
    return sure({(2, 0): 3, (3, 0): 2, (3, 1): 1}.get((state, action), state))


def test_cycles_and_what_cannot_end_are_found() -> None:
    parts: dict[str, Any] = {"act": lambda s: (0, 1) if s == 3 else (0,) if s > 1 else (), "go": stones, "paid": -1}
    report = check_game(Broken(**parts))
    assert report.ok
    assert report.outlook is not None
    assert (report.outlook.cyclic, report.outlook.comes_back) == (2, "'2', '3'")
    stuck = check_game(Broken(**parts | {"go": lambda s, a: sure(4) if s == 2 else stones(s, a), "begin": 3}))
    assert "cannot end from '2', '4': every play from there goes on for ever" in stuck.problems[-1]


# ---- certificates


class Tampered(Solution[Any, Any]):
    """A solution with one value changed."""

    def __init__(self, solution: Solution[Any, Any], state: Any, by: Any) -> None:
        super().__init__(solution.game, solution.report)
        self._solution, self._state, self._by = solution, state, by

    def values(self, state: Any) -> Any:
        values = self._solution.values(state)
        if state != self._state:
            return values
        return tuple(v + (self._by if p == state.turn else -self._by) for p, v in enumerate(values))

    def states(self) -> Any:
        return self._solution.states()

    def action(self, state: Any) -> Any:
        return self._solution.action(state)


@pytest.mark.parametrize("last", [False, True])
def test_a_wrong_value_is_found(last: bool) -> None:
    game = Greed(9, 3)
    state = game.at(4, 6, last=last)
    for exact in (False, True):
        solution = solve(game, exact=exact)
        by = Fraction(1, 1000) if exact else 1e-3
        found = certify(Tampered(solution, state, by), exact=exact)
        assert float(found.violation) == pytest.approx(1e-3, rel=1e-6)
        assert not found.proven
        assert found.error_bound is not None
        assert found.error_bound >= 0.999e-3


@pytest.mark.parametrize(
    "game", [Greed(10, 3), Greed(8, die="1:3,2,7"), Greed(9, 4, win=2, tie=1, lose=0)], ids=lambda g: g.spec
)
def test_the_check_of_whole_tables_is_the_check_by_rules(game: Greed) -> None:
    for exact_solution in (False, True):
        solution = solve(game, exact=exact_solution)
        for exact in (False, True):
            quick, slow = solution.check_bellman(exact), check_by_rules(solution, exact)
            assert quick is not None
            assert quick.states >= slow.states
            assert float(quick.largest) == pytest.approx(float(slow.largest), abs=2e-15)
            assert float(quick.policy_loss) == pytest.approx(float(slow.policy_loss), abs=2e-15)
            if exact_solution and exact:
                assert quick.largest == slow.largest == 0


def test_tables_with_a_wrong_entry_are_found() -> None:
    game = Greed(12, 4)
    for name in ("normal", "last"):
        solution: Any = solve(game)
        tables = solution._tables
        wrong = getattr(tables, name).copy()
        wrong[3, 5] += 1e-6
        solution._tables = dataclasses.replace(tables, **{name: wrong})
        for exact in (False, True):
            assert float(certify(solution, exact=exact).violation) >= 0.9e-6
        dice = getattr(tables, f"{name}_dice").copy()
        dice[3, 5] = 0 if dice[3, 5] else 1
        solution._tables = dataclasses.replace(tables, **{f"{name}_dice": dice})
        for exact in (False, True):
            assert certify(solution, exact=exact).policy_loss > 1e-3


def test_a_wrong_entry_of_the_other_player_is_found() -> None:
    """The state before reads it, so values that agree with a wrong one must not pass for proven."""
    game = Greed(6, 3)
    exact: Any = solve(game, exact=True)
    for a in range(7):
        for q in range(7):
            exact._other[True][a][q] = exact._own[False][a][q] = exact.scale
            exact._best[False][a][q] = (0,)
    found = certify(exact, exact=True)
    assert not found.proven
    assert found.violation >= 1
    fast: Any = solve(RotatedNim(5), exact=True)
    fast._table[fast._numbering.find(Pile(2, 0))] = (Fraction(1), Fraction(1))
    assert certify(fast, exact=True).violation == 2
    assert certify(solve(RotatedNim(5)), exact=True).proven


def test_a_proof_is_also_one_of_the_actions() -> None:
    for wrong in ((0,), (4, 5), ()):
        exact: Any = solve(Greed(20, 6), exact=True)
        right = exact._best[False][0][0]
        exact._best[False][0][0] = wrong or right[:1]
        found = certify(exact, exact=True)
        assert found.violation == 0
        assert found.proven == (exact._best[False][0][0] == right)
        assert found.wrong_ties == (exact._best[False][0][0] != right)


def test_payoffs_as_fractions_are_compared_exactly() -> None:
    def of(*ends: Any) -> str:
        moves = ((0, tuple(((1, 1 + at, 0),) for at in range(len(ends)))),)
        return interests_of(explore(Table(2, moves, ends)))

    tiny = Fraction(1, 10**13)
    assert of((1, 0), (0, 1 + tiny)) == "each for itself"
    assert of((1, 0), (0, 1 + 1e-13)) == "constant sum"


def test_the_bound_holds() -> None:
    far_off = Greed(10, 3, win=1000001, tie=1000000, lose=999999)
    for game in (Greed(20, 6), Greed(17, die="1,1,2,3,5,8"), Greed(30, 2), far_off):
        fast, truth = solve(game), solve(game, exact=True)
        distance = max(abs(Fraction(fast.value(s)) - truth.value(s)) for s in truth.states())
        for bound in (fast.report.error_bound, certify(fast).error_bound, certify(fast, exact=True).error_bound):
            assert bound is not None
            assert distance <= bound < 1e-11 * max(1, abs(game.win))


# ---- the store


@pytest.mark.parametrize("game", [Greed(12, 4), Greed(9, 3, tie=-1), Greed(4, 3, players=3), RotatedNim(9)], ids=str)
def test_recalled_solutions_are_the_same(game: Any, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    solved = recall(game, store=store)
    assert recall_stored(game, store) is not None
    again = recall(game, store=store)
    assert again.report == solved.report
    for state in solved.states():
        assert again.values(state) == solved.values(state)
        assert again.action(state) == solved.action(state)


def test_exact_solutions_and_games_of_a_function_are_not_stored(tmp_path: Path) -> None:
    store = Store(tmp_path)

    @dataclass(frozen=True)
    class Local(Nim):
        pass

    assert not keep(solve(Local()), store)
    assert not keep(solve(Nim(), exact=True), store)
    assert store.entries() == []


def test_stored_tables_of_another_shape_are_solved_again(tmp_path: Path) -> None:
    import numpy as np

    from dicewise.store import key_of

    store, game = Store(tmp_path), Greed(6, 3)
    key = key_of(game)
    assert key is not None
    recall(game, store=store)
    arrays, meta = store.load(key) or ({}, {})
    store.save(key, {name: np.asarray(array)[:-1] for name, array in arrays.items()}, meta)
    assert recall_stored(game, store) is None
    assert recall(game, store=store).value(game.start()) == solve(game).value(game.start())
