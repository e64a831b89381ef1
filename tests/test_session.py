"""Sessions: what is pushed, taken back and written down; over random games of every game, and of a user's own."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise import (
    GAMES,
    CoinLadder,
    Game,
    Greed,
    HoldDice,
    HootOwl,
    InputError,
    Pig,
    Session,
    Yahtzee,
    find_game,
    simulate,
    solve,
    sure,
)
from dicewise.play.session import who_starts
from small_games import Nim, RotatedNim

EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True)
class Odd(Game[tuple[int, int], Any]):
    """Labels that are hard to write down: equal ones, empty ones, with arrows, quotes and line breaks in them."""

    players: int = 2

    def start(self) -> tuple[int, int]:
        return (0, 1)  # the second player begins

    def actions(self, state: tuple[int, int]) -> Any:
        return ("a -> b", "a\nb", ' "c"', "d #1", ("e", 1), "e 1", "") if state[0] < 6 else ()

    def step(self, state: tuple[int, int], action: Any) -> Any:
        places = [(state[0] + 1, 1 - state[1]), (state[0] + 2, state[1])]
        return [(None, 1, places[0]), ("", 2, places[1]), ("1", 3, places[0]), (1, 4, places[1])]

    def turn(self, state: tuple[int, int]) -> int:
        return state[1]

    def reward(self, state: tuple[int, int], action: Any, outcome: Any) -> Any:
        return (Fraction(1, 3), -1) if outcome == 1 else 0

    def payoff(self, state: tuple[int, int]) -> Any:
        return (state[0], 0.5)


SMALL: dict[str, list[Game[Any, Any]]] = {
    "greed": [Greed(), Greed(12, 4), Greed(9, die="1:9,100:1"), Greed(8, 3, players=3)],
    "coin-ladder": [CoinLadder(), CoinLadder((1, 5), heads=Fraction(9, 10))],
    "hold-dice": [HoldDice(), HoldDice(2, values=(1, 2, Fraction(7, 2)))],
    "pig": [Pig(), Pig(15), Pig(10, players=1), Pig(9, players=3)],
    "yahtzee": [Yahtzee(), Yahtzee(boxes=("ones", "twos", "yahtzee"), bonus=3, bonus_at=3, dice=2, sides=2)],
    "hoot-owl": [
        HootOwl(),
        HootOwl(3, "deck", 2),
        HootOwl(1, "lumped", 3, path="abab", starts=(0,), cards=(2,), suns=3, track=2, size=1),
    ],
}
USERS = [
    find_game(f"{EXAMPLES / 'shut_the_box.py'}:ShutTheBox"),
    find_game(f"{EXAMPLES / 'race.py'}:Race", target="12"),
]
ANY = [*(game for games in SMALL.values() for game in games), *USERS, Odd(), Nim(7), RotatedNim(7)]
by_spec = pytest.mark.parametrize("game", ANY, ids=lambda game: game.spec)


def test_every_game_is_here() -> None:
    assert set(SMALL) == set(GAMES)


class Mirror:
    """The slow and obvious twin of a session: it keeps whole copies of the past instead of taking anything back."""

    def __init__(self, session: Session[Any, Any]) -> None:
        self.past: list[tuple[Any, bool, bool]] = []  # state, forced, hinted before each move
        self.state, self.hinted = session.start, False

    def push(self, session: Session[Any, Any], action: Any, number: int) -> None:
        game = session.game
        self.past.append((self.state, len(list(game.actions(self.state))) == 1, self.hinted))
        self.state, self.hinted = game.step(self.state, action)[number][2], False

    def undo(self) -> None:
        while self.past:
            self.state, forced, self.hinted = self.past.pop()
            if not forced:
                break


@by_spec
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_random_games(game: Game[Any, Any], data: st.DataObject) -> None:
    """Pushes, undos and hints in any order: the session is where its twin is, and so is what the transcript tells."""
    session = Session(game, seed=data.draw(st.integers(0, 2**70)), number=data.draw(st.integers(0, 2**64 - 2)))
    mirror = Mirror(session)
    pushes = 0
    for _ in range(data.draw(st.integers(0, 25))):
        what = data.draw(st.sampled_from(["push", "push", "push", "typed", "undo", "hint"]))
        if what == "undo" and session.moves:
            before = list(session.moves)
            first = session.undo()
            mirror.undo()
            assert before[len(session.moves)] == first
            assert [move for _, move in session.undone][len(session.moves) - len(before) :] == before[
                len(session.moves) :
            ]
        elif what == "hint" and not session.over:
            session.hint()
            mirror.hinted = True
        elif what in ("push", "typed") and not session.over:
            action = data.draw(st.sampled_from(session.actions))
            outcomes = [outcome for outcome, _, _ in game.step(session.state, action)]
            if what == "push":
                move = session.push(action)
            else:
                wanted = data.draw(st.sampled_from(outcomes))
                move = session.push(action, wanted)
                assert wanted is None or move.outcome == wanted
            pushes += 1
            assert move.player == game.turn(move.state)
            assert (move.hinted, move.forced) == (mirror.hinted, len(list(game.actions(move.state))) == 1)
            mirror.push(session, action, outcomes.index(move.outcome))
        assert (session.state, session.hinted) == (mirror.state, mirror.hinted)
        assert [move.state for move in session.moves] == [state for state, _, _ in mirror.past]
    assert session.pushes == pushes
    for place, move in session.undone:
        assert 0 <= place < pushes
        assert move.to in [to for _, _, to in game.step(move.state, move.action)]
    again = Session.parse(session.transcript(), game)
    assert again == session
    assert again.transcript() == session.transcript()
    for name in ("moves", "undone", "state", "hinted", "collected", "over"):
        assert getattr(again, name) == getattr(session, name)
    if not session.over:
        action = session.actions[0]
        assert again.push(action) == session.push(action)


@by_spec
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_a_session_plays_the_games_of_simulate(game: Game[Any, Any], seed: int) -> None:
    """Game g of `simulate` and session number g end with the same: whatever the policy, here any odd one."""

    def policy(state: Any) -> Any:
        actions = list(game.actions(state))
        return actions[sum(map(ord, game.text(state))) % len(actions)]

    totals: Counter[tuple[float, ...]] = Counter()
    for number in range(4):
        session = Session(game, seed=seed, number=number)
        while not session.over and len(session.moves) < 3000:
            chosen = policy(game.as_first(session.state)) if len(session.actions) > 1 else session.actions[0]
            session.push(chosen)
        if not session.over:
            return  # this policy dawdles
        totals[tuple(float(total) for total in session.result)] += 1
        rewards = [game.reward(move.state, move.action, move.outcome) for move in session.moves]
        rows = [
            pay if isinstance(pay, tuple) else (pay,) * game.players for pay in [*rewards, game.payoff(session.state)]
        ]
        assert session.result == tuple(sum(column) for column in zip(*rows, strict=True))
    counts = simulate(game, policy, 4, seed).counts
    assert len(counts) == len(totals)
    for found, known in zip(counts.items(), sorted(totals.items()), strict=True):
        assert found[0] == pytest.approx(known[0])
        assert found[1] == known[1]


def test_the_readme_of_the_source() -> None:
    """The source program's own example, with the totals typed in."""
    game: Greed = Greed(100, 6)
    session = Session(game, ["Alice", "Bliar"])
    boards = []
    for dice, total in ((25, "74"), (25, "89"), (5, "16"), (2, "6"), (3, "10"), (2, "9")):
        boards.append(game.board(session.state, session.names))
        session.push(dice, game.read_outcome(total, session.state, dice))
    assert boards[0] == "Alice: 0, Bliar: 0, last: false"
    assert boards[-1] == "Bliar: 95, Alice: 100, last: false"
    assert session.over
    assert session.state.scores == (100, 104)
    assert session.result == (1, -1)
    assert [move.player for move in session.moves] == [0, 1, 0, 1, 0, 1]
    assert session.transcript().endswith("6. Bliar: 2 -> 9\nresult: Alice 1, Bliar -1")
    text = "game: greed\nnames: Alice, Bliar\n1. Alice: 25 -> 74\n2. Bliar: 25 -> 89\n3. Alice: 5 -> 6 1 4 2 3\n"
    by_hand = Session.parse(
        text + "4. Bliar: 2 -> 5+1\n5. Alice: 3 -> 10\n 6. Bliar: 2 -> 3, 6\r\nresult: Alice 1, Bliar -1"
    )
    assert by_hand.moves == session.moves


