"""Solitaire Yahtzee: rules, values, advice, words."""

import io
import json
import math
import random
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dicewise import InputError, LimitError, Session, Store, Yahtzee, certify, check_game, evaluate, solve
from dicewise.cli import main
from dicewise.engine.explore import explore
from dicewise.engine.recall import keep, recall_stored
from dicewise.games import find_game
from dicewise.games.yahtzee import Keep, Position
from dicewise.games.yahtzee._layout import layout
from dicewise.games.yahtzee.boxes import FACES, USUAL, read_box
from dicewise.games.yahtzee.solution import YahtzeeSolution

SMALL = Yahtzee(boxes=("ones", "chance", "yahtzee"), bonus=4, bonus_at=2, extra=10, dice=3, sides=3)
"""Three boxes, three dice."""

CLOSED = "twos=0 threes=0 fours=0 fives=0 sixes=0 3-kind=0 4-kind=0 house=0 small=0"


@cache
def solved(rules: str = "official") -> YahtzeeSolution:
    found = solve(Yahtzee(rules))
    assert isinstance(found, YahtzeeSolution)
    return found


@pytest.fixture(scope="module")
def official() -> YahtzeeSolution:
    found = solved()
    found.find_details()
    return found


# ---- known values


@pytest.mark.parametrize(
    ("rules", "value", "cards"),
    [
        ("official", 254.58772873450, 536_448),
        ("free-joker", 254.58960948196, 536_448),
        ("no-bonus", 245.87077451411, 357_632),
        ("yatzy", 248.43998937786, 1_430_528),
    ],
)
def test_published_values(rules: str, value: float, cards: int) -> None:
    """Computed by three independent programs; Verhoeff prints 254.5896 and 245.87."""
    solution = solved(rules)
    assert solution.value(solution.game.start()) == pytest.approx(value, abs=1e-9)
    assert solution.report.states == cards
    assert solution.report.error_bound is not None
    assert solution.report.error_bound < 1e-8


@pytest.mark.parametrize(
    ("box", "value"),
    [("ones", 2.1064814815), ("yahtzee", 2.3014321263), ("large-straight", 10.6127422583), ("chance", 23.3333333333)],
)
def test_the_last_open_box(box: str, value: float, official: YahtzeeSolution) -> None:
    others = [word for word in official.game.words if word != box]
    position = official.game.parse(" ".join(f"{word}=0" for word in others))
    assert official.value(position) == pytest.approx(value, abs=1e-9)


def test_the_upper_bonus(official: YahtzeeSolution) -> None:
    """0.68118093 by the free joker rule, from an independent program; the chance of a certain one is 1."""
    free = solved("free-joker")
    assert free.bonus_chance(free.game.start()) == pytest.approx(0.68118093, abs=5e-9)
    words = "twos=6 threes=9 fours=12 fives=15 sixes=18"
    assert official.bonus_chance(official.game.parse(f"{words} ones=3")) == 1
    assert official.bonus_chance(official.game.parse(f"{words} ones=2")) == 0
    chance = official.bonus_chance(official.game.parse(words))
    lone = official.game.parse(f"{words} {' '.join(f'{word}=0' for word in official.game.words[6:])}")
    assert 0.3 < official.bonus_chance(lone) < chance < 1
    three_ones = sum(math.comb(5, n) * p**n * (1 - p) ** (5 - n) for n in (3, 4, 5) for p in [1 - (5 / 6) ** 3])
    assert official.bonus_chance(lone) == pytest.approx(three_ones, abs=1e-12)


# ---- against the rules


def agree(game: Yahtzee) -> YahtzeeSolution:
    """Exact arithmetic by the rules and the kernel: the same values, actions and ties in every state."""
    exact, fast = solve(game, using="rules", exact=True), solve(game, using="kernel")
    assert isinstance(fast, YahtzeeSolution)
    bound = fast.report.error_bound
    assert bound is not None
    starts = 0
    for state in exact.states():
        starts += not state.dice
        assert fast.value(state) == pytest.approx(float(exact.value(state)), abs=bound)
        choices = {choice.action: choice for choice in fast.choices(state)}
        for choice in exact.choices(state):
            assert choices[choice.action].value == pytest.approx(float(choice.value), abs=bound)
        assert fast.best_actions(state) == exact.best_actions(state)
    assert starts <= len(set(fast.states())) <= fast.report.states
    assert game.count_states(game.start()) >= len(list(exact.states()))
    return fast


