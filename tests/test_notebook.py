"""What notebooks show: a solution as HTML, figures that display themselves, tables as data frames."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from dicewise import CoinLadder, Game, Greed, HoldDice, InputError, Pig, Solution, recall, solve, sure
from dicewise.plot import notebook
from dicewise.store import Store
from small_games import Nim


@dataclass(frozen=True)
class Nasty(Game[int, str]):
    """A game whose words are HTML."""

    name = "nasty<script>"
    word: str = "<b>&\"'"

    def start(self) -> int:
        return 2

    def actions(self, state: int) -> Any:
        return (self.word,) if state else ()

    def step(self, state: int, action: str) -> Any:
        return sure(state - 1)

    def payoff(self, state: int) -> int:
        return 1


def shown(solution: Solution[Any, Any]) -> ElementTree.Element:
    """What a notebook gets, which must be whole."""
    html = solution._repr_html_()  # type: ignore[attr-defined]
    return ElementTree.fromstring(re.sub(r"(<img [^>]*[^/])>", r"\1/>", html))


def rows(solution: Solution[Any, Any]) -> dict[str, str]:
    found = shown(solution)
    return {str(row[0].text): str(row[1].text) for row in found.iter("tr")}


# ---- a solution


def test_a_solution_says_what_it_is() -> None:
    solution = solve(Greed())
    found = rows(solution)
    assert found["game"] == "greed(max=100,sides=6)"
    assert found["value of the start"] == "0.0276835, −0.0276835 (player 1, player 2)"
    assert found["opening move"] == "24"
    assert found["states"] == "20,402, constant sum"
    assert found["method"] == solution.report.method
    assert re.fullmatch(r"at most \d\.\de-\d\d", found["error"])


def test_exact_ones_and_those_without_a_bound_say_so() -> None:
    found = rows(solve(CoinLadder(), exact=True))
    assert (found["value of the start"], found["error"]) == ("1/4 = 0.25", "none: fractions")
    assert rows(solve(HoldDice(2, 3), gamma=1, theta=0.01, using="rules"))["error"] == "no bound is proven"
    three = rows(solve(Greed(4, 2, players=3)))["value of the start"]
    assert three.count(",") == 4
    assert "opening move" not in rows(solve(Nim(0)))


@pytest.mark.parametrize("game", [Greed(10, 3), Greed(3, 2, win=0, lose=0), Pig(5), CoinLadder(), HoldDice(2, 3)])
def test_pictures_have_words_and_no_colour_of_text(game: Game[Any, Any]) -> None:
    found = shown(solve(game))
    pictures = list(found.iter("img")) + list(found.iter("svg"))
    assert pictures
    for picture in pictures:
        assert len(picture.get("alt") or picture.get("aria-label") or "") > 30
    assert not re.search(r"(?<![-\w])color:(?!inherit)|fill=\"(?!currentColor)", solve(game)._repr_html_())  # type: ignore[attr-defined]


def test_the_boards_of_greed_are_those_of_the_tables() -> None:
    solution = solve(Greed(10, 3))
    payoff, dice = (
        np.asarray(Image.open(BytesIO(base64.b64decode(str(image.get("src")).partition(",")[2]))))
        for image in shown(solution).iter("img")
    )
    assert payoff.shape == dice.shape == (11, 11, 3)
    stands = solution.dice() == 0  # type: ignore[attr-defined]
    grey = (dice[::-1] == [0xDC, 0xDC, 0xDC]).all(axis=2).T  # rows of a picture run from above
    assert np.array_equal(grey, stands)
    red, blue = (payoff[::-1].astype(int)[:, :, at].T for at in (0, 2))
    values = solution.payoffs()  # type: ignore[attr-defined]
    assert (red[values < -0.5] > blue[values < -0.5]).all()
    assert (blue[values > 0.5] > red[values > 0.5]).all()


def test_large_boards_are_made_small() -> None:
    (first, _) = shown(solve(Greed(700, 6))).iter("img")
    data = base64.b64decode(str(first.get("src")).partition(",")[2])
    assert Image.open(BytesIO(data)).size == (notebook.MOST_PIXELS, notebook.MOST_PIXELS)


def test_words_are_escaped() -> None:
    solution = solve(Nasty())
    html = solution._repr_html_()  # type: ignore[attr-defined]
    assert "<script>" not in html
    assert "<b>" not in html
    assert rows(solution)["opening move"] == "<b>&\"'"


def test_nothing_long_is_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    solution = recall(HoldDice(3, 6), store=Store(tmp_path))
    monkeypatch.setattr(notebook, "MOST_STATES", 10)
    monkeypatch.setattr(type(solution), "states", lambda self: pytest.fail("looked at all states"))
    assert not list(shown(solution).iter("svg"))


def test_it_works_without_matplotlib() -> None:
    code = """if 1:
        import sys
        for name in ("matplotlib", "pandas", "PIL"):
            sys.modules[name] = None
        from dicewise import Greed, DicewiseError, solve
        solution = solve(Greed(10, 3))
        assert "<svg" in solution._repr_html_() and "<img" not in solution._repr_html_()
        for ask in (solution.plot, solution.to_pandas):
            try:
                ask()
            except DicewiseError as error:
                print(error)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "plots need matplotlib: pip install 'dicewise[plot]'",
        "a DataFrame needs pandas: pip install 'dicewise[pandas]'",
    ]


# ---- figures


def test_figures_display_themselves() -> None:
    figure: Any = solve(CoinLadder()).plot()
    assert isinstance(figure.canvas, FigureCanvasAgg)
    data, size = figure._repr_png_()
    picture = Image.open(BytesIO(data))
    assert picture.width == pytest.approx(size["width"] * 150 / 96, abs=2)
    assert figure._repr_png_()[0] == data
    assert "matplotlib.pyplot" not in sys.modules


def test_views_and_their_options() -> None:
    solution = solve(Greed(10, 3))
    assert "active 8, queued 7" in solution.plot("slice", at=solution.game.at(8, 7)).get_suptitle()
    with pytest.raises(InputError, match=r"view 'slize' is not known; .* did you mean 'slice'"):
        solution.plot("slize")


# ---- tables


def test_tables_as_data_frames() -> None:
    frame = solve(Greed(10, 3)).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["active", "queued", "last", "n", "payoff"]
    assert len(frame) == 242
    assert frame.query("active == 0 and queued == 0 and not last")["n"].tolist() == [1]
    exact = solve(CoinLadder(), exact=True).to_pandas()
    assert exact["exact"].tolist() == ["1/4", "1/1", "4/1", "16/1", "64/1", "250/1"]
