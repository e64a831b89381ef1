"""Published answers, asked of every engine that can give them."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dicewise import find_game, solve

HERE = Path(__file__).parent
QUESTIONS = tomllib.loads((HERE / "published.toml").read_text())["question"]
ENGINES = ("kernel", "rules", "exact kernel", "exact rules")
CASES = [(question, engine) for question in QUESTIONS for engine in question.get("engines", ENGINES)]


def name(case: Any) -> str:
    return case if isinstance(case, str) else f"{case['game']} {case.get('state', '')}".strip()


@pytest.mark.parametrize(("question", "engine"), CASES, ids=name)
def test_published(question: dict[str, Any], engine: str) -> None:
    assert question["source"]
    game = find_game(question["game"].replace("EXAMPLES", str(HERE.parent / "examples")).replace("TESTS", str(HERE)))
    solution = solve(game, using=engine.split()[-1], exact="exact" in engine)
    state = game.parse(question["state"]) if "state" in question else game.start()
    value = solution.value(state)
    if "/" in question["value"] and "exact" in engine:
        assert value == Fraction(question["value"])
    else:
        digits = len(question["value"].partition(".")[2])
        assert float(value) == pytest.approx(float(Fraction(question["value"])), abs=10.0**-digits if digits else 1e-13)
    if "action" in question:
        assert game.label(solution.action(state)) == question["action"]