def test_a_small_card_agrees_in_every_state() -> None:
    fast = agree(SMALL)
    assert (
        SMALL.spec == "yahtzee(rules=official,boxes=(ones,chance,yahtzee),bonus=4,bonus_at=2,extra=10,dice=3,sides=3)"
    )
    in_doubles = solve(SMALL, using="rules")
    for state in in_doubles.states():
        assert in_doubles.value(state) == pytest.approx(fast.value(state), abs=1e-12)


def random_card(seed: int) -> Yahtzee:
    rng = random.Random(seed)
    sides = rng.randint(1, 4)
    pool = [*FACES[:sides], *USUAL]
    pool += ["full-house:sum", "three-of-a-kind:sum", "small-straight:7", "chance:5", "yahtzee:sum", "one-pair:all"]
    boxes: dict[str, str] = {}
    for _ in range(rng.randint(1, 3)):
        text = rng.choice(pool)
        boxes[text.split(":")[0]] = text
    if rng.random() < 0.7:
        boxes.setdefault("yahtzee", "yahtzee")
    return Yahtzee(
        rng.choice(["official", "free-joker", "no-bonus", "yatzy"]),
        boxes=tuple(boxes.values()),
        bonus=rng.choice([None, 0, 7]),
        bonus_at=rng.randint(0, 8),
        extra=rng.choice([None, 0, 11]),
        joker=rng.choice([None, "forced", "free", "none"]),
        dice=rng.randint(1, 3),
        sides=sides,
        rerolls=rng.randint(0, 2),
    )


@pytest.mark.parametrize("seed", range(24))
def test_random_cards_agree_in_every_state(seed: int) -> None:
    agree(random_card(seed))


@pytest.mark.parametrize("seed", range(6))
def test_where_actions_lead(seed: int) -> None:
    """The chances of boxes, of all dice alike and of the bonus are those of following the best actions."""
    game = random_card(seed + 100)
    solution = solve(game)

    @cache
    def chances(state: Position) -> dict[str, float]:
        """Until the end of this turn, or of the game for the bonus."""
        if not game.actions(state):
            return {"upper_bonus": float(0 < game.upper_at <= state.upper)}
        return after(state, solution.action(state))

    def after(state: Position, action: Any) -> dict[str, float]:
        found: Counter[str] = Counter()
        lottery = game.step(state, action)
        total = sum(weight for _, weight, _ in lottery)
        for _, weight, to in lottery:
            scored = not to.dice
            follows = chances(to._replace(scores=None))
            for name, chance in follows.items():
                found[name] += weight / total * chance if not scored or name == "upper_bonus" else 0.0
            if scored:
                found[action] += weight / total
                found["all_alike"] += weight / total * (len(set(state.dice)) == 1)
                paid = game.gain(state, game.words.index(action))
                found["nothing"] += weight / total * (paid == 0)
        return dict(found)

    for state in list(explore(game).states)[:150]:
        for action in game.actions(state):
            expected = after(state._replace(scores=None), action)
            for name, chance in solution.details(state, action).items():
                assert chance == pytest.approx(expected.get(name, 0.0), abs=1e-9), (game.spec, state, action, name)


@pytest.mark.parametrize("seed", range(100, 106))
def test_the_rules_keep_the_contract(seed: int) -> None:
    report = check_game(random_card(seed))
    assert report.ok, report


@pytest.mark.parametrize("aim", ["reach:9", "beat:9"])
def test_aims_by_the_rules(aim: str) -> None:
    game = Yahtzee(boxes=("ones", "chance"), dice=2, sides=3, bonus=0, aim=aim)
    best = solve(game, using="rules", exact=True)
    best_mean = solve(Yahtzee(boxes=("ones", "chance"), dice=2, sides=3, bonus=0), exact=True)
    assert best.value(game.start()) < 1
    assert best_mean.value(best_mean.game.start()) < 9
    with pytest.raises(InputError, match="are needed"):
        game.parse("chance=6 ones=2 need=0")


