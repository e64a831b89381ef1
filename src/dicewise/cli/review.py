"""`dicewise review`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dicewise.cli.common import common_options, print_json, print_rows, print_wrapped, say, solved
from dicewise.cli.why import label_of, number, print_why, signed, why_as_json
from dicewise.errors import InputError

if TYPE_CHECKING:
    from dicewise.game import Game
    from dicewise.play.records import Record, Records
    from dicewise.play.review import Review, Score, Step
    from dicewise.play.trend import Period, Played, Situation
    from dicewise.solution import Solution

ROWS = 5
"""Situations that are listed."""

STYLES = {"slip": "yellow", "mistake": "red", "blunder": "bold red"}


def near_tie_option(function: Any) -> Any:
    """--near-tie."""
    return click.option(
        "--near-tie",
        metavar="SHARE",
        type=float,
        default=0.001,
        show_default=True,
        help="Losses below this share of the payoff range are no mistakes.",
    )(function)


def player_option(function: Any) -> Any:
    """--player."""
    return click.option("--player", metavar="NAME", help="Look at this player only, not at all people at the table.")(
        function
    )


@click.command(epilog="Example: dicewise review last")
@click.argument("which", metavar="[last|ID|all]", default="last")
@near_tie_option
@player_option
@click.option("--why", "every_why", is_flag=True, help="Say why for every mistake, not only for the worst.")
@common_options
def command(which: str, near_tie: float, player: str | None, every_why: bool, as_json: bool, quiet: bool) -> None:
    """Review games that were played: what each decision gave away, and what was luck.

    It is the last game, the one with that number in 'dicewise history', or all together. A game from a file of your
    own is read from there again, which runs the file.
    """
    from dicewise.play.records import Records
    from dicewise.play.review import near_tie_share

    near_tie_share(near_tie)
    with Records() as records:
        if which == "all":
            _review_all(records, near_tie, player, as_json, quiet)
        else:
            _review_one(records.get(which), near_tie, player, every_why, as_json, quiet)
        if records.problem:
            say(records.problem, quiet)


def solver(quiet: bool) -> Callable[[Game[Any, Any]], Solution[Any, Any]]:
    """Solutions out of the store, or solved; each game's once."""
    known: dict[Game[Any, Any], Solution[Any, Any]] = {}

    def solution_of(game: Game[Any, Any]) -> Solution[Any, Any]:
        if game not in known:
            known[game] = solved(game, quiet, details_up_to=sys.maxsize)[0]
        return known[game]

    return solution_of


def games_of(
    records: Records, near_tie: float, player: str | None, quiet: bool
) -> tuple[list[Played], list[str], Callable[[Game[Any, Any]], Solution[Any, Any]]]:
    """All games that can be reviewed, why others cannot, and their solutions."""
    from dicewise.play.trend import look_back_at_all

    solution_of = solver(quiet)
    listed = records.all()
    names = sorted({name for record in listed for name in record.names})
    if player is not None and player.casefold() not in map(str.casefold, names):
        raise InputError(f"no game with {player!r:.60} is kept; the players are {', '.join(names[:20]) or 'none'}")
    games, left_out = look_back_at_all(listed, solution_of, near_tie=near_tie, player=player)
    for line in left_out:
        say(line, quiet)
    return games, left_out, solution_of


# ---- one game


def _review_one(
    record: Record, near_tie: float, player: str | None, every_why: bool, as_json: bool, quiet: bool
) -> None:
    from dicewise.play.trend import look_back, seats_of
    from dicewise.play.why import why

    if player is not None and not seats_of(record, player):
        raise InputError(f"{player!r:.60} did not play game {record.id}; its players are {', '.join(record.names)}")
    solution_of = solver(quiet)
    played = look_back(record, solution_of, near_tie=near_tie, player=player)
    found = played.review
    seats = played.seats or tuple(range(len(found.names)))  # where no person plays, everybody is looked at
    mistakes = sorted((step for seat in seats for step in found.mistakes(seat)), key=lambda step: -_loss(step))
    reasons = [
        (step, why(found.game, solution_of(found.game), step.move.state, step.move.action))
        for step in (mistakes if every_why else mistakes[:1])
    ]
    if as_json:
        print_json(
            found.game.spec,
            id=record.id,
            started=record.started,
            finished=found.finished,
            payoff_range=float(found.range),
            near_tie=float(found.near_tie),
            players=[{"name": found.names[seat]} | _sums(found, seat) for seat in range(len(found.names))],
            moves=[_move(found, step) for step in _in_order(found)],
            why=[{"number": step.number} | why_as_json(found.game, reason) for step, reason in reasons],
        )
        return
    print(f"game {record.id}: {found.game.spec}, {_minute(record.started)}")
    _print_moves(found)
    print()
    _print_sums(found, seats)
    for step, reason in reasons:
        told = f"{found.names[step.move.player]}, move {step.number} at {found.game.text(step.move.state)}"
        print()
        print_wrapped(f"{told}: {label_of(found.game, step.move.action)} gives away {number(reason.loss)}")
        print_why(found.game, reason, "played")
    if not mistakes:
        print("\nNo mistakes.")


