"""Graphs of games show what the solution says, nothing stands on anything else, and the same game looks the same."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from dicewise import CyclicError, Game, Greed, InputError, find_game, plot, solve
from dicewise.cli.plot import VIEWS
from dicewise.engine.explore import explore
from dicewise.engine.trace import trace
from dicewise.plot import layers
from dicewise.plot.layers import Layout, Link, Size, backward_links, lay_out, layers_of
from dicewise.plot.picture import MOST_NODES, MOST_STATES, Picture, _folded, _listed, count_nodes, describe
from random_games import random_game
from small_games import Ladder, Nim, RotatedNim, Table, Walk

ROOT = Path(__file__).parents[1]
LOOP = Table(1, ((0, (((1, 0, -1), (3, 1, 0)),)),), (8,))


def has_picture(game: Game[Any, Any]) -> bool:
    graph = explore(game)
    try:
        solve(game)
    except CyclicError:
        return False
    return 0 < len(graph.states) <= MOST_STATES and count_nodes(graph) <= MOST_NODES


RANDOM = [random_game(seed, most=30) for seed in range(40)]
GAMES: list[Game[Any, Any]] = [
    Ladder(),
    RotatedNim(6),
    Nim(5),
    Walk(),
    LOOP,
    Greed(3, 2),
    find_game("pig(target=3)"),
    find_game("coin-ladder"),
    find_game("hold-dice(dice=2,sides=2)"),
    find_game(f"{ROOT}/examples/shut_the_box.py:ShutTheBox", tiles="3"),
    *(game for game in RANDOM if has_picture(game)),
]


@cache
def drawn(game: Game[Any, Any]) -> Figure:
    figure = plot.graph(solve(game))
    figure.draw_without_rendering()  # texts have a size from here on
    return figure


def picture(game: Game[Any, Any], exact: bool = True) -> Picture:
    return Picture(trace(solve(game, exact=exact)))


# ---- what it says


def test_the_ladder_is_the_tree_of_the_notes() -> None:
    shown = picture(find_game("coin-ladder"))
    words = [" / ".join(line.text for line in node.lines) for node in shown.nodes]
    assert words[:6] == ["start / flip / 1/4", "rung 1 / 1", "rung 2 / 4", "rung 3 / 16", "rung 4 / 64", "rung 5 / 250"]
    assert [node.kind for node in shown.nodes[:6]] == ["chance"] + ["choice"] * 5
    into = [edge.target for edge in shown.edges]
    assert sorted(into) == list(range(1, len(shown.nodes)))  # a tree: one way to everything but the start
    four = {" ".join(line.text for line in edge.lines): edge for edge in shown.edges if edge.source == 4}
    assert (four["take"].rank, four["flip"].rank) == ("chosen", "worse")
    assert [words[four[name].target] for name in ("take", "flip")] == ["64", "125/2"]
    three = {edge.lines[0].text: edge.rank for edge in shown.edges if edge.source == 3}
    assert three == {"take": "chosen", "flip": "as good"}
    flipped = [edge for edge in shown.edges if edge.source == four["flip"].target]
    assert [[line.text for line in edge.lines] for edge in flipped] == [["all heads", "1/4"], ["a tail", "3/4"]]
    assert [words[edge.target] for edge in flipped] == ["rung 5 / 250", "0"]


def test_an_end_pays_the_player_who_moved_there() -> None:
    shown = picture(RotatedNim(2))
    assert [node.lines[-1].text for node in shown.nodes] == ["1", "1", "1", "1"]
    lost = picture(Table(2, ((0, (((1, 1, 0),),)), (1, (((1, 2, 0),),))), ((5, -5),)))
    assert [node.lines[-1].text for node in lost.nodes] == ["5", "−5", "−5"]


def test_rewards_stand_beside_chances_and_actions() -> None:
    ((loop, out),) = [[edge.lines for edge in picture(LOOP).edges]]
    assert [line.text for line in loop] == ["0", "1/4   −1"]
    assert [line.text for line in out] == ["1", "3/4"]
    sure = picture(Table(1, ((0, (((1, 1, 2),), ((1, 1, 0),))),), (8,)))
    assert [[line.text for line in edge.lines] for edge in sure.edges] == [["0", "+2"], ["1"]]


def test_equal_lotteries_that_lead_on_are_drawn_once() -> None:
    shown = picture(find_game("hold-dice(dice=1,sides=3)"))
    rerolls = [edge for edge in shown.edges if edge.lines[0].text == "reroll all"]
    assert len(rerolls) == 3
    assert len({edge.target for edge in rerolls}) == 1
    assert len([edge for edge in shown.edges if edge.source == rerolls[0].target]) == 3


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.spec:.40}")
def test_nodes_are_counted_before_anything_is_solved(game: Game[Any, Any]) -> None:
    assert len(picture(game).nodes) <= count_nodes(explore(game))
    chosen = [edge.source for edge in picture(game).edges if edge.rank == "chosen"]
    told = trace(solve(game, exact=True))
    with_actions = [at for at, p in enumerate(told.positions) if len(p.options) > 1 or len(p.options[0].terms) == 1]
    assert sorted(chosen) == with_actions


def test_outcomes_are_shortened() -> None:
    assert _listed(["3"]) == "3"
    assert _listed(["2", "3", "4"]) == "2–4"
    assert _listed(["HH", "HT", "TH"]) == "HH, HT, TH"
    assert _listed(["2", "5", "6", "12"]) == "2, 5 … 12"
    assert _folded("a very long name of an outcome indeed, much too long", 16) == [
        "a very long name",
        "of an outcome …",
    ]
    assert _folded("", 16) == []


def test_words_for_those_who_do_not_see_it() -> None:
    title, words = describe(solve(Ladder()))
    assert title == "Graph of ladder(prizes=(1,4,16,64,250))"
    assert "6 states; the start is worth 0.25; best choices: 1 choose: take, worth 1; " in words
    assert "there is nothing to choose" in describe(solve(LOOP))[1]


# ---- where it stands


def boxes(layout: Layout, sizes: list[Size], links: list[Link]) -> list[tuple[float, float, float, float]]:
    """Left, right, top and bottom of all nodes and labels."""
    centred = [*zip(layout.nodes, sizes, strict=True)]
    centred += [(route.label, link.label) for route, link in zip(layout.routes, links, strict=True)]
    return [(x - s.half, x + s.half, y - s.above, y + s.below) for (x, y), s in centred]


def random_graph(seed: int) -> tuple[list[Size], list[Link]]:
    rng = random.Random(seed)
    count = rng.randint(1, 25)
    sizes = [Size(rng.uniform(4, 40), rng.uniform(4, 20), rng.uniform(4, 20)) for _ in range(count)]
    links = []
    for target in range(1, count):
        links.append(Link(rng.randrange(target), target, Size(rng.uniform(2, 20), 8, 8)))
    for _ in range(rng.randint(0, count) if count > 1 else 0):
        source, target = rng.sample(range(count), 2)
        links.append(Link(source, target, Size(rng.uniform(2, 20), 8, 8)))
    return sizes, links


@pytest.mark.parametrize("seed", range(60))
def test_nothing_stands_on_anything_else(seed: int) -> None:
    sizes, links = random_graph(seed)
    layout = lay_out(sizes, links)
    assert lay_out(sizes, links) == layout
    all_boxes = boxes(layout, sizes, links)
    for one, other in combinations(all_boxes, 2):
        apart = one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
        assert apart, (one, other)
    for left, right, top, bottom in all_boxes:
        assert left >= -1e-9
        assert right <= layout.width + 1e-9
        assert top >= -1e-9
        assert bottom <= layout.height + 1e-9
    for number, (route, link) in enumerate(zip(layout.routes, links, strict=True)):
        own = {link.source, link.target, len(sizes) + number}
        for piece in route.pieces:
            low, high = sorted((piece.enter, piece.leave))
            for at, (left, right, top, bottom) in enumerate(all_boxes):
                if at not in own and low < right and left < high:
                    assert not top < piece.y < bottom
                    assert not top < piece.end < bottom
        ends = layout.nodes[link.source], layout.nodes[link.target]
        assert (route.pieces[0].y, route.pieces[-1].end) == (ends[0][1], ends[1][1])
        assert (ends[0][0] > ends[1][0]) == route.backward


@pytest.mark.parametrize("seed", range(60))
def test_layers_ascend_and_only_cycles_turn_back(seed: int) -> None:
    sizes, links = random_graph(seed)
    backward = backward_links(len(sizes), links)
    depth = layers_of(len(sizes), links, backward)
    for link, back in zip(links, backward, strict=True):
        assert (depth[link.source] > depth[link.target]) == back
        assert not back or leads_to(links, link.target, link.source)


def leads_to(links: list[Link], source: int, target: int) -> bool:
    seen = {source}
    for _ in links:
        seen |= {link.target for link in links if link.source in seen}
    return target in seen


@given(
    st.lists(st.tuples(st.floats(-50, 50), st.booleans()), min_size=1, max_size=6),
    st.lists(st.floats(1, 20), min_size=6, max_size=6),
)
def test_heights_are_the_closest_that_fit(wanted: list[tuple[float, bool]], sizes: list[float]) -> None:
    """Against every way to let some of the items stand as close as they may and the others where they want to be."""
    items = [
        layers._Item(Size(0.0 if passes else 1.0, sizes[at], sizes[at]), 0) for at, (_, passes) in enumerate(wanted)
    ]
    layers._settle(items, range(len(items)), [want for want, _ in wanted])
    gaps = [a.size.below + layers.SPACE + b.size.above for a, b in pairwise(items)]
    weights = [layers.PASSING if passes else 1.0 for _, passes in wanted]

    def cost(heights: list[float]) -> float:
        return sum(w * (y - want) ** 2 for w, y, (want, _) in zip(weights, heights, wanted, strict=True))

    best = float("inf")
    for joined in product([False, True], repeat=len(gaps)):
        heights: list[float] = []
        start = 0
        for end in range(1, len(items) + 1):
            if end < len(items) and joined[end - 1]:
                continue
            offsets = [sum(gaps[start:at]) for at in range(start, end)]
            total = sum(weights[at] * (wanted[at][0] - offsets[at - start]) for at in range(start, end))
            heights += [total / sum(weights[start:end]) + offset for offset in offsets]
            start = end
        if all(b - a >= gap - 1e-9 for (a, b), gap in zip(pairwise(heights), gaps, strict=True)):
            best = min(best, cost(heights))
    mine = [item.y for item in items]
    assert all(b - a >= gap - 1e-9 for (a, b), gap in zip(pairwise(mine), gaps, strict=True))
    assert cost(mine) == pytest.approx(best, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_crossings_are_counted_and_fall(seed: int) -> None:
    rng = random.Random(seed)
    items = [layers._Item(Size(1, 1, 1), column) for column in range(3) for _ in range(6)]
    columns = [list(range(6 * column, 6 * column + 6)) for column in range(3)]
    for left, right in pairwise(columns):
        for a, b in product(left, right):
            if rng.random() < 0.3:
                items[a].right.append(b)
                items[b].left.append(a)

    def slowly(order: list[list[int]]) -> int:
        count = 0
        for left, right in pairwise(order):
            edges = [(left.index(a), right.index(b)) for a in left for b in items[a].right]
            count += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(edges, 2))
        return count

    before = slowly(columns)
    assert layers._crossings(items, columns) == before
    ordered = layers._ordered(items, [list(column) for column in columns])
    assert [sorted(column) for column in ordered] == columns
    assert slowly(ordered) <= before
    if before > 20:
        assert slowly(ordered) < before


def test_a_tree_has_no_crossing() -> None:
    rng = random.Random(1)
    links = [Link(rng.randrange(at), at, Size(1, 1, 1)) for at in range(1, 40)]
    depth = layers_of(40, links, [False] * 39)
    items = [layers._Item(Size(1, 1, 1), 2 * layer) for layer in depth]
    for link in links:
        chain = layers._chain(link, False, items)
        for left, right in pairwise(chain):
            items[left].right.append(right)
            items[right].left.append(left)
    assert layers._crossings(items, layers._first_order(items, 40)) == 0


# ---- the figure


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.spec:.40}")
def test_no_text_touches_another_or_leaves_the_sheet(game: Game[Any, Any]) -> None:
    figure = drawn(game)
    width, height = figure.get_size_inches() * figure.dpi
    texts: list[Any] = [text for text in figure.findobj(Text) if text.get_text()]
    found = [text.get_window_extent() for text in texts]
    slack = 0.6  # of a pixel
    for box in found:
        assert min(box.x0, box.y0) >= 0
        assert box.x1 <= width
        assert box.y1 <= height
    for one, other in combinations(found, 2):
        apart_x = min(one.x1, other.x1) - max(one.x0, other.x0) <= slack
        apart_y = min(one.y1, other.y1) - max(one.y0, other.y0) <= 2.5 * slack  # the height of a letter is generous
        assert apart_x or apart_y


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_files_are_the_same_each_time(kind: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        plot.save(solve(find_game("pig(target=3)")), tmp_path / f"{name}.{kind}", view="graph", dpi=60)
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()


def test_an_svg_can_be_read_aloud(tmp_path: Path) -> None:
    plot.save(solve(find_game("coin-ladder")), tmp_path / "ladder.svg")
    text = (tmp_path / "ladder.svg").read_text(encoding="utf-8")
    assert "<title>Graph of coin-ladder(prizes=(1,4,16,64,250),coins=2)</title>" in text
    assert "rung 4: take, worth 64" in text
    assert ">62.5</text>" in text
    assert ">all heads</text>" in text


# ---- which games have which picture


def test_views() -> None:
    assert (*plot.VIEWS, "sweep") == VIEWS
    assert plot.default_view(Greed()) == "heatmap"
    assert plot.default_view(Greed(1, 2, players=3)) == "graph"
    assert plot.default_view(Greed(3, 2, players=3)) == "values"
    assert plot.default_view(Ladder()) == "graph"
    assert plot.default_view(Nim(400)) == "values"
    assert plot.check_game(Greed(3, 2), "graph") is plot.VIEWS["graph"]
    assert plot.check_game(Ladder()) is plot.VIEWS["graph"]


@pytest.mark.parametrize(
    ("game", "view", "message"),
    [
        (Greed(), "graph", r"greed\(max=100,sides=6\) is far too large to be drawn as a graph .*; at most 100 states"),
        (Greed(5, 2), "graph", "lotteries and ends, too many to be drawn as a graph; at most 150: choose smaller"),
        (Nim(400), "graph", "has 798 states, too many to be drawn as a graph of all that play can reach; at most 100"),
        (Ladder(), "heatmap", "has no view heatmap, which is of greed for two players; it has: reach, .*, graph"),
        (Ladder(), "grap", "view 'grap' is not known; there are heatmap, .*, graph; did you mean 'graph'?"),
        (Nim(0), None, "is over before it begins"),
        (Nim(0), "graph", "is over before it begins"),
    ],
)
def test_games_without_a_picture_are_refused(
    game: Game[Any, Any], view: str | None, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        plot.check_game(game, view)
    with pytest.raises(InputError, match=message):
        plot.save(solve(game), tmp_path / "no.png", view=view)
    assert not list(tmp_path.iterdir())


def test_a_game_too_large_for_a_graph_has_its_values_drawn(tmp_path: Path) -> None:
    game = Nim(400)
    plot.save(solve(game), tmp_path / "nim.svg")
    assert f"<title>What the states of {game.name} are worth</title>" in (tmp_path / "nim.svg").read_text("utf-8")


def test_exact_values_are_fractions_where_they_are_short(tmp_path: Path) -> None:
    plot.save(solve(find_game("pig(target=3)"), exact=True), tmp_path / "pig.svg")
    text = (tmp_path / "pig.svg").read_text(encoding="utf-8")
    start = solve(find_game("pig(target=3)"), exact=True).value(find_game("pig(target=3)").start())
    assert start == Fraction(36, 43)
    assert ">36/43</text>" in text


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solve(Ladder())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Exception, match=r"plots need matplotlib: pip install 'dicewise\[plot\]'"):
        plot.save(solution, tmp_path / "ladder.png")