# ---- scoring


def twin_score(word: str, dice: tuple[int, ...], sides: int) -> int:
    """What the box pays, as a person would find out: by trying all ways to choose dice."""
    count = Counter(dice)
    if word in FACES:
        return sum(die for die in dice if die == FACES.index(word) + 1)
    if word == "chance":
        return sum(dice)
    if word == "yahtzee":
        return 50 if len(count) == 1 else 0
    if word.endswith("of-a-kind"):
        size = {"three": 3, "four": 4, "five": 5}[word.split("-")[0]]
        return sum(dice) if any(len(set(part)) == 1 for part in combinations(dice, size)) else 0
    if word == "one-pair":
        return max((sum(part) for part in combinations(dice, 2) if len(set(part)) == 1), default=0)
    if word == "two-pairs":
        parts = [Counter(part) for part in combinations(dice, 4)]
        return max((2 * sum(part) for part in parts if sorted(part.values()) == [2, 2]), default=0)
    if word == "full-house":
        return 25 if any(sorted(Counter(part).values()) == [2, 3] for part in combinations(dice, 5)) else 0
    if word in ("low-straight", "high-straight"):
        wanted = range(1, 6) if word == "low-straight" else range(2, 7)
        return {"low-straight": 15, "high-straight": 20}[word] if set(wanted) <= set(dice) else 0
    size, paid = {"small-straight": (4, 30), "large-straight": (5, 40)}[word]
    return paid if any(set(range(at, at + size)) <= set(dice) for at in range(1, sides + 1)) else 0


@pytest.mark.parametrize(("dice", "sides"), [(5, 6), (1, 6), (3, 4), (6, 7), (4, 2)])
def test_every_box_scores_as_a_person_would(dice: int, sides: int) -> None:
    for word in (*FACES[:sides], *USUAL):
        box = read_box(word, sides)
        for roll in combinations_with_replacement(range(1, sides + 1), dice):
            counts = [roll.count(face) for face in range(1, sides + 1)]
            assert box.score(counts) == twin_score(word, roll, sides), (word, roll)


@pytest.mark.parametrize(
    ("text", "dice", "pays"),
    [
        ("three-of-a-kind:sum", (2, 3, 3, 3, 3), 9),
        ("four-of-a-kind:sum", (2, 3, 3, 3, 3), 12),
        ("full-house:sum", (2, 2, 3, 3, 3), 13),
        ("full-house:28", (2, 2, 3, 3, 3), 28),
        ("one-pair:all", (1, 2, 3, 5, 5), 16),
        ("small-straight:sum", (1, 2, 3, 4, 5), 14),
        ("yahtzee:sum", (4, 4, 4, 4, 4), 20),
        ("full-house:sum", (3, 3, 3, 3, 3), 0),
    ],
)
def test_boxes_with_other_pays(text: str, dice: tuple[int, ...], pays: int) -> None:
    assert read_box(text, 6).score([dice.count(face) for face in range(1, 7)]) == pays


def test_jokers() -> None:
    """Five fours once the Yahtzee box is filled, by each rule."""
    filled = "yahtzee=50 upper=12"
    fours = (4,) * 5

    def allowed(rules: str, card: str) -> dict[str, int]:
        game = Yahtzee(rules)
        state = game.parse(card)
        return {game.words[at]: paid for at, paid in game.pays(state.used, state.extra, fours).items()}

    assert allowed("official", "yahtzee=50") == {"fours": 120}
    lower = allowed("official", f"{filled} fours=x")
    assert lower == {"three-of-a-kind": 120, "four-of-a-kind": 120, "full-house": 125, "small-straight": 130} | {
        "large-straight": 140,
        "chance": 120,
    }
    closed = "3-kind=x 4-kind=x house=x small=x large=x chance=x"
    assert set(allowed("official", f"{filled} fours=x {closed}").values()) == {100}
    assert allowed("official", "yahtzee=0 fours=12")["large-straight"] == 40
    free = allowed("free-joker", "yahtzee=50")
    assert free["fours"] == 120
    assert free["full-house"] == 100
    assert allowed("free-joker", f"{filled} fours=x")["full-house"] == 125
    assert allowed("no-bonus", "yahtzee=50 fours=12")["full-house"] == 0
    assert allowed("yatzy", "yatzy=50")["full-house"] == 0


