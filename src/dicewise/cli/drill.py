"""`dicewise drill`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from dicewise.cli.common import common_options, print_json, print_wrapped, say
from dicewise.cli.review import games_of, near_tie_option, player_option
from dicewise.cli.why import label_of, number, print_why
from dicewise.errors import InputError

if TYPE_CHECKING:
    from dicewise.play.drill import Answer, Card

COMMANDS = "? lists the actions, skip leaves this one out, quit ends"


@click.command(epilog="Example: dicewise drill --count 5")
@click.option("--count", metavar="N", type=click.IntRange(min=1), default=10, show_default=True, help="Ask at most N.")
@click.option("--all", "even_early", is_flag=True, help="Ask positions that are not due yet as well.")
@near_tie_option
@player_option
@common_options
def command(count: int, even_early: bool, near_tie: float, player: str | None, as_json: bool, quiet: bool) -> None:
    """Ask the positions in which you made mistakes again, the most costly first.

    What you know comes up ever more rarely: after 1, 3, 7 and 21 days; what you do not know, the next time. With
    --json nothing is asked: the positions are listed.
    """
    from dicewise.play.drill import answer, cards, is_due
    from dicewise.play.records import Records
    from dicewise.play.review import near_tie_share

    share = near_tie_share(near_tie)
    with Records() as records:
        games, _, solution_of = games_of(records, near_tie, player, quiet)
        laid = cards(games, records)
        if records.problem:
            say(records.problem, quiet)
        due = [card for card in laid if even_early or is_due(card, datetime.now(UTC))]
        if as_json:
            print_json(None, cards=[_as_json(card, card in due) for card in laid])
            return
        if not due:
            print(_nothing_to_ask(laid, len(games)))
            return
        asked = due[:count]
        print_wrapped(f"{len(asked)} of {len(laid)} positions, the most costly first; {COMMANDS}")
        right = answered = 0
        for at, card in enumerate(asked, start=1):
            print(f"\n{at}/{len(asked)}  {card.game.spec}\n{card.game.board(card.state, card.names)}")
            action = _ask(card)
            if action is _QUIT:
                break
            if action is _SKIP:
                continue
            solution = solution_of(card.game)
            given = answer(card, action, solution, records, near_tie=share, now=datetime.now(UTC))
            _print_answer(given, action)
            answered, right = answered + 1, right + given.right
        print(f"\n{right} of {answered} right")


_QUIT, _SKIP = object(), object()


def _ask(card: Card) -> Any:
    """The action that the user types; what cannot be read is answered in one line, and asked again."""
    game, state = card.game, card.state
    labels = [game.label(action) for action in game.actions(state)]
    while True:
        print("your move: ", end="", flush=True)
        line = sys.stdin.readline()
        text = line.strip()
        if not line or not sys.stdin.isatty():
            print(f"{text:.60}")  # nobody has typed it here
        if not line:
            return _QUIT
        if text.lower() not in labels:
            if text.lower() in ("quit", "skip"):
                return _QUIT if text.lower() == "quit" else _SKIP
            if text in ("", "?"):
                shown = [label or "(nothing)" for label in labels]
                print_wrapped(", ".join(shown) + (f"; {COMMANDS}" if text else ""))
                continue
        try:
            return game.read_action(text, state)
        except InputError as error:
            print_wrapped(" ".join(str(error).split()))


def _print_answer(given: Answer, action: Any) -> None:
    game, decision, card = given.card.game, given.decision, given.card
    chosen, best = label_of(game, action), label_of(game, decision.best)
    if not decision.loss:
        print(f"Right: {chosen} is best.")
    elif given.right:
        print(f"Right: {chosen} is as good as {best}, but for {number(decision.loss)}.")
    else:
        print(f"No: {chosen} gives away {number(decision.loss)}, {float(decision.share):.2%} of the payoff range.")
    print_why(game, given.why, "yours" if decision.loss else "then")
    print(f"Box {card.box}: {_again(card)}.")


def _again(card: Card) -> str:
    from dicewise.play.drill import DAYS

    days = DAYS[card.box]
    return "asked again the next time" if not days else f"asked again in {days} day{'s' * (days > 1)}"


def _nothing_to_ask(laid: list[Card], games: int) -> str:
    if not games:
        return "No games to learn from yet: play some, 'dicewise play greed'."
    if not laid:
        return "No mistakes to learn from."
    first = min(card.due for card in laid)
    return f"Nothing is due: the next of {len(laid)} positions on {first[:10]}; --all asks them now."


def _as_json(card: Card, due: bool) -> dict[str, Any]:
    return {
        "game": card.game.spec,
        "state": card.game.text(card.state),
        "played": card.game.label(card.chosen),
        "times": card.times,
        "loss": float(card.loss),
        "box": card.box,
        "due": card.due or None,
        "is_due": due,
        "asked": card.asked,
        "right": card.right,
    }
