"""Greed with three and more players: who is favoured by seat, and how standing changes.

With more than two players the best score shares one pot, after a stand everybody else has one last turn, and whoever
busts is out. Two players are put on the same scale: what they expect of win 1, tie 0, lose -1 is read as a share of the
pot, (1 + v) / 2. The fair share is one part in as many as there are players.

Each plays for itself. Where several numbers of dice are equally good for the mover the smallest is played; the whole is
solved once more with the largest, to see whether that rule matters. All maxima up to the one that is given are read off
one table (`boards`), as far as the start is concerned.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dicewise._version import __version__
from dicewise.chart import Chart, Mark, Panel, Plane, Series
from dicewise.errors import InputError
from dicewise.games.greed import Greed
from dicewise.study.boards import read_greed, spread
from dicewise.study.many import check_size, solve_many
from dicewise.study.result import Study, Table
from dicewise.study.rulesets import Rulesets
from dicewise.study.work import Work

EVEN = 1e-12
"""Differences from the fair share up to this are rounding."""


def players(rulesets: Rulesets, *, work: Work | None = None) -> Study:
    """The shares of all seats, in every ruleset."""
    work = work or Work()
    games = [_checked(game) for game in rulesets.games]
    found = work.map(solve_seats, [game.spec for game in games], f"solving {len(games)} rulesets")
    seats, standing = _seats(games, found), _standing(games, found)
    tables = [_summary(games, found), seats, standing]
    findings = _findings(games, found)
    return Study("players", rulesets.text, tables, findings, _chart(rulesets, games, found, findings))


def _checked(game: Any) -> Greed:
    if not isinstance(game, Greed):
        raise InputError(f"study players is about greed, not {game.name}; write 'study players greed'")
    if game.win == game.lose or not game.constant_sum:
        raise InputError(
            f"study players counts shares of one pot, in which a tie is half a win; {game.spec} pays otherwise: "
            "leave out --win, --tie and --lose"
        )
    check_size(game)
    return game


def solve_seats(spec: str) -> dict[str, Any]:
    """One ruleset: the shares by seat at the start of every maximum up to its own, and the dice of level players."""
    game = read_greed(spec)
    found = solve_many(game)
    other = solve_many(game, largest=True)
    tops = range(1, game.max + 1)
    against_0 = [int(found.dice[(score, *found.level(0)[1:])]) for score in range(game.max + 1)]
    return {
        "shares": [found.start(top).tolist() for top in tops],
        "largest": other.start().tolist(),
        "opening": int(found.dice[found.level(0)]),
        "level": [int(found.dice[found.level(score)]) for score in range(game.max + 1)],
        "against_0": against_0,
        "undecided": found.undecided,
    }


def stands_from(dice: Sequence[int]) -> int | None:
    """The least score from which on no dice are rolled; None if not even at the maximum."""
    rolls = [score for score, n in enumerate(dice) if n]
    first = rolls[-1] + 1 if rolls else 0
    return first if first < len(dice) else None


# ---- tables


def _named(game: Greed) -> dict[str, Any]:
    return {"max": game.max, **({"die": game.die} if game.die else {"sides": game.sides}), "players": game.players}


def _columns(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _summary(games: Sequence[Greed], found: Sequence[dict[str, Any]]) -> Table:
    rows = []
    for game, answer in zip(games, found, strict=True):
        shares = answer["shares"][-1]
        best = int(np.argmax(shares))
        even = max(shares) - min(shares) <= EVEN
        rows.append(
            _named(game)
            | {"fair": 1 / game.players, "first": shares[0], "last": shares[-1]}
            | {"favoured": "nobody" if even else f"seat {best + 1}", "opening": answer["opening"]}
            | {"stands": stands_from(answer["level"]), "against_0": stands_from(answer["against_0"])}
            | {"undecided": answer["undecided"], "rule_matters": _apart(answer) > EVEN}
        )
    columns = _columns(rows)
    shown = {name: "{}" for name in columns if name in ("max", "sides", "die", "players")}
    shown |= {"fair": "{:.4f}", "first": "{:.6f}", "last": "{:.6f}", "opening": "{}"}
    shown |= {"stands": "{}", "against_0": "{}"}
    title = "shares of the pot; the score from which on a level mover stands, and against 0"
    return Table("rulesets", title, columns, shown, None if len(rows) <= 20 else spread(range(len(rows)), 20))


def _apart(answer: dict[str, Any]) -> float:
    """By how much the rule for ties changes somebody's share."""
    return float(np.abs(np.subtract(answer["shares"][-1], answer["largest"])).max())