# ---- draws


def test_the_same_seed_rolls_the_same_dice() -> None:
    def rolls(**given: int) -> list[Any]:
        session = Session(Greed(), **given)  # type: ignore[arg-type]
        return [session.push(2).outcome for _ in range(20)]

    assert rolls(seed=5) == rolls(seed=5, number=0) == [9, 11, 9, 11, 8, 7, 6, 6, 9, 5, 6, 7, 9, 10, 4, 9, 7, 5, 5, 8]
    assert rolls(seed=6) != rolls(seed=5) != rolls(seed=5, number=1)
    assert Session(Greed()).seed != Session(Greed()).seed


def test_taking_back_is_no_way_to_peek() -> None:
    """The same move made again is drawn anew, and all draws together are as the dice should fall."""
    session = Session(Pig(), seed=3)
    faces: Counter[Any] = Counter()
    for _ in range(3000):
        faces[session.push("roll").outcome] += 1
        session.undo()
    assert set(faces) == set(range(1, 7))
    assert sum((n - 500) ** 2 / 500 for n in faces.values()) < 5 + 4 * 10**0.5
    assert session.pushes == 3000
    assert session.state == session.start


def test_every_face_occurs() -> None:
    session = Session(Greed(10**6, 9), seed=1)
    assert {session.push(1).outcome for _ in range(300)} == set(range(1, 10))