# ---- words


def test_positions_read_back() -> None:
    for game in (SMALL, random_card(3), random_card(5), Yahtzee(boxes=("ones", "yahtzee"), sides=11, dice=2)):
        for state in list(explore(game).states)[:2000]:
            assert game.parse(game.text(state)) == game.as_first(state)
    game = Yahtzee()
    rng = random.Random(1)
    state = game.start()
    while actions := game.actions(state):
        assert game.parse(game.text(state)) == game.as_first(state)
        assert len(game.board(state, ["Ann"]).splitlines()) <= 16
        assert max(map(len, game.board(state, ["Ann"]).splitlines())) <= 78
        state = rng.choice(game.step(state, rng.choice(actions)))[2]
    assert state.scores is not None
    assert None not in state.scores


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        ("ones=3 full-house=25 dice=11122", "full-house = 25  ONES=3 dice=2,1,1,2,1 rerolls=2"),
        ("house=25 4-kind=0 large=40", "full_house=25 four-of-a-kind=x large-straight=x"),
        ("yahtzee=50 extra=0", "yahtzee=50"),
        ("ones=x twos=x upper=8", "ones=2 twos=6"),
    ],
)
def test_the_same_position_in_other_words(typed: str, same: str) -> None:
    assert Yahtzee().parse(typed) == Yahtzee().parse(same)


BAD = [
    ("ones=7", "ones=7 is impossible; that box holds 0, 1, 2, 3, 4, 5, or x"),
    ("twos=3", "twos=3 is impossible"),
    ("large-straight=15", "large-straight=15 is impossible; that box holds 0, 40, or x"),
    ("full-house=24", "holds 0, 25, or x"),
    ("four-of-a-kind=4", "holds 0 or 5 to 30"),
    ("chance=4", "chance=4 is impossible"),
    ("yahtzee=49", "yahtzee=49 is impossible"),
    ("dice=111222", "dice=111222 are 6 dice; 5 are needed"),
    ("dice=1112", "are 4 dice"),
    ("dice=11172", "a die cannot show '7'; dice show 1 to 6"),
    ("dice=1110x", "a die cannot show '0'"),
    ("onez=3", "box 'onez' is not on the card"),
    ("low-straight=15", "box 'low-straight' is not on the card"),
    ("extra=100", "extra=100 is impossible: further Yahtzees pay only once the Yahtzee box holds its points"),
    ("yahtzee=0 extra=100", "only once the Yahtzee box holds its points"),
    ("yahtzee=50 extra=50", "multiples of 100"),
    ("yahtzee=50 extra=100", "with 1 boxes filled there were not so many Yahtzees"),
    ("yahtzee=x", "yahtzee=x is not enough"),
    ("ones=x", "ones=x is not enough: the bonus depends on the upper section; give its points as upper=N"),
    ("ones=x upper=6", "these boxes of the upper section hold 0 to 5 points"),
    ("twos=x upper=3", "no scores in these boxes of the upper section add up to it"),
    ("ones=3 ones=2", "'ones' stands twice"),
    ("ones", "'ones' lacks what it is"),
    ("rerolls=2", "needs dice"),
    ("dice=11111 rerolls=3", "rerolls=3 is impossible; there are up to 2"),
    ("need=50", "says nothing where the aim is mean"),
]


