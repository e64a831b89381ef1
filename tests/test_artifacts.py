"""`dicewise study artifacts`: plain programs told again state by state, losses and jumps by slow exact twins."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import naive
from dicewise import Greed, solve
from dicewise.chance import total_of, totals_by_formula
from dicewise.cli import cli
from dicewise.errors import InputError
from dicewise.games import find_game
from dicewise.study import artifacts as module
from dicewise.study.artifacts import Judge, artifacts
from dicewise.study.plain import PROGRAMS, by_formula, chances, programs_for, solve_plainly
from dicewise.study.result import Study
from dicewise.study.rulesets import read_rulesets


def study_of(**given: str) -> Study:
    return artifacts(read_rulesets("greed", given))


# ---- the plain program


def told_again(game: Greed, program: str) -> dict[tuple[bool, int, int], tuple[float, int]]:
    """The same program as loops over states, dice and totals."""
    top = game.max
    found: dict[tuple[bool, int, int], tuple[float, int]] = {}
    for last in (True, False):
        for both in range(2 * top, -1, -1):
            for a in range(max(0, both - top), min(both, top) + 1):
                q = both - a
                best, dice = -np.inf, 0
                for n in range(game.n_max(a) + 1):
                    value = 0.0
                    if n == 0 and not last:
                        value = float(game.win + game.lose) - found[True, q, a][0]
                    else:
                        for total, chance in enumerate(chances(program, n, game).tolist()):
                            score = a + total
                            if score > top or (last and score < q):
                                value += float(game.lose) * chance
                            elif last:
                                value += float(game.win if score > q else game.tie) * chance
                            elif n:
                                value += (
                                    float(game.win + game.lose) - found[False, q, score][0] if total else 0
                                ) * chance
                    if value > best:
                        best, dice = value, n
                found[last, a, q] = best, dice
    return found


@pytest.mark.parametrize(
    "game",
    [Greed(14, 3), Greed(11, 6), Greed(9, die="1,2,2,5"), Greed(8, 2, win=3, tie=2, lose=1)],
    ids=lambda game: game.spec,
)
def test_the_plain_program_is_what_it_says(game: Greed) -> None:
    for program in programs_for(game):
        found, again = solve_plainly(game, program), told_again(game, program)
        for (last, a, q), (value, dice) in again.items():
            assert found.values[last][a, q] == value
            assert found.dice[last][a, q] == dice


def test_chances_are_chances_while_dice_are_few() -> None:
    for game in (Greed(20, 6), Greed(20, 2), Greed(20, die="2,3:5,9")):
        for n in range(7):
            exact = np.zeros(n * game.dice.outcomes[-1] + 1)
            for total, weight in total_of(n, game.dice):
                exact[total] = weight / game.dice.total**n
            for program in programs_for(game):
                assert np.allclose(chances(program, n, game), exact, rtol=0, atol=1e-15)


def test_the_formula_breaks_down() -> None:
    few, many = by_formula(10, 6), by_formula(40, 6)
    exact = dict(totals_by_formula(10, 6))
    assert all(few[total] == pytest.approx(weight / 6**10, rel=1e-9) for total, weight in exact.items())
    assert many.min() < 0
    assert many.max() > 1
    assert np.isnan(by_formula(1030, 2).max())  # no double is large enough


# ---- judging


@cache
def twins(spec: str) -> tuple[Any, Any]:
    """All states of a ruleset, and its totals, by the slow twin of the library."""
    game = find_game(spec)
    assert isinstance(game, Greed)
    weights = dict(game.dice)
    return naive.greed(game.max, weights), cache(lambda n: naive.totals(weights, n))


def twin_loss(game: Greed, last: bool, a: int, q: int, n: int) -> tuple[Fraction, list[int]]:
    """The loss of rolling n, and all best numbers, in fractions from the sums."""
    solved, rolled = twins(game.spec)

    def worth(n: int) -> Fraction:
        if n == 0 and not last:
            return Fraction(solved[q, a, True][0][1])
        value = Fraction(0)
        for total, chance in rolled(n).items():
            score = a + total
            if score > game.max:
                value -= chance
            else:
                value += chance * ((score > q) - (score < q) if last else solved[q, score, False][0][1])
        return value

    (best, _), ties = solved[a, q, last]
    return best - worth(n), list(ties)


@pytest.mark.parametrize("exactly", [True, False])
def test_losses_and_ties(exactly: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exactly:
        monkeypatch.setattr(module, "EXACTLY", 0)
    for game in (Greed(9, 3), Greed(8, die="1,4:2")):
        judge = Judge(game)
        assert judge.exact == exactly
        for last, a, q in product((True, False), range(game.max + 1), range(game.max + 1)):
            _, ties = twin_loss(game, last, a, q, 0)
            assert list(judge.ties((last, a, q))) == ties
            assert judge.dice[last][a, q] == ties[0]
            assert judge.is_won((last, a, q)) == (twins(game.spec)[0][a, q, last][0][0] == 1)
            for n in range(game.n_max(a) + 1):
                loss = judge.loss((last, a, q), n)
                right = twin_loss(game, last, a, q, n)[0]
                if exactly or last:
                    assert loss == right
                else:
                    assert float(loss) == pytest.approx(float(right), abs=1e-14)
                    assert (loss == 0) == (right == 0)


def test_verdicts() -> None:
    judge = Judge(Greed(5, 2))
    step = Fraction(1, 2**52)
    assert [judge.verdict(loss) for loss in (Fraction(0), step / 2, step, Fraction(1, 10))] == [
        "tie",
        "rounding",
        "mistake",
        "mistake",
    ]


def test_every_differing_state_is_listed_with_its_loss() -> None:
    game = Greed(20, 6)
    study = study_of(max="20", sides="6")
    exact = solve(game, exact=True)
    listed = {
        (row["program"], row["turn"], row["active"], row["queued"]): row for row in study.table("differing").rows()
    }
    for program in PROGRAMS:
        plain = solve_plainly(game, program)
        for last, a, q in product((True, False), range(21), range(21)):
            state = game.at(a, q, last=last)
            n, best = int(plain.dice[last][a, q]), exact.best_actions(state)
            row = listed.pop((program, "last" if last else "normal", a, q), None)
            assert (row is None) == (n == best[0])
            if row is not None:
                assert (row["n_exact"], row["n"]) == (best[0], n)
                loss = next(choice.loss for choice in exact.choices(state) if choice.action == n)
                assert Fraction(row["exact_loss"]) == loss
                assert (row["class"] == "tie") == (n in best)
    assert not listed
    for row in study.table("programs").rows():
        assert row["differ"] == row["tie"] + row["rounding"] + row["mistake"]


def test_large_boards_have_losses_that_doubles_cannot_show() -> None:
    # 33 dice are best there, and a few less lose less than anything that a payoff near 1 can show in doubles
    judge = Judge(Greed(200, 6))
    assert not judge.exact
    state = (True, 0, 32)
    assert list(judge.ties(state)) == [33]
    assert judge.verdict(judge.loss(state, 30)) == "rounding"
    assert judge.verdict(judge.loss(state, 5)) == "mistake"


# ---- jumps


def test_jumps_by_cause() -> None:
    game = Greed(16, 3)
    study, exact = study_of(max="16", sides="3"), solve(game, exact=True)
    rows = {(row["turn"], row["along"], row["what"]): row for row in study.table("jumps").rows()}
    for last, along in product((True, False), "qa"):
        turn = "last" if last else "normal"
        for what, wide in (("jump", 2), ("back and forth", 3)):
            count = dict.fromkeys(("ties", "standing", "real"), 0)
            for x, y in product(range(17), range(17 - wide + 1)):
                line = [(x, y + i) if along == "q" else (y + i, x) for i in range(wide)]
                options = [exact.best_actions(game.at(a, q, last=last)) for a, q in line]

                def jumps(dice: tuple[int, ...]) -> bool:
                    if len(dice) == 2:
                        return abs(dice[0] - dice[1]) > 1
                    return dice[0] < dice[1] > dice[2] or dice[0] > dice[1] < dice[2]

                mine = tuple(each[0] for each in options)
                if jumps(mine):
                    forced = all(jumps(dice) for dice in product(*options))
                    count["ties" if not forced else "standing" if 0 in mine else "real"] += 1
            row = rows[turn, along, what]
            assert {name: row[name] for name in count} == count
            assert row["count"] == sum(count.values())
    assert sum(row["real"] for row in rows.values()) > 0


# ---- the study and the command


def test_dice_of_ones_own_have_no_formula() -> None:
    study = study_of(max="15", die="1,2,2,7")
    assert set(study.table("programs").columns["program"]) == {"fft", "clipped", "convolution"}
    assert "formula" not in study.table("chances").columns
    assert study.chart is not None
    assert len(study.chart.panels) == 3


def test_where_the_formula_breaks_down_is_said() -> None:
    study = study_of(max="10", sides="6")
    errors = study.table("chances").columns
    assert len(errors["n"]) == 40
    assert max(errors["fft"]) < 1e-14
    assert max(errors["convolution"]) < 1e-15
    first = next(n for n, error in zip(errors["n"], errors["formula"], strict=True) if error > 1e-6)
    assert f"Its alternating sum is wrong by more than a millionth from {first} dice on." in study.findings


def test_command() -> None:
    result = CliRunner().invoke(cli, ["study", "artifacts", "greed", "--max", "12", "--json", "--jobs", "1"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["study"] == "artifacts"
    assert found["exact"] is True
    assert found["states"] == 2 * 13 * 13
    assert {row["program"] for row in found["programs"]} == set(PROGRAMS)


def test_refusals() -> None:
    with pytest.raises(InputError, match="tie half-way"):
        study_of(max="5", tie="1")
    with pytest.raises(InputError, match="up to 500"):
        study_of(max="501")
    with pytest.raises(InputError, match="one ruleset"):
        study_of(max="5:6")