# ---- taking back, hints, advice


def test_undo_takes_forced_moves_with_it() -> None:
    session = Session(Pig(), ["A", "B"], seed=1)
    for action, face in (("roll", 3), ("hold", None), ("roll", 1), ("roll", 4)):
        session.push(action, face)
    assert [move.forced for move in session.moves] == [True, False, True, True]
    assert session.mover == "A"
    assert session.undo().action == "hold"
    assert [(place, move.action) for place, move in session.undone] == [(1, "hold"), (2, "roll"), (3, "roll")]
    assert session.undo().action == "roll"  # nobody has decided anything yet: all is taken back
    assert not session.moves
    with pytest.raises(InputError, match="there is no move to take back: the game has just begun"):
        session.undo()


def test_advice_that_was_seen_stays_seen() -> None:
    session = Session(Greed(20), seed=1)
    session.hint()
    session.hint()
    assert [event for _, event in session.log] == ["hint"]
    assert session.push(3).hinted
    assert not session.hinted
    session.undo()
    assert session.hinted
    assert session.push(4).hinted
    assert not session.push(4).hinted


def test_advice() -> None:
    game = Greed(20)
    session = Session(game, seed=1)
    solution = solve(game)
    session.push(4)
    assert session.advise(solution) == solution.choices(session.state)
    assert not session.hinted


# ---- where it begins


def test_a_position_is_seen_by_its_mover() -> None:
    game = Greed(20)
    session = Session(game, ["A", "B"], state=game.at(12, 15)._replace(turn=1, scores=(15, 12)), seed=0)
    assert (session.mover, session.state.scores) == ("A", (12, 15))
    again = Session.parse(session.transcript())
    assert again == session
    assert "start: 12 15" in session.transcript()
    assert Session(game, state=game.start(), seed=0) == Session(game, seed=0)
    kept_apart = Session(Nim(7), state=Nim(7).step(Nim(7).start(), 1)[0][2], seed=0)
    assert kept_apart.turn == 1
    assert Session.parse(kept_apart.transcript(), Nim(7)) == kept_apart


def test_a_game_that_is_over_at_once() -> None:
    session = Session(CoinLadder(), state=CoinLadder().parse("rung 2 taken"))
    assert session.over
    assert session.result == (4,)
    assert session.collected == (0,)
    assert Session.parse(session.transcript()) == session
    for what in (session.hint, lambda: session.push("take")):
        with pytest.raises(InputError, match="the game is over at 'rung 2 taken'"):
            what()


