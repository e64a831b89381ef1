"""Yahtzee in words: scorecards as people type them, and the card that `play` shows.

A position is written box by box, `ones=3 full-house=25 dice=11122 rerolls=2`. A box whose score is not known, or does
not matter, is crossed off: `chance=x`. What does matter must be there: the points of the upper section (`upper=23`)
where they cannot be added up, whether the Yahtzee box holds its points, and, where the aim is to reach so many points,
how many there are (`total=180`) or are still needed (`need=70`). Points for further Yahtzees are `extra=200`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from dicewise.errors import InputError, did_you_mean
from dicewise.game import read_move
from dicewise.games.yahtzee.boxes import OTHER_WORDS
from dicewise.games.yahtzee.position import Action, Keep, Position

if TYPE_CHECKING:
    from dicewise.games.yahtzee.rules import Yahtzee

CROSSED = ("x", "-", "used")
BESIDES = ("upper", "extra", "total", "need", "dice", "rerolls")
"""Words that are no boxes."""


# ---- writing


def text(game: Yahtzee, state: Position) -> str:
    """A position as `parse` reads it."""
    said = []
    for at, word in enumerate(game.words):
        if state.used >> at & 1:
            held = None if state.scores is None else state.scores[at]
            if at == game.yahtzee_box and game.extra_pays and held is None:
                held = game.card[at].score(game.counts((1,) * game.dice)) if state.extra else 0
            said.append(f"{word}={'x' if held is None else held}")
    known = state.scores is not None
    if state.scores is not None and state.scores[-1]:
        said.append(f"extra={state.scores[-1]}")
    upper_used = any(state.used >> at & 1 for at, box in enumerate(game.card) if box.face)
    if game.upper_at and upper_used and not known:
        said.append(f"upper={state.upper}")
    if game.target and (state.used or state.need != game.target):
        said.append(f"need={state.need}")
    if state.dice:
        said.append(f"dice={dice_text(game, state.dice)}")
        said.append(f"rerolls={state.rerolls}")
    return " ".join(said) or "start"


def dice_text(game: Yahtzee, dice: Sequence[int]) -> str:
    return ("" if game.sides <= 9 else ",").join(map(str, dice))


# ---- reading


def parse(game: Yahtzee, typed: str) -> Position:
    """The position that a text names; a card that cannot be is refused with the reason."""
    given = _entries(game, typed)
    scores = [_score(game, at, given.pop(word)) if word in given else None for at, word in enumerate(game.words)]
    used = sum(1 << at for at, score in enumerate(scores) if score is not None)
    extra = _extra(game, scores, given, typed)
    upper = _upper(game, scores, given)
    need = _need(game, scores, given, upper)
    dice, rerolls = _dice(game, given)
    if dice and used == game.all_used:
        raise InputError(f"position {typed!r:.120} has dice, but every box is filled: the game is over")
    return Position(used, upper, extra, dice, rerolls, need)


def _entries(game: Yahtzee, typed: str) -> dict[str, str]:
    """The words of a position, by name."""
    found: dict[str, str] = {}
    for entry in re.sub(r"\s*=\s*", "=", typed.strip().lower()).split():
        if entry == "start":
            continue
        word, equals, value = entry.partition("=")
        name = box_word(game, word) if word not in BESIDES else word
        if not equals or not value:
            example = f"{name}=x" if name not in BESIDES else f"{name}=0"
            raise InputError(f"{entry!r:.80} lacks what it is; write {example} where a box is filled, or leave it out")
        if name in found:
            raise InputError(f"{name!r} stands twice in {typed!r:.120}; give it once")
        found[name] = value
    return found


def box_word(game: Yahtzee, word: str) -> str:
    """The box that a person means: its word, another word for it, or a unique beginning."""
    plain = word.replace("_", "-")
    plain = OTHER_WORDS.get(plain, plain)
    if plain in game.words:
        return plain
    if plain in ("small-straight", "large-straight"):  # what Scandinavians call them, too
        other = {"small-straight": "low-straight", "large-straight": "high-straight"}[plain]
        if other in game.words:
            return other
    begun = [known for known in game.words if plain and known.startswith(plain)]
    if len(begun) == 1:
        return begun[0]
    known = [*game.words, *BESIDES]
    raise InputError(f"box {word!r:.80} is not on the card; it has: {', '.join(known)}{did_you_mean(word[:80], known)}")


def _score(game: Yahtzee, at: int, value: str) -> int | str:
    """What a box holds; `x` where it is crossed off."""
    if value in CROSSED:
        return "x"
    allowed = possible_scores(game, at)
    if not value.isdecimal() or int(value) not in allowed:
        listed = (
            ", ".join(map(str, allowed)) if len(allowed) <= 12 else f"{allowed[0]} or {allowed[1]} to {allowed[-1]}"
        )
        raise InputError(
            f"{game.words[at]}={value:.40} is impossible; that box holds {listed}, or x where the score is not known"
        )
    return int(value)


def possible_scores(game: Yahtzee, at: int) -> list[int]:
    """What a box may hold, zero first, which crosses off any of them; jokers included."""
    box, faces = game.card[at], range(1, game.sides + 1)
    found = {0} | {box.score(game.counts(roll)) for roll in combinations_with_replacement(faces, game.dice)}
    if game.joker_rule != "none" and not box.face and game.yahtzee_box not in (None, at):
        found |= {game.as_joker(box, game.counts((face,) * game.dice)) for face in faces}
    return sorted(found)


def _number(name: str, value: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", value):
        raise InputError(f"{name}={value:.40} cannot be read; it is a whole number from 0 up")
    return int(value)


def _extra(game: Yahtzee, scores: list[int | str | None], given: dict[str, str], typed: str) -> bool:
    """Whether further Yahtzees pay extra."""
    held = None if game.yahtzee_box is None else scores[game.yahtzee_box]
    bonus = _number("extra", given["extra"]) if "extra" in given else 0
    if bonus and (not game.extra_pays or bonus % game.extra_pays):
        pays = f"multiples of {game.extra_pays}" if game.extra_pays else "nothing"
        raise InputError(f"extra={bonus} is impossible; further Yahtzees pay {pays} by these rules")
    if bonus and held in (None, 0):
        raise InputError(
            f"extra={bonus} is impossible: further Yahtzees pay only once the Yahtzee box holds its points"
        )
    filled = sum(score is not None for score in scores)
    if bonus and bonus // game.extra_pays > filled - 1:
        raise InputError(f"extra={bonus} is impossible: with {filled} boxes filled there were not so many Yahtzees")
    if held == "x" and game.extra_pays and not bonus:
        full = possible_scores(game, game.yahtzee_box or 0)[-1]
        raise InputError(f"yahtzee=x is not enough: further Yahtzees depend on it; write yahtzee={full} or yahtzee=0")
    return bool(game.extra_pays) and held not in (None, 0)


def _upper(game: Yahtzee, scores: list[int | str | None], given: dict[str, str]) -> int:
    """The points of the upper section."""
    boxes = [(at, box) for at, box in enumerate(game.card) if box.face and scores[at] is not None]
    sure = sum(score for at, _ in boxes if isinstance(score := scores[at], int))
    unknown = [box for at, box in boxes if scores[at] == "x"]
    told = _number("upper", given["upper"]) if "upper" in given else None
    most = sure + sum(box.face * game.dice for box in unknown)
    if told is not None and not sure <= min(told, most) == told:
        raise InputError(f"upper={told} is impossible; these boxes of the upper section hold {sure} to {most} points")
    if told is not None and told not in _sums(sure, [box.face for box in unknown], game.dice):
        raise InputError(f"upper={told} is impossible: no scores in these boxes of the upper section add up to it")
    if not game.upper_at:
        return 0
    left = sum(box.face * game.dice for at, box in enumerate(game.card) if box.face and scores[at] is None)
    if unknown and told is None and sure < game.upper_at <= most + left:
        raise InputError(
            f"{unknown[0].word}=x is not enough: the bonus depends on the upper section; give its points as upper=N"
        )
    return min(sure if told is None else told, game.upper_at)


def _sums(sure: int, faces: Sequence[int], dice: int) -> set[int]:
    found = {sure}
    for face in faces:
        found = {held + face * count for held in found for count in range(dice + 1)}
    return found


def _need(game: Yahtzee, scores: list[int | str | None], given: dict[str, str], upper: int) -> int:
    """The points that are still needed, where the aim is to reach so many."""
    told = {name: _number(name, given[name]) for name in ("total", "need") if name in given}
    low, high = _held(game, scores, given, upper)
    if "total" in told and not low <= told["total"] <= high:
        points = f"{low}" if low == high else f"{low} to {high}"
        raise InputError(f"total={told['total']} is impossible: with all that comes with it this card holds {points}")
    if not game.target:
        if "need" in told:
            raise InputError(f"need={told['need']} says nothing where the aim is {game.aim}; leave it out")
        return 0
    if "need" in told:
        if told["need"] > game.target:
            raise InputError(f"need={told['need']} is impossible; the aim is to reach {game.target}")
        if not max(game.target - high, 0) <= told["need"] <= max(game.target - low, 0):
            first, last = max(game.target - high, 0), max(game.target - low, 0)
            needed = f"{first}" if first == last else f"{first} to {last}"
            raise InputError(f"need={told['need']} is impossible: with this card {needed} of {game.target} are needed")
        return told["need"]
    if "total" in told:
        return max(game.target - told["total"], 0)
    if "x" in scores:
        raise InputError("a box is crossed off, so the points so far are not known; give them as total=N, or need=N")
    return max(game.target - low, 0)  # no further Yahtzees but those that are told


def _held(game: Yahtzee, scores: list[int | str | None], given: dict[str, str], upper: int) -> tuple[int, int]:
    """The least and the most points that a card may hold, with the bonus and further Yahtzees."""
    low = sum(score for score in scores if isinstance(score, int))
    low += game.upper_bonus if 0 < game.upper_at <= upper else 0
    low += _number("extra", given.get("extra", "0"))
    crossed = [at for at, score in enumerate(scores) if score == "x"]
    high = low + sum(possible_scores(game, at)[-1] for at in crossed)
    if "upper" in given:
        of_upper = [at for at, box in enumerate(game.card) if box.face]
        sure = sum(score for at in of_upper if isinstance(score := scores[at], int))
        more = _number("upper", given["upper"]) - sure
        low += more
        if upper < game.upper_at:  # otherwise it may stand for all that earns the bonus
            high += more - sum(possible_scores(game, at)[-1] for at in crossed if at in of_upper)
    if "extra" not in given and game.yahtzee_box is not None and scores[game.yahtzee_box] not in (None, 0, "x"):
        high += game.extra_pays * sum(score is not None for score in scores)
    return low, high


def _dice(game: Yahtzee, given: dict[str, str]) -> tuple[tuple[int, ...], int]:
    """The dice on the table, and the rerolls left."""
    if "dice" not in given:
        if "rerolls" in given:
            raise InputError(f"rerolls={given['rerolls']} needs dice; at the start of a turn there are none")
        return (), 0
    dice = read_dice(game, given["dice"])
    if len(dice) != game.dice:
        raise InputError(f"dice={given['dice']:.40} are {len(dice)} dice; {game.dice} are needed")
    rerolls = _number("rerolls", given["rerolls"]) if "rerolls" in given else game.rerolls
    if rerolls > game.rerolls:
        raise InputError(f"rerolls={rerolls} is impossible; there are up to {game.rerolls}")
    return tuple(sorted(dice)), rerolls


def read_dice(game: Yahtzee, typed: str) -> list[int]:
    """Dice as people type them: 11122, 1 1 1 2 2, or 1,1,1,2,2."""
    parts = re.findall(r"[^\s,+]+", typed)
    if game.sides <= 9 and len(parts) == 1:
        parts = list(parts[0])
    wrong = [part for part in parts if not part.isdecimal() or not 1 <= int(part[:9]) <= game.sides]
    if wrong:
        raise InputError(f"a die cannot show {wrong[0]!r:.40}; dice show 1 to {game.sides}")
    return [int(part) for part in parts]


def read_action(game: Yahtzee, typed: str, state: Position) -> Action:
    """A box by its word, or the dice to keep: `keep 111`, `111`, `1 1 1`, `reroll all`."""
    actions = list(game.actions(state))
    plain = " ".join(typed.lower().split())
    kept = re.fullmatch(r"(?:keep\s*)?([0-9][0-9\s,+]*)", plain)
    if kept and state.rerolls:
        keep = Keep(sorted(read_dice(game, kept[1])))
        if keep in actions:
            return keep
        if tuple(keep) == state.dice:
            raise InputError("to keep all dice is to score them: name a box")
        raise InputError(f"{typed.strip()!r:.80} cannot be kept: the dice show {dice_text(game, state.dice)}")
    if plain in ("roll", "roll all", "reroll", "all", "none") and Keep() in actions:
        return Keep()
    boxes = [action for action in actions if isinstance(action, str)]
    if plain and plain not in ("roll",) and state.dice:
        try:
            word = box_word(game, plain.replace(" ", "-"))
        except InputError:
            word = ""
        if word in boxes:
            return word
        if word:
            why = "is filled already" if state.used >> game.words.index(word) & 1 else "may not take this Yahtzee"
            raise InputError(f"box {word!r} {why}; allowed: {', '.join(boxes)}")
    return read_move(typed, actions, game.label, "action", game.text(state))


def read_outcome(game: Yahtzee, typed: str, state: Position, action: Action) -> Hashable:
    """What was rolled: the new dice, or all dice on the table."""
    outcomes = [outcome for outcome, _, _ in game.step(state, action)]
    if outcomes == [None]:
        return None
    rolled = sorted(read_dice(game, typed))
    kept = list(action) if isinstance(action, Keep) else []
    if len(rolled) == game.dice and kept:
        for die in kept:
            if die not in rolled:
                raise InputError(
                    f"{typed.strip()!r:.80} does not have the dice that were kept: {dice_text(game, kept)}"
                )
            rolled.remove(die)
    if tuple(rolled) not in outcomes:
        raise InputError(f"{typed.strip()!r:.80} is not possible; type what the {game.dice - len(kept)} dice show")
    return tuple(rolled)


# ---- the card on the screen


def board(game: Yahtzee, state: Position, names: Sequence[str]) -> str:
    """The scorecard, and the dice below it; at the start of a turn, when there is nothing to decide, a line."""
    if not state.dice and state.used != game.all_used:
        return f"turn {state.used.bit_count() + 1} of {len(game.card)}"
    lines = [f"{names[0]}’s card" if names and names[0] else "card"]
    upper = [at for at, box in enumerate(game.card) if box.face]
    lower = [at for at, box in enumerate(game.card) if not box.face]
    left, right = [_line(game, state, at) for at in upper], [_line(game, state, at) for at in lower]
    if game.upper_at:
        held = f"{state.upper}{'+' if state.upper == game.upper_at else ''}"
        got = f"  bonus {game.upper_bonus}" if state.upper >= game.upper_at else ""
        left.append(f"  upper section {held:>4} of {game.upper_at}{got}")
    for at in range(max(len(left), len(right))):
        first, second = (side[at] if at < len(side) else "" for side in (left, right))
        lines.append(f"{first:<36}{second}".rstrip())
    if state.scores is not None:
        points = sum(score for score in state.scores if score is not None)
        bonus = game.upper_bonus if 0 < game.upper_at <= state.upper else 0
        more = f", {state.scores[-1]} of them for further Yahtzees" if state.scores[-1] else ""
        lines.append(f"  {'points so far' if state.used != game.all_used else 'total'} {points + bonus}{more}")
    if game.target:
        lines.append(f"  {state.need} more to reach {game.target}" if state.need else f"  {game.target} reached")
    if state.dice:
        again = {0: "no reroll left", 1: "1 reroll left"}.get(state.rerolls, f"{state.rerolls} rerolls left")
        lines.append(f"dice  {' '.join(f'[{die}]' for die in state.dice)}   {again}")
    return "\n".join(lines)


def _line(game: Yahtzee, state: Position, at: int) -> str:
    """One box: what it holds, or what the dice would score there."""
    if state.used >> at & 1:
        held = "x" if state.scores is None or state.scores[at] is None else str(state.scores[at])
        return f"  {game.words[at]:<18}{held:>5}"
    if state.dice:
        paid = game.pays(state.used, state.extra, state.dice).get(at)
        return f"  {game.words[at]:<18}    .  {'' if paid is None else f'({paid})'}"
    return f"  {game.words[at]:<18}    ."
