"""The tuning study: the source's algorithm told again in plain words, exact scores, games that a seed repeats."""

from __future__ import annotations

import csv
import io
import json
import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dicewise import HoldDice, InputError
from dicewise.cli import main
from dicewise.games.hold_dice import Position
from dicewise.games.hold_dice._layout import dice_of
from dicewise.games.hold_dice.policy import evaluate
from dicewise.games.hold_dice.solution import solve_fast
from dicewise.study import discount
from dicewise.study.discount import MOST_SWEEPS, Source, grid, play, study_discount

# ---- the algorithm


def told_again(game: HoldDice, gamma: Fraction, theta: float) -> tuple[list[tuple[Any, ...]], int]:
    """The source's algorithm in fractions, roll by roll and hold by hold, straight from its description."""
    rolls = list(combinations_with_replacement(game.shown, game.dice))
    weight = dict(zip(game.shown, game.chances, strict=True))
    holds = [hold for count in range(game.dice + 1) for hold in combinations(range(game.dice), count)]
    values, policy = dict.fromkeys(rolls, Fraction(0)), dict.fromkeys(rolls, ())

    def worth(roll: tuple[Any, ...], hold: tuple[int, ...]) -> Fraction:
        if len(hold) == game.dice:
            return Fraction(game.final_score(roll)) + gamma * game.final_score(roll)
        total = Fraction(0)
        for others in product(game.shown, repeat=game.dice - len(hold)):
            chance = math.prod((Fraction(weight[value], sum(game.chances)) for value in others), start=Fraction(1))
            to = tuple(sorted([roll[at] for at in hold] + list(others)))
            total += chance * (-game.cost + gamma * values[to])
        return total

    sweeps = 0
    while True:
        largest = Fraction(0)
        for roll in rolls:
            best = Fraction(0)
            for hold in holds:
                found = worth(roll, hold)
                if found > best:
                    best, policy[roll] = found, hold
            largest = max(largest, abs(best - values[roll]))
            values[roll] = best.limit_denominator(10**15)
        sweeps += 1
        if largest < theta:
            return [tuple(roll[at] for at in policy[roll]) for roll in rolls], sweeps


@pytest.mark.parametrize(
    ("game", "gamma", "theta"),
    [
        (HoldDice(2, 3), "0.9", 0.1),
        (HoldDice(2, 3), "1", 0.01),
        (HoldDice(2, 6), "0.96", 0.5),
        (HoldDice(3, 3), "0.96", 0.1),
        (HoldDice(2, values=(-4, -1, 3), weights=(3, 1, 1)), "0.95", 0.05),
        (HoldDice(2, values=(-4, -3, -1)), "0.95", 0.05),
        (HoldDice(2, 3, cost="1/2"), "0.8", 0.1),
    ],
)
def test_the_source_is_followed(game: HoldDice, gamma: str, theta: float) -> None:
    holds, sweeps = told_again(game, Fraction(gamma), theta)
    source = Source(game)
    (stop,) = source.run(float(gamma), [theta])
    nodes = source.dice.lattice
    found = []
    for node in stop.chosen.tolist():
        counts = nodes.counts[node].tolist()
        found.append(tuple(value for value, n in zip(game.shown, counts, strict=True) for _ in range(n)))
    assert found == holds
    assert stop.sweeps == sweeps


def test_one_run_serves_every_theta() -> None:
    source = Source(HoldDice())
    thetas = [0.1, 5.0, 0.01, 1.0, 0.1]
    together = source.run(0.97, thetas)
    for theta, stop in zip(thetas, together, strict=True):
        (alone,) = source.run(0.97, [theta])
        assert alone.sweeps == stop.sweeps
        assert (alone.chosen == stop.chosen).all()


def test_a_run_that_does_not_settle_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discount, "MOST_SWEEPS", 5)
    assert MOST_SWEEPS > 5
    with pytest.raises(discount.LimitError, match="after 5 sweeps"):
        Source(HoldDice()).run(1.0, [1e-9])


# ---- exact scores


def test_known_scores() -> None:
    study = study_discount(HoldDice(), [0.96, 1.0], [0.1, 1e-9], games=100, exact=True)
    assert study.optimum == pytest.approx(103369 / 7744, abs=1e-12)
    scores = {(row.gamma, row.theta): row for row in study.settings}
    assert scores[0.96, 0.1].score == pytest.approx(13.34812, abs=5e-6)
    assert scores[0.96, 0.1].fraction == "61081/4576"
    assert scores[1.0, 1e-9].score == pytest.approx(12.937, abs=5e-4)
    for row in study.settings:
        assert row.fraction is not None
        assert abs(Fraction(row.score) - Fraction(row.fraction)) <= row.error_bound < 1e-10
    assert study.best == scores[0.96, 0.1]


def test_known_score_of_six_dice() -> None:
    (row,) = study_discount(HoldDice(6), [0.96], [0.1], games=100).settings
    assert row.score == pytest.approx(29.1175, abs=5e-5)