def test_names() -> None:
    assert Session(HoldDice()).names == ("You",)
    assert Session(Greed()).names == ("Player 1", "Player 2")
    odd = Session(Greed(), ['Ann, the "first"', "Bob: 7 -> 8"], seed=1)
    odd.push(3)
    odd.push(3)
    assert Session.parse(odd.transcript()) == odd
    for names, message in (
        (["A"], "1 name given for 2 players; give one for each, or none"),
        (["A", "B", "C"], "3 names given for 2 players"),
        ("AB", "1 name given for 2 players"),
        (["A", "A "], "no two players may have the same"),
        (["A", "\n"], "a name is a line of text"),
        (["A", "B\nC"], "a name is a line of text"),
    ):
        with pytest.raises(InputError, match=message):
            Session(Greed(), names)


def test_what_is_refused() -> None:
    session = Session(Greed(20), ["A", "B"], seed=1)
    with pytest.raises(InputError, match=r"action 99 is not possible at '0 0'; allowed: 0, 1, 2, 3, 4, 5, 6$"):
        session.push(99)
    with pytest.raises(InputError, match=r"outcome 7 is not possible at '0 0'; allowed: 1, 2, 3, 4, 5, 6$"):
        session.push(1, 7)
    with pytest.raises(InputError, match="outcome number 6 is not possible; they are numbered 0 to 5"):
        session.make(1, 6)
    with pytest.raises(InputError, match="the game is not over: A is to move at '0 0'"):
        _ = session.result
    assert not session.log
    for number in (-1, 2**64 - 1, 1.0):
        with pytest.raises(InputError, match=r"number .* is not allowed; games under a seed are counted from 0 up"):
            Session(Greed(), number=number)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="seed -1 is not allowed"):
        Session(Greed(), seed=-1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(session)
    assert session != "a session"
    assert repr(session) == "<Session of greed(max=20,sides=6), 0 moves, at '0 0'>"


# ---- transcripts


def test_labels_that_are_hard_to_write() -> None:
    game = Odd()
    for action in game.actions(game.start()):
        for number in range(4):
            session = Session(game, seed=1)
            session.make(action, number)
            text = session.transcript()
            assert len(text.split("\n")) == 4
            assert Session.parse(text, game) == session
    assert "1. Player 2: e 1 #4 -> 1 #2" in _one(game, ("e", 1), 2)
    assert '1. Player 2: "a -> b" -> "" #0' in _one(game, "a -> b", 0)


def _one(game: Game[Any, Any], action: Any, number: int) -> str:
    session = Session(game)
    session.make(action, number)
    return session.transcript()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the transcript does not say what is played"),
        ("game: greeed", "the transcript is of 'greeed', which is no game of dicewise; give the game as well"),
        ("game: evil.py:Evil", "which is no game of dicewise; give the game as well"),
        ("game: greed\ngame: pig", "line 2: game stands there twice"),
        ("game: greed\nseed: x", "seed 'x' in the transcript is not a whole number"),
        ("game: greed\nnames: A", "1 name given for 2 players"),
        ("game: greed\nstart: 1", "has 1 scores, 2 are needed"),
        (
            "game: greed\n\n1. Bob: 3 -> 4",
            "line 3: it is the turn of Player 1, so the line must begin with 'Player 1:'",
        ),
        ("game: greed\n1. Player 1: x", "line 2: action 'x' is not possible at '0 0'"),
        ("game: greed\n1. Player 1: 3 -> 40", "line 2: outcome '40' is not possible"),
        ("game: greed\n1. Player 1: 3 -> 1 2 7", "type the total of the 3 dice, or what each of them shows"),
        (
            "game: greed\n1. Player 1: 3",
            "line 2: what came of '3' is missing; write it behind the action, as in '-> 7'",
        ),
        ("game: greed\n1. Player 1: 3 #7 -> 4", "line 2: number 7 is not one of those called '3'"),
        ('game: greed\n1. Player 1: "\\x" -> 4', "line 2: .* is not a text in quotes"),
        ("game: greed\nundo", "line 2: there is no move to take back"),
        ("game: greed\nhnit", "line 2: 'hnit' cannot be read; .*; did you mean 'hint'?"),
        ("game: greed\nsede: 4", "did you mean 'seed'?"),
        ("game: greed\nresult: Player 1 1, Player 2 -1", "line 2: the game is not over"),
        ("game: coin-ladder\nstart: rung 1 taken\nresult: You 2", "line 3: the result is 'You 1', not 'You 2'"),
        ("game: coin-ladder\nstart: rung 1 taken\n1. You: take", "line 3: the game is over, but there is another move"),
    ],
)
def test_transcripts_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        Session.parse(text)
    assert "\n" not in str(refused.value)


