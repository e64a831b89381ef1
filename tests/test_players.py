"""Players: found by a word, and playing as the rules of thumb say, in every game."""

from __future__ import annotations

import textwrap
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dicewise import (
    GAMES,
    CoinLadder,
    Game,
    Greed,
    HoldDice,
    HootOwl,
    InputError,
    Pig,
    RulesError,
    Session,
    Yahtzee,
    evaluate,
    recall,
    simulate,
    solve,
)
from dicewise.engine.explore import explore
from dicewise.play.players import HUMAN, Player, find_player, find_players
from small_games import Nim

SMALL: list[tuple[Game[Any, Any], str]] = [
    (Greed(20), "stand-at-17"),
    (Greed(20, die="1,1,2,3,5,8"), "stand-at-20"),
    (Greed(9, 4, players=3), "stand-at-0"),
    (CoinLadder(), "take-at-2"),
    (HoldDice(2, 4), "stick-at-7"),
    (HoldDice(3, values=(0, Fraction(1, 2), 9)), "stick-at-9"),
    (Pig(20), "hold-at-8"),
    (Pig(20, players=1), "hold-at-0"),
    (Yahtzee(boxes=("ones", "twos", "yahtzee"), bonus=3, bonus_at=3, dice=2, sides=2), "alike"),
    (HootOwl(2, path="abcabc", starts=(0, 1), suns=3, track=2, size=2), "last-owl-first"),
    (HootOwl(1, "deck", 2, path="abab", starts=(0,), cards=(2,), suns=3, track=2, size=1), "optimal-mix-1"),
]


def test_every_game_has_a_rule_of_thumb() -> None:
    named = {type(game).name for game, _ in SMALL}
    assert named == set(GAMES)
    for rules in GAMES.values():
        assert rules.heuristics


@pytest.mark.parametrize(("game", "word"), SMALL, ids=lambda of: of if isinstance(of, str) else of.spec)
def test_rules_of_thumb_play_legally_everywhere(game: Game[Any, Any], word: str) -> None:
    """In every position that any play can reach, and games with them are worth what playing them out says."""
    policy = find_player(word, game).policy
    assert callable(policy)
    for state in explore(game).states:
        actions = list(game.actions(state))
        if len(actions) > 1:
            assert policy(state) in actions
    sample = simulate(game, policy, 3000, 1)
    assert sample.within(evaluate(game, policy).values)


def test_standing_in_greed() -> None:
    """Stand with enough points unless behind; otherwise as many dice as do not pass the maximum on average."""
    game = Greed()
    rule = game.heuristic("stand-at-85")
    assert rule is not None
    for scores, last, dice in (
        ((0, 0), False, 28),  # 28 dice make 98
        ((84, 0), False, 4),
        ((85, 0), False, 0),
        ((85, 85), False, 0),
        ((85, 86), False, 4),
        ((96, 97), False, 1),
        ((99, 100), False, 1),  # behind, one die at least
        ((85, 90), True, 4),
        ((90, 90), True, 0),
        ((50, 50), True, 14),
        ((50, 49), True, 0),
        ((98, 99), True, 1),
    ):
        assert rule(game.at(*scores, last=last)) == dice, scores
    three = Greed(20, players=3)
    thumb = three.heuristic("stand-at-17")
    assert thumb is not None
    assert thumb(three.at(17, 21, 16)) == 0  # who is out does not count
    assert thumb(three.at(17, 18, 21)) == 1


def test_other_rules_of_thumb() -> None:
    hold = Pig().heuristic("hold-at-20")
    assert hold is not None
    assert [hold(Pig().at(0, 0, total=total)) for total in (19, 20, 21)] == ["roll", "hold", "hold"]
    take = CoinLadder().heuristic("take-at-2")
    assert take is not None
    assert [take(CoinLadder().parse(f"rung {rung}")) for rung in (1, 2, 3)] == ["flip", "take", "take"]
    game = HoldDice()
    stick = game.heuristic("stick-at-13")
    assert stick is not None
    for dice, action in (
        ((1, 1, 4), "stick"),  # 6 6 4
        ((1, 1, 2), "stick"),
        ((1, 2, 4), (4,)),
        ((2, 2, 3), "stick"),  # 5 5 3
        ((1, 2, 2), (2, 2)),  # 1 5 5
        ((5, 5, 6), (6,)),  # 2 2 6
        ((6, 6, 6), ()),
        ((1, 2, 3), ()),
    ):
        assert stick(game.at(*dice)) == action, dice
    high = game.heuristic("stick-at-18")
    assert high is not None
    assert high(game.at(4, 5, 6)) == (5, 6)  # all are good: the worst is rolled


def test_pig_hold_at_20_alone() -> None:
    """12.637 turns: Neller and Presser, Optimal Play of the Dice Game Pig, 2004."""
    game = Pig(players=1)
    assert float(evaluate(game, find_player("hold-at-20", game).policy).values[0]) == pytest.approx(-12.637, abs=5e-4)


# ---- words