def test_a_policy_that_never_ends() -> None:
    # all scores are below 0, where the source sees no difference and rerolls for ever
    study = study_discount(HoldDice(1, values=(-3, -2)), [0.9], [0.1], games=10, exact=True)
    (row,) = study.settings
    assert row.score == -math.inf
    assert row.simulated is row.standard_error is row.fraction is None
    assert study.findings()[-1] == "None of the policies is sure to end."


# ---- games


@pytest.mark.parametrize("game", [HoldDice(), HoldDice(2, values=(-2, 1, 5), weights=(5, 1, 3)), HoldDice(4, 3)])
def test_games_agree_with_the_exact_score(game: HoldDice) -> None:
    solution = solve_fast(game)
    dice = dice_of(game)
    worth = evaluate(dice, solution.chosen)
    played = play(dice, solution.chosen, 40_000, 7)
    assert abs(played.mean - worth.score) < 4 * played.standard_error
    assert played.standard_error == pytest.approx(worth.deviation / 200, rel=0.03)


def test_a_seed_gives_the_same_games() -> None:
    dice = dice_of(HoldDice())
    chosen = solve_fast(HoldDice()).chosen
    # written down, so that another machine or another NumPy would be noticed
    assert play(dice, chosen, 1000, 1) == play(dice, chosen, 1000, 1)
    assert play(dice, chosen, 1000, 1).mean == SEED_1
    assert play(dice, chosen, 1000, 2).mean != SEED_1


SEED_1 = 13.425


def test_faces_come_as_often_as_they_weigh() -> None:
    dice = dice_of(HoldDice(1, weights=(1, 2, 5)))
    counts = np.bincount(discount._Die(dice, 3).faces(80_000), minlength=3)
    assert counts == pytest.approx([10_000, 20_000, 50_000], rel=0.04)


def test_words_that_would_favour_a_face_are_thrown_away() -> None:
    die = discount._Die(dice_of(HoldDice(1, weights=(1, 2**32))), 3)
    total = 2**32 + 1
    assert int(die.limit) == 2**64 // total * total - 1

    class Words:
        def __init__(self) -> None:
            self.given = [2**64 - 1, 2**32 + 1, 5]

        def random_raw(self, count: int) -> np.ndarray[Any, Any]:
            taken, self.given = self.given[:count], self.given[count:]
            return np.array(taken, dtype=np.uint64)

    die.words = Words()  # type: ignore[assignment]
    assert (2**64 - 1) % total == 0
    die.limit = np.uint64(2**64 - 2)
    assert die.faces(2).tolist() == [0, 1]  # the first word is thrown away, the others are 0 and 5


def test_each_setting_plays_games_of_its_own() -> None:
    study = study_discount(HoldDice(), [0.96], [0.01, 0.1], games=1000)
    first, second = study.settings
    assert first.policy == second.policy
    assert first.score == second.score
    assert first.simulated != second.simulated


def test_noise_is_told_from_truth() -> None:
    study = study_discount(HoldDice(), grid("gamma", "0.95:0.97:0.002"), [0.1, 1.0], games=2000)
    off = [(mean - row.score) / error for row, mean, error in study.played()]
    assert 0.6 < math.sqrt(sum(z * z for z in off) / len(off)) < 1.5
    said = study.findings()
    assert said[0] == "The best play scores 13.34827 on average."
    assert said[-1].endswith("of that variance is sampling noise.")
    same = study_discount(HoldDice(2, 3), grid("gamma", "0.9:0.95:0.01"), [0.1], games=200).findings()[-1]
    assert "exact scores spread by 0.000" in same
    assert same.endswith("about 100% of that variance is sampling noise.")


# ---- grids and refusals


def test_grids() -> None:
    assert grid("gamma", "0.9, 0.95") == [0.9, 0.95]
    assert grid("gamma", "0.88:0.998:0.002")[:2] == [0.88, 0.882]
    assert len(grid("gamma", "0.88:0.998:0.002")) == 60
    assert grid("gamma", "0.88:0.998:0.002")[-1] == 0.998
    assert grid("theta", "1e-9") == [1e-9]
    for wrong in (
        "",
        "x",
        "1:2",
        "2:1:1",
        "0:1:0",
        "0:1:-1",
        "0:1:1e-9",
        "1:2:3:4",
        "1e99999",
        "1e-99999",
        "1/0",
        "1e9",
    ):
        with pytest.raises(InputError, match=r"cannot be read|no gamma|is not allowed|at most 10,000"):
            study_discount(HoldDice(), grid("gamma", wrong), [0.1])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"gammas": [1.1]}, "gamma 1.1 is not allowed"),
        ({"gammas": [float("nan")]}, "gamma nan is not allowed"),
        ({"thetas": [0.0]}, "theta 0 is not allowed"),
        ({"games": 1}, "games 1 is not allowed"),
        ({"seed": -1}, "seed -1 is not allowed"),
        ({"gammas": []}, "at least one of each"),
    ],
)
def test_what_is_refused(given: dict[str, Any], words: str) -> None:
    options = {"gammas": [0.9], "thetas": [0.1]} | given
    with pytest.raises(InputError, match=words):
        study_discount(HoldDice(), options.pop("gammas"), options.pop("thetas"), **options)


