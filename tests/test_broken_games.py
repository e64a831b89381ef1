"""Rules that are wrong get a named refusal from the solver and from `check`: one line, the game, the place at fault."""

from __future__ import annotations

import re

import pytest

from broken_games import CASES, VALUE, Case, Sound
from dicewise import check_game, solve


def said_of(case: Case, exact: bool) -> str:
    """What solving is refused with; nothing where the answer is right."""
    try:
        game = case.make()
        solution = solve(game, exact=exact)
        start = game.start()
        for value in (solution.value(start), solution.choices(start)[0].value):
            assert value == (VALUE if exact else pytest.approx(float(VALUE)))
    except case.kind as error:
        return str(error)
    return ""


def assert_said(text: str, pattern: str) -> None:
    assert re.search(pattern, text), text
    assert text.isprintable()  # one line, and nothing that a terminal would obey
    assert len(text) < 900


def test_there_are_enough() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert sum(bool(case.solved or case.checked) for case in CASES) >= 200


def test_the_sound_game() -> None:
    assert solve(Sound(), exact=True).value(Sound().start()) == VALUE
    assert check_game(Sound()).ok


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_solving(case: Case) -> None:
    for exact in (False, True):
        said = said_of(case, exact)
        if case.solved is None:
            assert said == ""
        else:
            assert_said(said, case.solved)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_checking(case: Case) -> None:
    report = check_game(case.make())
    if case.checked is None:
        assert report.problems == ()
    else:
        assert_said(next((it for it in report.problems if re.search(case.checked, it)), str(report)), case.checked)
        assert not report.ok