def _loss(step: Step) -> Fraction:
    return step.decision.loss if step.decision is not None else Fraction(0)


def _in_order(found: Review) -> list[Step]:
    """Moves where they were made, those that were taken back before those that took their place."""
    return sorted((*found.undone, *found.steps), key=lambda step: (step.number, not step.undone))


def _move(found: Review, step: Step) -> dict[str, Any]:
    game, move, decision = found.game, step.move, step.decision
    row: dict[str, Any] = {
        "number": step.number,
        "player": move.player,
        "state": game.text(move.state),
        "action": game.label(move.action),
        "outcome": game.label(move.outcome),
        "forced": decision is None,
        "hinted": move.hinted,
        "undone": step.undone,
        "skill": [float(part) for part in step.skill],
        "luck": [float(part) for part in step.luck],
    }
    if decision is not None:
        row |= {
            "best": game.label(decision.best),
            "loss": float(decision.loss),
            "share": float(decision.share),
            "verdict": decision.verdict,
        }
    return row


def _sums(found: Review, seat: int) -> dict[str, Any]:
    return {
        "start": float(found.start[seat]),
        "result": float(found.result[seat]),
        "own_skill": float(found.own_skill(seat)),
        "others_skill": float(found.others_skill(seat)),
        "luck": float(found.luck(seat)),
    } | _score(found.score(seat))


def _score(score: Score) -> dict[str, Any]:
    return {
        "decisions": score.decisions,
        "mistakes": score.mistakes,
        "loss": float(score.loss),
        "accuracy": score.accuracy,
        "grade": score.grade,
    }


def _print_moves(found: Review) -> None:
    rows, styles = [], []
    alone = len(found.names) == 1
    for step in _in_order(found):
        game, move, decision = found.game, step.move, step.decision
        happened = label_of(game, move.action)
        if move.outcome is not None:
            happened += f" -> {game.label(move.outcome)}"
        marks = ["hinted"] * move.hinted + ["undone"] * step.undone
        cells = [str(step.number), *([] if alone else [found.names[move.player]]), game.text(move.state), happened]
        if decision is None:
            cells += ["", "", ", ".join(marks)]
        else:
            lost = number(decision.loss) if decision.loss else "-"
            cells += [label_of(game, decision.best), lost, ", ".join([decision.verdict, *marks])]
        cells.append(signed(step.luck[move.player]))
        rows.append(cells)
        style = STYLES.get(decision.verdict, "") if decision is not None else ""
        styles.append("dim" if step.undone else style)
    heads = ["#", *([] if alone else ["player"]), "position", "played", "best", "lost", "verdict", "luck"]
    print_rows(heads, rows, right={"#", "lost", "luck"}, styles=styles)


def _print_sums(found: Review, seats: tuple[int, ...]) -> None:
    """How the result came about, and what it says about the player."""
    alone = len(found.names) == 1
    heads = ["", "start", "own play", *([] if alone else ["others' play"]), "luck"]
    heads.append("result" if found.finished else "so far")
    rows = []
    for seat in seats:
        gifts = [] if alone else [signed(found.others_skill(seat))]
        changes = [signed(found.own_skill(seat)), *gifts, signed(found.luck(seat))]
        rows.append([found.names[seat], number(found.start[seat]), *changes, number(found.result[seat])])
    print_rows(heads, rows, right=set(heads[1:]))
    for seat in seats:
        print(f"{found.names[seat]}: {in_words(found.score(seat))}")