@pytest.mark.parametrize(("typed", "words"), BAD, ids=[typed for typed, _ in BAD])
def test_bad_cards_are_refused(typed: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError) as error:
        Yahtzee().parse(typed)
    assert words in str(error.value)
    assert main(["advise", "yahtzee", *typed.split()]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rules": "offical"}, "did you mean 'official'"),
        ({"boxes": ("ones", "ones")}, "stands twice"),
        ({"boxes": ("fullhouse",)}, "did you mean 'full-house'"),
        ({"boxes": ("full-house:many",)}, "behind the colon"),
        ({"boxes": ("sixes",), "sides": 4}, "for dice with 6 sides or more"),
        ({"boxes": ("ones:all",)}, "always pays the sum"),
        ({"dice": 0}, "dice"),
        ({"dice": 9}, "up to 8"),
        ({"joker": "wild"}, "forced, free, none"),
        ({"aim": "reach"}, "mean, reach:250 or beat:270"),
        ({"bonus": -1}, "bonus"),
        ({"rerolls": 11}, "up to 10"),
    ],
)
def test_parameters_that_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        Yahtzee(**given)
    assert words in str(error.value)


def test_one_spelling_for_each_card() -> None:
    assert Yahtzee(boxes=("upper", "lower"), bonus=35, extra=100, joker="forced") == Yahtzee()
    assert Yahtzee(boxes=("yatzy", "Twos", "ones")).boxes == ("ones", "twos", "yahtzee")
    assert Yahtzee(boxes=("upper", "full-house:025")).boxes[-1] == "full-house"


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("111", Keep((1, 1, 1))),
        ("keep 1 2 1", Keep((1, 1, 2))),
        ("2,2", Keep((2, 2))),
        ("all", Keep()),
        ("house", "full-house"),
        ("Full House", "full-house"),
        ("yaht", "yahtzee"),
    ],
)
def test_actions_as_people_type_them(typed: str, action: Any) -> None:
    game = Yahtzee()
    assert game.read_action(typed, game.parse("dice=11122")) == action


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("333", "cannot be kept: the dice show 11122"),
        ("11122", "to keep all dice is to score them"),
        ("ones", "box 'ones' is filled already"),
        ("what", "'what'"),
    ],
)
def test_actions_that_are_refused(typed: str, words: str) -> None:
    game = Yahtzee()
    with pytest.raises(InputError) as error:
        game.read_action(typed, game.parse("ones=3 dice=11122"))
    assert words in str(error.value)


def test_rolls_as_people_type_them() -> None:
    game = Yahtzee()
    state = game.parse("dice=11122")
    assert game.read_outcome("61", state, Keep((1, 1, 1))) == (1, 6)
    assert game.read_outcome("1 1 1 6 1", state, Keep((1, 1, 1))) == (1, 6)
    for typed, words in (("6", "type what the 2 dice show"), ("22216", "does not have the dice that were kept")):
        with pytest.raises(InputError) as error:
            game.read_outcome(typed, state, Keep((1, 1, 1)))
        assert words in str(error.value)


# ---- what is asked