def test_words() -> None:
    game = Greed(20)
    assert find_player(HUMAN, game).policy is None
    assert find_player(" Stand-At-17 ", game).name == "stand-at-17"
    solution = solve(game)
    assert find_player("optimal", game, lambda: solution).policy is solution
    optimal = find_player("OPTIMAL", game).policy
    assert optimal is not None
    assert evaluate(game, optimal).values == pytest.approx(recall(game).values(game.start()))
    random = find_player("random", game).policy
    assert callable(random)
    assert random(game.at(10, 3)) == dict.fromkeys(game.actions(game.at(10, 3)), 1)


def test_a_solution_is_asked_for_only_where_it_is_needed() -> None:
    def never() -> Any:
        raise AssertionError

    assert [player.name for player in find_players(["random", "stand-at-3"], Greed(20), never)] == [
        "random",
        "stand-at-3",
    ]


def test_one_for_everybody_or_one_each() -> None:
    game = Greed(8, 3, players=3)
    a, b, c = find_players(["random"], game)
    assert a is b is c
    a, b, c = find_players(["random", "stand-at-3", "random"], game)
    assert a is c is not b
    for words in (["random"] * 2, ["random"] * 4):
        with pytest.raises(InputError, match=rf"{len(words)} policies were given for 3 players of greed\(max=8"):
            find_players(words, game)


@pytest.mark.parametrize(
    ("game", "word", "parts"),
    [
        (Greed(), "optmal", ["policy 'optmal' is not known to greed", "random, stand-at-T", "did you mean 'optimal'?"]),
        (Greed(), "stnad-at-85", ["did you mean 'stand-at-T'?"]),
        (Greed(), "stand-at-101", ["stand-at-101 would never stand; scores go up to 100"]),
        (Greed(), "stand-at-", ["is not known"]),
        (Pig(), "stand-at-85", ["not known to pig", "hold-at-N"]),
        (CoinLadder(), "take-at-6", ["the rungs are numbered 1 to 5"]),
        (CoinLadder(), "take-at-0", ["the rungs are numbered 1 to 5"]),
        (HoldDice(), "stick-at-19", ["stick-at-19 would never stick; the dice count for 18 at most"]),
        (Nim(), "clever", ["known: optimal, random, or a function of your own as path/file.py:function"]),
        (Greed(), "", ["policy '' is not known"]),
        (Greed(), "x" * 10**6, ["is not known"]),
        (Greed(), "mine.py", ["'mine.py' lacks the name of its function; write mine.py:function"]),
        (Greed(), "nowhere.py:f", ["policy file 'nowhere.py' cannot be read: No such file"]),
    ],
)
def test_words_that_mean_nobody(game: Game[Any, Any], word: str, parts: list[str]) -> None:
    with pytest.raises(InputError) as refused:
        find_player(word, game)
    message = str(refused.value)
    assert "\n" not in message
    assert len(message) < 600
    for part in parts:
        assert part in message


# ---- files


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(
        textwrap.dedent(
            """
            from math import floor

            def careful(state):
                return 1

            def mixed(state):
                return {0: 1, 1: 3}

            table = {}
            """
        )
    )
    return path


def test_a_policy_in_a_file(mine: Path) -> None:
    game = Greed(20)
    player = find_player(f"{mine}:careful", game)
    assert player.name == f"{mine}:careful"
    assert callable(player.policy)
    assert player.policy(game.start()) == 1
    assert find_player(f"{mine}:table", game).policy == {}
    with pytest.raises(InputError, match=r"has no policy 'carefull'; it has: careful, mixed; did you mean 'careful'\?"):
        find_player(f"{mine}:carefull", game)
    mine.write_text("x = 1")
    with pytest.raises(InputError, match="has no policy 'x'; it defines no function"):
        find_player(f"{mine}:x", game)
    mine.write_text("1 / 0")
    with pytest.raises(RulesError, match=r"policy file .* raised ZeroDivisionError: division by zero"):
        find_player(f"{mine}:x", game)


# ---- at the table


def test_choosing(mine: Path) -> None:
    game = Greed(20)
    session = Session(game, seed=2)
    solution = solve(game)
    optimal = Player("optimal", solution)
    while not session.over:
        assert optimal.choose(session) == solution.action(session.state)
        session.push(optimal.choose(session))
    with pytest.raises(InputError, match="the game is over at"):
        optimal.choose(session)
    with pytest.raises(InputError, match="'human' is a person, whose choice is not known"):
        find_player(HUMAN, game).choose(Session(game))
    forced = Session(Pig())
    assert find_player("hold-at-0", Pig()).choose(forced) == "roll"


def test_a_mix_is_drawn_apart_from_the_dice(mine: Path) -> None:
    """With the right chances, the same when asked again, and whatever is chosen, the dice fall as they should."""
    game = Greed(20)
    mixed = find_player(f"{mine}:mixed", game)
    chosen: Counter[Any] = Counter()
    faces: Counter[Any] = Counter()
    for number in range(3000):
        session = Session(game, seed=7, number=number)
        action = mixed.choose(session)
        assert mixed.choose(session) == action
        chosen[action] += 1
        if action:
            faces[session.push(action).outcome] += 1
    assert abs(chosen[1] - 2250) < 4 * (3000 * 3 / 16) ** 0.5
    expected = chosen[1] / 6
    assert sum((faces[face] - expected) ** 2 / expected for face in range(1, 7)) < 5 + 4 * 10**0.5
