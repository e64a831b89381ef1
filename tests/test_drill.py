"""Drills: one's own mistakes are asked again, spaced, and answered with what they cost and why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dicewise import Greed, HoldDice, Session, find_game, solve
from dicewise.play.drill import DAYS, Card, answer, cards, is_due
from dicewise.play.records import Drill, Records
from dicewise.play.trend import look_back_at_all

EXAMPLES = Path(__file__).parents[1] / "examples"
NOW = datetime(2026, 1, 31, 18, 5, tzinfo=UTC)
NEAR_TIE = Fraction(1, 1000)


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Records]:
    monkeypatch.setenv("DICEWISE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    with Records() as opened:
        yield opened


def keep(
    records: Records, game: Any, moves: list[tuple[Any, Any]], names: tuple[str, ...] = ("Alice", "Blair")
) -> None:
    session = Session(game, names[: game.players])
    for action, outcome in moves:
        session.push(action, outcome)
    id = records.keep(session, ("human",) * game.players)
    if session.over:
        records.finish(id, session.result)


README = [(25, 74), (25, 89), (5, 16), (2, 6), (3, 10), (2, 9)]
SOLUTION = solve(Greed())


def laid(records: Records, player: str | None = None) -> list[Card]:
    games, left_out = look_back_at_all(
        records.all(), lambda game: SOLUTION if game == Greed() else solve(game), player=player
    )
    assert not left_out
    return cards(games, records)


# ---- cards


def test_mistakes_become_cards_the_most_costly_first(records: Records) -> None:
    keep(records, Greed(), README)
    keep(records, Greed(), [(20, 70)])
    found = laid(records)
    assert [(card.game.text(card.state), card.chosen, card.times) for card in found] == [
        ("90 95", 3, 1),
        ("95 100", 2, 1),
        ("0 0", 20, 2),
        ("0 74", 25, 1),
    ]
    assert [float(card.loss) for card in found] == sorted((float(card.loss) for card in found), reverse=True)
    assert found[0].loss == pytest.approx(0.40770092688 / 2)
    assert [card.names for card in found] == [
        ("Alice", "Blair"),
        ("Blair", "Alice"),
        ("Alice", "Blair"),
        ("Blair", "Alice"),
    ]
    assert all((card.box, card.due, card.asked) == (1, "", 0) for card in found)
    assert [card.game.text(card.state) for card in laid(records, "Blair")] == ["95 100", "0 74"]


def test_seats_that_do_not_rotate_keep_their_names(records: Records) -> None:
    game = find_game(f"{EXAMPLES}/race.py:Race(target=8)")
    keep(records, game, [(1, "a tail"), (4, "a tail")])
    (card,) = laid(records)
    assert card.names == ("Alice", "Blair")
    assert card.state.turn == 1


def test_hinted_and_undone_mistakes_are_no_cards(records: Records) -> None:
    session = Session(Greed())
    session.push(10, 30)
    session.undo()
    session.hint()
    session.push(5, 12)
    records.keep(session, ("human", "human"))
    assert laid(records) == []


def test_boxes(records: Records) -> None:
    keep(records, Greed(), README)
    now = NOW
    for asked, box in enumerate((2, 3, 4, 5, 5), start=1):
        card = laid(records)[0]
        assert is_due(card, now)
        given = answer(card, 1, SOLUTION, records, near_tie=NEAR_TIE, now=now)
        assert given.right
        assert (given.why.chosen.action, given.why.best.action) == (3, 1)
        card = laid(records)[0]
        assert card == given.card
        assert (card.box, card.asked, card.right) == (box, asked, asked)
        assert not is_due(card, now)
        now += timedelta(days=DAYS[box])
        assert is_due(card, now)
        assert not is_due(card, now - timedelta(seconds=1))
    given = answer(laid(records)[0], 3, SOLUTION, records, near_tie=NEAR_TIE, now=now)
    assert not given.right
    card = laid(records)[0]
    assert (card.box, card.asked, card.right) == (1, 6, 5)
    assert is_due(card, now)
    assert [card.box for card in laid(records)[1:]] == [1, 1, 1]


def test_a_near_tie_is_right(records: Records) -> None:
    keep(records, Greed(), README)
    card = laid(records)[0]
    for near_tie, right in ((NEAR_TIE, False), (Fraction(1, 4), True)):
        given = answer(card, 3, SOLUTION, records, near_tie=near_tie, now=NOW)
        assert given.right == right
        assert given.why.loss == given.decision.loss == pytest.approx(0.40770092688)
        assert given.why.best.action == given.decision.best == 1


def test_a_kept_card_that_is_damaged_is_asked_anew(records: Records) -> None:
    keep(records, Greed(), README)
    key = laid(records)[0].key
    records.put_drill(key, Drill(99, "", ["what"]))
    card = laid(records)[0]
    assert (card.box, card.asked, card.right) == (5, 0, 0)


# ---- the command


def drill(*words: str, typed: str = "") -> str:
    line = [sys.executable, "-m", "dicewise", "drill", *words]
    done = subprocess.run(line, input=typed, env=dict(os.environ), capture_output=True, text=True, timeout=60)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return done.stdout


def test_a_drill_through_a_pipe(records: Records) -> None:
    keep(records, Greed(), README)
    printed = drill("--player", "Alice", typed="?\nmany\n\n-1\n1e9\n3\n24\n")
    assert printed.startswith("2 of 2 positions, the most costly first; ")
    assert "1/2  greed(max=100,sides=6)\nAlice: 90, Blair: 95, last: false\nyour move: ?\n0, 1, 2, 3;" in printed
    assert "action 'many' is not possible at '90 95'; allowed: 0, 1, 2, 3\n" in printed
    assert "action '-1' is not possible" in printed
    assert "No: 3 gives away 0.4077, 20.39% of the payoff range.\n" in printed
    table = [line.split() for line in printed.splitlines()]
    assert ["bust", "50.00%", "-1", "-"] in table
    assert ["all", "-0.3858", "0.0219"] in table
    assert "Rolling 1 die is best" in printed
    assert "Box 1: asked again the next time." in printed
    assert (
        "2/2  greed(max=100,sides=6)\nAlice: 0, Blair: 0, last: false\nyour move: 24\nRight: 24 is best.\n" in printed
    )
    assert "then: 25" in printed  # what was played, beside the best
    assert "Box 2: asked again in 1 day." in printed
    assert printed.endswith("\n1 of 2 right\n")
    again = drill("--player", "Alice", typed="1\n")
    assert again.startswith("1 of 2 positions")
    assert "1/1  greed" in again
    assert drill("--player", "Alice").startswith("Nothing is due: the next of 2 positions on ")
    assert "1/2  greed" in drill("--player", "Alice", "--all", typed="quit\n")


def test_leaving_early_loses_nothing(records: Records) -> None:
    keep(records, Greed(), README)
    assert drill(typed="1\nskip\nquit\n").endswith("\n1 of 1 right\n")
    assert [card.box for card in laid(records)] == [2, 1, 1, 1]
    assert drill(typed="").endswith("your move: \n\n0 of 0 right\n")
    assert drill("--count", "1", typed="1\n1\n").count("your move") == 1


def test_ten_megabytes_on_one_line(records: Records) -> None:
    keep(records, Greed(), README)
    printed = drill(typed="9" * 10_000_000 + "\n1\n")
    assert len(printed) < 10_000
    assert "Right: 1 is best." in printed


def test_other_games_are_asked_in_their_words(records: Records) -> None:
    keep(records, HoldDice(), [("roll", (2, 5, 5)), ("stick", None)], ("Solo",))
    keep(records, find_game(f"{EXAMPLES}/race.py:Race(target=8)"), [(1, "a tail"), (4, "a tail")])
    printed = drill(typed="keep 2\n1\n")
    assert "Solo has 2 5 5, which count as 2 2 2: 6\nyour move: keep 2\nRight: keep 2 is best." in printed
    assert "better" in printed
    assert "race(target=8)\n0 0 1\nyour move: 1\n" in printed
    assert printed.endswith(" of 2 right\n")


def test_as_json_nothing_is_asked(records: Records) -> None:
    keep(records, Greed(), README)
    drill("--count", "1", typed="1\n")
    found = json.loads(drill("--json"))
    assert found["schema"] == 1
    assert found["cards"][0] == {
        "game": "greed(max=100,sides=6)",
        "state": "90 95",
        "played": "3",
        "times": 1,
        "loss": pytest.approx(0.2038504634),
        "box": 2,
        "due": found["cards"][0]["due"],
        "is_due": False,
        "asked": 1,
        "right": 1,
    }
    assert [card["is_due"] for card in found["cards"]] == [False, True, True, True]


def test_nothing_to_ask(records: Records) -> None:
    assert drill() == "No games to learn from yet: play some, 'dicewise play greed'.\n"
    keep(records, Greed(), [(24, 80)])
    assert drill() == "No mistakes to learn from.\n"