def test_the_game_of_a_transcript() -> None:
    session = Session(Greed(20), seed=1)
    assert Session.parse(session.transcript()) == session
    assert Session.parse("game: greed(sides=6, max=20)\nseed: 1", Greed(20)) == session
    assert Session.parse("seed: 1", Greed(20)) == session
    with pytest.raises(InputError, match=r"the transcript is of 'greed\(max=20,sides=6\)', not of greed\(max=21,"):
        Session.parse(session.transcript(), Greed(21))
    with pytest.raises(InputError, match="no game of dicewise"):
        Session.parse(Session(Odd()).transcript())


# ---- typed outcomes of Greed


def test_typed_outcomes_of_greed() -> None:
    game = Greed(20)
    start = game.start()
    for text in ("12", " 12 ", "3 4 5", "5,4,3", "5+4+3", "6 5 1"):
        assert game.read_outcome(text, start, 3) == 12
    assert game.read_outcome("6", start, 1) == 6
    assert game.read_outcome("", start, 0) is None
    for text, dice in (
        ("3 4", 3),
        ("3 4 7", 3),
        ("0 4 5", 3),
        ("-3 4 5", 3),
        ("3 4 x", 3),
        ("19", 3),
        ("2", 3),
        ("", 2),
        ("7", 1),
        ("3 3", 1),
    ):
        with pytest.raises(InputError, match="is not possible"):
            game.read_outcome(text, start, dice)
    fibonacci = Greed(20, die="1,1,2,3,5,8")
    assert fibonacci.read_outcome("8 1", start, 2) == 9
    with pytest.raises(InputError, match=r"or what each of them shows \(1, 2, 3, 5, 8\)"):
        fibonacci.read_outcome("8 4", start, 2)
    with pytest.raises(InputError) as refused:
        game.read_outcome("7" * 10**7, start, 3)
    assert len(str(refused.value)) < 500
    with pytest.raises(InputError) as refused:
        game.read_action("x" * 10**7, start)
    assert len(str(refused.value)) < 500


# ---- who starts


def test_who_starts() -> None:
    assert who_starts(["A"], 1) == (0, [])
    again = 0
    starters: Counter[int] = Counter()
    for seed in range(600):
        first, rounds = who_starts(["A", "B", "C"], seed, sides=4)
        assert (first, rounds) == who_starts(["A", "B", "C"], seed, sides=4)
        among = {0, 1, 2}
        for faces in rounds:
            assert {seat for seat in range(3) if faces[seat]} == among
            assert all(1 <= faces[seat] <= 4 for seat in among)
            among = {seat for seat in among if faces[seat] == max(faces)}
        assert among == {first}
        again += len(rounds) > 1
        starters[first] += 1
    assert again > 100
    assert all(abs(count - 200) < 4 * (600 * 2 / 9) ** 0.5 for count in starters.values())
    for names, sides in (([], 6), (["A", "B"], 1)):
        with pytest.raises(InputError, match="cannot be rolled"):
            who_starts(names, 1, sides)


def test_a_game_without_chance() -> None:
    """Nothing is drawn, so nothing is written behind the arrow."""

    @dataclass(frozen=True)
    class Walk(Game[int, str]):
        def start(self) -> int:
            return 2

        def actions(self, state: int) -> Any:
            return ("on",) if state else ()

        def step(self, state: int, action: str) -> Any:
            return sure(state - 1)

        def payoff(self, state: int) -> int:
            return 7

    session = Session(Walk(), seed=1)
    session.push("on")
    session.push("on")
    assert session.transcript() == "game: walk\nnames: You\nseed: 1\n1. You: on\n2. You: on\nresult: You 7"
    assert Session.parse(session.transcript(), Walk()) == session