# ---- the command

SMALL = ["study", "discount", "hold-dice", "--dice", "2", "--gamma", "0.9,0.96", "--theta", "0.1", "--games", "200"]


def test_the_table_fits_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SMALL) == 0
    out, err = capsys.readouterr()
    table = out.split("\n\n")[1].splitlines()[1:]
    assert table[0].split()[:4] == ["gamma", "theta", "sweeps", "score"]
    assert len(table) == 3
    assert max(map(len, table)) <= 80
    assert "The best play scores 8.15942 on average." in out
    assert not err


def test_json_and_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--json", "--exact"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["schema"] == 1
    assert content["game"] == "hold-dice(dice=2,sides=6)"
    assert main([*SMALL, "--format", "csv", "--exact"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == len(content["settings"]) == 2
    for row, setting in zip(rows, content["settings"], strict=True):
        assert float(row["score"]) == setting["score"]
        assert float(row["simulated"]) == setting["simulated"]
        assert row["fraction"] == setting["fraction"]


def test_never_ending_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    endless = ["study", "discount", "hold-dice", "--values=-3,-2", "--gamma", "0.9", "--theta", "0.1"]
    assert main(endless) == 0
    out = capsys.readouterr().out
    assert "-inf" in out
    assert "None of the policies is sure to end." in out
    assert main([*endless, "--json"]) == 0
    out = capsys.readouterr().out
    assert "Infinity" not in out
    assert json.loads(out)["settings"][0]["score"] is None


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["t.csv", "t.png", "t.svg", "t.pdf"]
    assert main([*SMALL, *(word for name in names for word in ("-o", str(tmp_path / name)))]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "t.svg").read_text()
    assert "best play: 8.1594" in svg
    assert capsys.readouterr().err.count("wrote") == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["study"], "study needs a name"),
        (["study", "discuont", "hold-dice"], "did you mean 'discount'"),
        (["study", "discount", "greed"], "is about hold-dice"),
        ([*SMALL, "--json", "--format", "csv"], "give one of them"),
        ([*SMALL, "-o", "x.txt"], "must end in .csv"),
        ([*SMALL, "-o", "no/such/folder/x.csv"], "cannot write"),
    ],
)
def test_commands_that_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert not out


def test_an_interrupt_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = []

    def interrupted(*given: Any) -> Any:
        done.append(given)
        if len(done) > 1:
            raise KeyboardInterrupt
        return play(*given)

    monkeypatch.setattr(discount, "play", interrupted)
    assert main([*SMALL, "-o", str(tmp_path / "t.csv"), "-o", str(tmp_path / "t.png")]) == 130
    assert len(done) == 2
    assert not list(tmp_path.iterdir())
    assert not capsys.readouterr().out


def test_progress_is_told() -> None:
    told: list[tuple[float, str]] = []
    study_discount(HoldDice(2, 3), [0.9, 0.95], [0.1], games=10, progress=lambda *words: told.append(words))
    assert told == [(0.0, "studying gamma 0.9"), (0.5, "studying gamma 0.95")]


# ---- the picture


def test_the_chart_has_every_setting() -> None:
    study = study_discount(HoldDice(2, 3), [0.9, 0.95, 1.0], [0.1, 1.0], games=50)
    (panel,) = study.as_study().chart.panels  # type: ignore[union-attr]
    assert [series.label for series in panel.series] == [  # type: ignore[union-attr]
        *("theta 0.1, exact", "theta 0.1, games", "theta 1, exact", "theta 1, games"),
    ]
    for number, theta in enumerate((0.1, 1.0)):
        rows = [row for row in study.settings if row.theta == theta]
        exact, games = panel.series[2 * number : 2 * number + 2]  # type: ignore[union-attr]
        assert exact.group == games.group
        assert [*exact.x] == [*games.x] == [0.9, 0.95, 1.0]
        assert [*exact.y] == [row.score for row in rows]
        assert [*games.y] == [row.simulated for row in rows]
        assert [*games.error] == [row.standard_error for row in rows]
    by_theta = study_discount(HoldDice(2, 3), [0.9], [0.1, 1.0], games=50).as_study().chart
    assert by_theta.panels[0].x.startswith("theta")  # type: ignore[union-attr]


def test_positions_of_the_study_are_the_games_own() -> None:
    game = HoldDice(2, 3)
    rolls = list(combinations_with_replacement(game.shown, 2))
    assert [state for state in solve_fast(game).states() if state.dice] == [Position(roll) for roll in rolls]