def _seats(games: Sequence[Greed], found: Sequence[dict[str, Any]]) -> Table:
    rows = [
        _named(game)
        | {"seat": seat + 1, "share": share, "against_fair": share - 1 / game.players}
        | {"share_other_rule": answer["largest"][seat]}
        for game, answer in zip(games, found, strict=True)
        for seat, share in enumerate(answer["shares"][-1])
    ]
    columns = _columns(rows)
    shown = {name: "{}" for name in columns if name in ("max", "sides", "die", "players", "seat")}
    shown |= {"share": "{:.6f}", "against_fair": "{:+.6f}", "share_other_rule": "{:.6f}"}
    return Table("seats", "by seat", columns, shown, None if len(rows) <= 14 else spread(range(len(rows)), 14))


def _standing(games: Sequence[Greed], found: Sequence[dict[str, Any]]) -> Table:
    rows = [
        _named(game) | {"score": score, "dice_level": level, "dice_against_0": answer["against_0"][score]}
        for game, answer in zip(games, found, strict=True)
        for score, level in enumerate(answer["level"])
    ]
    columns = _columns(rows)
    # only what is near the end is worth printing: there the number of players matters
    brief = [at for at, row in enumerate(rows) if row["score"] > row["max"] - 4] if len(games) <= 4 else []
    shown = dict.fromkeys(columns, "{}")
    return Table("dice", "best dice of a mover who is level, and against others at 0", columns, shown, brief)


# ---- words and picture


def _findings(games: Sequence[Greed], found: Sequence[dict[str, Any]]) -> list[str]:
    said = []
    for game, answer in list(zip(games, found, strict=True))[:8]:
        shares = answer["shares"][-1]
        order = ", ".join(f"{share:.4f}" for share in shares)
        falls = all(a >= b for a, b in pairwise(shares))
        said.append(
            f"{game.spec}: the seats get {order} (fair: {1 / game.players:.4f})"
            + (", the earlier the better." if falls and shares[0] - shares[-1] > EVEN else ".")
        )
    if len(games) > 8:
        firsts = sum(
            answer["shares"][-1][0] > 1 / game.players + EVEN for game, answer in zip(games, found, strict=True)
        )
        said.append(f"In {firsts} of {len(games)} rulesets the first player gets more than a fair share.")
    stands = [stands_from(answer["level"]) for answer in found]
    if len(games) > 1 and len({(game.max, game.sides, game.die) for game in games}) == 1:
        words = ", ".join(
            f"from {score} on with {game.players}"
            for game, score in zip(games, stands, strict=True)
            if score is not None
        )
        said.append(f"A mover who is level with everybody stands {words} players (max {games[0].max}).")
    undecided = sum(answer["undecided"] for answer in found)
    most = max(_apart(answer) for answer in found)
    said.append(
        f"In {undecided:,} states equally good numbers of dice give the others different shares, so that the rule for "
        "ties (here the smallest number) decides; "
        + (f"with the largest a share at the start differs by {most:.2g}." if most > EVEN else "no start is changed.")
    )
    return said


def _chart(
    rulesets: Rulesets, games: Sequence[Greed], found: Sequence[dict[str, Any]], findings: Sequence[str]
) -> Chart:
    panels: list[Panel] = []
    few = spread(range(len(games)), 4)
    for at in few[-2:]:
        game, answer = games[at], found[at]
        tops = list(range(1, game.max + 1))
        lines = [
            Series(f"seat {seat + 1}", tops, [shares[seat] for shares in answer["shares"]])
            for seat in range(game.players)
        ]
        kind = f"die {game.die}" if game.die else f"{game.sides} sides"
        title = f"{game.players} players, {kind}: shares by maximum"
        panels.append(Plane(title, "max", "share of the pot", lines, [Mark("fair", 1 / game.players)]))
    bars = [
        Series(_label(games[at]), list(range(1, games[at].players + 1)), _more(games[at], found[at]), "bars")
        for at in few
    ]
    panels.append(Plane("By seat", "seat", "share less the fair share", bars, [Mark("", 0.0)]))
    lines = [Series(_label(games[at]), list(range(games[at].max + 1)), found[at]["level"], "steps") for at in few]
    panels.append(Plane("All level: the best number of dice", "score of everybody", "dice", lines))
    caption = [rulesets.text, "Each plays for itself; of equally good numbers of dice the smallest is played."]
    return Chart("Greed by the number of players", panels, [*caption, f"dicewise {__version__}"], " ".join(findings))


def _label(game: Greed) -> str:
    return f"{game.players} players, max {game.max}"


def _more(game: Greed, answer: dict[str, Any]) -> list[float]:
    return [share - 1 / game.players for share in answer["shares"][-1]]