def in_words(score: Score) -> str:
    """Decisions, mistakes, accuracy and grade."""
    counted = f"{score.decisions} decision{'s' * (score.decisions != 1)}"
    if score.accuracy is None:
        return f"{counted} that counted"
    mistakes = f"{score.mistakes} mistake{'s' * (score.mistakes != 1)}"
    return f"{counted}, {mistakes}, accuracy {score.accuracy:.1f}, grade {score.grade}"


# ---- all games


def _review_all(records: Records, near_tie: float, player: str | None, as_json: bool, quiet: bool) -> None:
    from dicewise.play.review import Score
    from dicewise.play.trend import costly, periods, verdict

    games, left_out, _ = games_of(records, near_tie, player, quiet)
    by_game: dict[str, list[Played]] = {}
    for played in games:
        by_game.setdefault(played.review.game.spec, []).append(played)
    total = sum((played.score for played in games), Score())
    found, (positions, habits) = periods(games), costly(games)
    if as_json:
        print_json(
            None,
            games=len(games),
            left_out=left_out,
            near_tie=near_tie,
            **_score(total),
            by_game=[
                {"game": spec, "games": len(some)}
                | _score(sum((played.score for played in some), Score()))
                | {"luck": _luck(some)}
                for spec, some in by_game.items()
            ],
            trend=[_period(period) for period in found],
            verdict=verdict(found),
            positions=[_situation(situation) for situation in positions],
            habits=[_situation(situation) for situation in habits],
        )
        return
    print(f"{len(games)} game{'s' * (len(games) != 1)}: {in_words(total)}")
    if not games:
        return
    rows = []
    for spec, some in by_game.items():
        score = sum((played.score for played in some), Score())
        cells = [spec, len(some), score.decisions, score.mistakes, *_marks(score), f"{_luck(some):+.2%}"]
        rows.append([str(cell) for cell in cells])
    heads = ["game", "games", "decisions", "mistakes", "accuracy", "grade", "luck"]
    print_rows(heads, rows, right=set(heads[1:]))
    print()
    rows = []
    for period in found:
        lost, error = ("-" if part is None else f"{part:.2%}" for part in (period.loss, period.error))
        cells = [period.first[:10], period.last[:10], period.games, period.score.decisions, *_marks(period.score)]
        rows.append([*map(str, cells), lost, error])
    heads = ["from", "to", "games", "decisions", "accuracy", "grade", "lost", "error"]
    print_rows(heads, rows, right=set(heads))
    print_wrapped(verdict(found))
    _print_situations("What cost most", positions)
    _print_situations("Habits that cost most", habits)


def _luck(games: list[Played]) -> float:
    """The mean luck of a game, in payoff ranges."""
    lucks = [game.review.luck(seat) / (game.review.range or 1) for game in games for seat in game.seats]
    return float(sum(lucks) / len(lucks))


def _marks(score: Score) -> tuple[str, str]:
    return ("-", "-") if score.accuracy is None else (f"{score.accuracy:.1f}", str(score.grade))


def _period(period: Period) -> dict[str, Any]:
    return {
        "from": period.first,
        "to": period.last,
        "games": period.games,
        **_score(period.score),
        "loss_per_decision": period.loss,
        "standard_error": period.error,
    }


def _situation(situation: Situation) -> dict[str, Any]:
    return {
        "game": situation.game,
        **({"state": situation.where} if situation.where else {}),
        "played": dict(situation.chosen),
        "best": situation.best,
        "times": situation.times,
        "loss": float(situation.loss),
    }


def _print_situations(title: str, situations: list[Situation]) -> None:
    if not situations:
        return
    print(f"\n{title}")
    rows = []
    for it in situations[:ROWS]:
        chosen = ", ".join(label or "going on" for label, _ in it.chosen.most_common(3))
        where = [it.where] if it.where else []
        rows.append([it.game, *where, chosen, it.best or "going on", str(it.times), f"{float(it.loss):.2%}"])
    heads = ["game", *(["position"] if situations[0].where else []), "played", "best", "times", "lost"]
    print_rows(heads, rows, right={"times", "lost"})
    if len(situations) > ROWS:
        print(f"... and {len(situations) - ROWS} more that cost less (--json lists them)")


def _minute(moment: str) -> str:
    return f"{moment[:10]} {moment[11:16]} UTC"