def test_advice_in_json(
    official: YahtzeeSolution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    assert keep(official, Store(tmp_path))
    assert main(["advise", "yahtzee", "ones=3", "full-house=25", "dice=11122", "rerolls=2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["choices"][0]["action"] == "keep 1 1 1"
    assert len(found["choices"]) == 11 + 11
    for row in found["choices"]:
        assert row["loss"] == pytest.approx(found["value"] - row["value"], abs=1e-9)
        assert sum(row[word] for word in official.game.words if word in row) == pytest.approx(1, abs=1e-12)
        assert row["yahtzee"] >= row["all_alike"] - 1e-12
        assert 0 < row["upper_bonus"] < 1
    at_once = next(row for row in found["choices"] if row["action"] == "chance")
    assert (at_once["chance"], at_once["all_alike"], at_once["nothing"]) == (1, 0, 0)


def test_advice_fits_the_screen(
    official: YahtzeeSolution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    assert keep(official, Store(tmp_path))
    for words in (["dice=11122"], ["dice=36666", "rerolls=0"], ["start"]):
        assert main(["advise", "yahtzee", *words, "--all"]) == 0
        *table, why = capsys.readouterr().out.strip().splitlines()
        assert max(map(len, table[1:])) <= 80
        assert why.endswith(".")


def test_the_lecture_notes_questions(official: YahtzeeSolution) -> None:
    game = official.game
    assert official.action(game.parse("dice=11122")) == (1, 1, 1)
    assert official.action(game.parse("ones=3 dice=11122")) == "full-house"
    assert official.action(game.parse("dice=36666 rerolls=0")) == "sixes"
    late = game.parse("ones=2 twos=4 threes=9 fours=8 fives=15 dice=36666 rerolls=0")
    assert official.action(late) == "four-of-a-kind"


def test_why_is_a_sentence(official: YahtzeeSolution) -> None:
    game = official.game
    said = official.why(game.parse("dice=36666 rerolls=0"))
    assert said.startswith(
        "3 6 6 6 6 as sixes for 24 is best, 5.69 points better than 3 6 6 6 6 as four-of-a-kind for 27"
    )
    said = official.why(game.parse("ones=3 full-house=25 dice=11122"))
    assert said.startswith("Keeping 1 1 1 is best, 0.0196 points better than keeping 2 2: ")
    assert official.why(game.start()).startswith("There is nothing to choose here: ")
    over = game.parse(" ".join(f"{word}=0" for word in game.words))
    assert official.why(over) == "The game is over."


def test_a_solution_from_the_store(official: YahtzeeSolution, tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert keep(official, store)
    found = recall_stored(official.game, store)
    assert isinstance(found, YahtzeeSolution)
    for words in ("start", "ones=3 full-house=25 dice=11122"):
        state = official.game.parse(words)
        assert found.choices(state) == official.choices(state)
        assert found.details(state, found.action(state)) == official.details(state, official.action(state))
    code = (
        "import sys\nfrom dicewise.cli import main\n"
        "main(['advise', 'yahtzee', 'dice=11122', 'rerolls=1'])\nassert 'numba' not in sys.modules"
    )
    env = {"DICEWISE_CACHE_DIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "full-house" in run.stdout


# ---- proof


@pytest.mark.parametrize("seed", range(4))
def test_a_planted_error_is_found(seed: int) -> None:
    game = SMALL if not seed else random_card(seed)
    solution = solve(game)
    good = solution.check_bellman(False)
    assert good is not None
    assert good.largest < 1e-12 * layout(game).most_points
    rng = np.random.default_rng(seed)
    used, extra, upper = list(layout(game).anchors())[int(rng.integers(solution.report.states // 4))]
    solution._anchors[used * layout(game).flags + extra, upper] += 1e-6
    bad = solution.check_bellman(False)
    assert bad is not None
    assert bad.largest > 1e-7
    assert bad.error_bound is not None
    assert bad.error_bound >= 1e-6


def test_small_cards_are_proven() -> None:
    bound = certify(solve(SMALL)).error_bound
    assert bound is not None
    assert bound < 1e-11
    assert certify(solve(SMALL, exact=True), exact=True).proven


def test_too_much_is_refused_at_once(official: YahtzeeSolution) -> None:
    game = official.game
    for ask in (
        lambda: solve(game, exact=True),
        lambda: solve(game, using="rules"),
        lambda: evaluate(game, official),
        lambda: evaluate(game, game.heuristic("alike")),
        lambda: certify(official, exact=True),
    ):
        with pytest.raises(LimitError) as error:
            ask()
        assert "positions from here on, too many to go through one by one (up to 200,000)" in str(error.value)
    late = game.parse(f"ones=0 {CLOSED} large=0 yahtzee=0")
    assert evaluate(game, official, state=late).values[0] == pytest.approx(23.3333333333, abs=1e-9)


# ---- at the table


@pytest.mark.parametrize("seed", range(12))
def test_the_card_adds_up(seed: int) -> None:
    """What the board shows at the end is what the game has paid."""
    rules = ("official", "free-joker", "yatzy", "no-bonus")[seed % 4]
    game = Yahtzee(rules, boxes=("ones", "twos", "chance", "3-kind", "house", "yahtzee"), bonus_at=5, dice=3, sides=2)
    session: Session[Position, Any] = Session(game, seed=seed)
    rng = random.Random(seed)
    while not session.over:
        assert game.parse(game.text(session.state)) == game.as_first(session.state)
        session.push(rng.choice(session.actions))
    last = game.board(session.state, ["Ann"]).splitlines()[-1]
    assert last.split(",")[0].strip() == f"total {session.result[0]}"


def test_a_game_with_typed_dice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("DICEWISE_DATA_DIR", str(tmp_path))
    typed = ["11122", "111", "6 1", "11116", "1111", "11111", "yahtz", "22222", "house", "twos", "66661", "6"]
    typed += ["6666", "16666", "sixes"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(typed) + "\n"))
    assert main(["play", "yahtzee", "Ann", "--boxes", "twos,sixes,house,yahtzee", "--rolls", "typed"]) == 0
    out = capsys.readouterr().out
    assert "to keep all dice is to score them: name a box" in out
    assert "box 'full-house' may not take this Yahtzee; allowed: twos" in out
    assert "dice  [1] [1] [1] [1] [1]   no reroll left" in out
    assert "  full-house            .  (0)" in out
    assert "points so far 160, 100 of them for further Yahtzees" in out
    assert "turn 4 of 4" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "kept; go on with" in out


@pytest.mark.parametrize("name", ["three-of-a-kind", "four-of-a-kind", "full-house"])
def test_boxes_pay_what_their_convention_says(name: str) -> None:
    """Whether they are named one by one or come with the convention; a colon says otherwise, and is kept."""
    named, official = Yahtzee("yatzy", boxes=(name,)), Yahtzee("official", boxes=(name,))
    assert named.card[0].pays == "sum"
    assert named.card[0].pays != official.card[0].pays
    usual = "25" if name == "full-house" else "all"
    other = Yahtzee("yatzy", boxes=(f"{name}:{usual}",))
    assert other.card == official.card
    assert other.boxes == (f"{name}:{usual}",)
    assert find_game(other.spec) == other
    assert Yahtzee("official", boxes=(f"{name}:sum",)).card == named.card
    assert named.boxes == (name,)


def test_a_whole_card_named_one_by_one_is_the_convention_s() -> None:
    words = "upper one-pair two-pairs 3-of-a-kind 4-of-a-kind low-straight high-straight full-house chance yatzy"
    assert Yahtzee("yatzy", boxes=tuple(words.split())) == Yahtzee("yatzy")


@pytest.mark.parametrize(
    ("card", "reason"),
    [
        ("chance=4", "that box holds 0 or 5 to 30"),
        ("total=9", "with all that comes with it this card holds 0"),
        ("chance=20 total=5", "this card holds 20"),
        ("chance=x total=5", None),
        ("chance=x total=31", "this card holds 0 to 30"),
        ("chance=20 yahtzee=50 total=170", None),
        ("chance=20 yahtzee=50 total=1000", "this card holds 70 to 270"),
        ("chance=20 yahtzee=50 extra=100 total=70", "this card holds 170"),
        ("ones=3 sixes=x upper=21 total=21", None),
        ("ones=3 sixes=x upper=21 total=15", "this card holds 21"),
        ("ones=x fives=0 sixes=0", None),  # the bonus is out of reach, whatever the ones hold
        ("ones=x sixes=18", "the bonus depends on the upper section"),
    ],
)
def test_cards_that_do_not_add_up(card: str, reason: str | None) -> None:
    if reason is None:
        Yahtzee().parse(card)
        return
    with pytest.raises(InputError, match=reason):
        Yahtzee().parse(card)


@pytest.mark.parametrize(
    ("card", "need"),
    [("chance=20", 40), ("chance=20 need=40", 40), ("chance=20 total=20", 40), ("chance=x need=35", 35)],
)
def test_needs_that_fit_the_card(card: str, need: int) -> None:
    assert Yahtzee(aim="reach:60").parse(card).need == need


@pytest.mark.parametrize("card", ["chance=20 need=30", "chance=x need=20", "need=59"])
def test_needs_that_do_not_fit_the_card(card: str) -> None:
    with pytest.raises(InputError, match="of 60 are needed"):
        Yahtzee(aim="reach:60").parse(card)
