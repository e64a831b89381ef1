"""The readme of the policy paper's program, github.com/approximately-equal/greed: an example game and two findings."""

from __future__ import annotations

from fractions import Fraction

from dicewise._version import __version__
from dicewise.chance import Lottery, die, total_of
from dicewise.chart import Chart, Mark, Plane, Series
from dicewise.document import Block, Paragraph, Picture, Rows, Section
from dicewise.engine.solve import solve
from dicewise.games.greed import Greed
from dicewise.games.greed.solution import GreedSolution
from dicewise.study.papers.source import Chapter, Erratum, Source, holds, signed
from dicewise.study.work import Work

GAME = Greed()
PLAYERS = ("Alice", "Bliar")
MOVES = ((25, 74), (25, 89), (5, 90), (2, 95), (3, 100), (2, 104))
"""The readme's game: dice rolled and the score after it, by turns."""
SHARE = 1 / 3
"""A chance that we call significant."""
LEADS = (5, 10, 20, 40)


def write(work: Work) -> Chapter:
    work.tell(0.2, "reviewing the readme's game")
    solution = solve(GAME)
    assert isinstance(solution, GreedSolution)
    lead = Paragraph(
        "The program solves and plays Greed. Its readme shows a game between two people and names two findings."
    )
    return Chapter(Section(SOURCE.name, SOURCE.title, [lead], sections=[_game(solution), _findings(solution)]))


def _game(solution: GreedSolution) -> Section:
    """Skill is what an action gives away, luck is what the dice do: together they lead from the start to the end."""
    scores = [0, 0]
    rows = []
    sums = [0.0, 0.0]
    told = float(solution.value(GAME.start()))  # to Alice
    for number, (n, score) in enumerate(MOVES):
        mover = number % 2
        state = GAME.at(scores[mover], scores[1 - mover])
        worth, after = float(solution.value(state)), float(solution.after(state, n)[0])
        scores[mover] = score
        bust = score > GAME.max
        then = float(GAME.lose) if bust else -float(solution.value(GAME.at(scores[1 - mover], scores[mover])))
        sums[mover] += after - worth
        told += (then - worth) * (1 if mover == 0 else -1)
        best = solution.action(state)
        lost = worth - after if n != best else 0.0
        luck = then - after
        position = f"({state.scores[0]}, {state.scores[1]})"
        shown = f"{signed(lost, '{:.4f}')}" if lost else "−"
        rows.append(
            [
                PLAYERS[mover],
                position,
                str(n),
                str(best),
                shown,
                f"{score}{' (bust)' if bust else ''}",
                signed(luck, "{:+.4f}"),
            ]
        )
    heads = ("player", "state", "rolled", "best", "gives away", "score then", "luck")
    most = max(rows, key=lambda row: float(row[4].replace("−", "0")))
    blocks: list[Block] = [
        Rows("The readme's game, turn by turn", heads, rows, ("rolled", "best", "gives away", "luck")),
        Paragraph(
            f"Payoffs are to the player to move. {PLAYERS[0]} gives away {-sums[0]:.4f} in all and {PLAYERS[1]} "
            f"{-sums[1]:.4f}; the dearest move is {most[2]} dice at {most[1]}, where {most[3]} is best. "
            f"{PLAYERS[0]} wins because {PLAYERS[1]} busts. Value of the start, skill and luck of both add up to "
            f"{signed(told, '{:.0f}')}, the payoff of a win."
        ),
        Paragraph(_faces()),
    ]
    moves = " ".join(str(n) for n, _ in MOVES)
    claim = holds(
        "The game follows the rules",
        "a win for Alice",
        f"payoff {signed(told, '{:.0f}')}",
        round(told, 9) == 1 and _chance(GAME.dice) > 0,
        f"Rolls of {moves} dice; all totals are possible.",
    )
    return Section("readme-game", "The example game", blocks, [claim], ["dicewise advise greed 90 95"])


def _chance(dice: Lottery[int]) -> Fraction:
    """Of all totals of the game, with such dice."""
    product, scores = Fraction(1), [0, 0]
    for number, (n, score) in enumerate(MOVES):
        product *= total_of(n, dice).probability(score - scores[number % 2])
        scores[number % 2] = score
    return product


def _faces() -> str:
    """The program draws faces from 1 to s - 1: do the totals show it?"""

    ratio = float(_chance(die(GAME.sides - 1)) / _chance(GAME.dice))
    favours = "1 to 5" if ratio > 1 else "1 to 6"
    return (
        "The program draws faces from 1 to s − 1, so that nobody ever rolled a six in it. The totals of this game "
        f"alone do not settle it: they are {max(ratio, 1 / ratio):.2g} times as likely with faces {favours} as with "
        "the other."
    )


def _findings(solution: GreedSolution) -> Section:
    start = GAME.start()
    value, chances = float(solution.value(start)), solution.chances(start)
    scores = range(60, GAME.max + 1)
    caught = {lead: [solution.chances(GAME.at(score - lead, score, last=True)) for score in scores] for lead in LEADS}
    series = [Series(f"ahead by {lead}", list(scores), [chance.win for chance in row]) for lead, row in caught.items()]
    chart = Chart(
        "How safe standing is",
        [Plane("", "score at which one stands", "chance that the other player wins", series, [Mark("one half", 0.5)])],
        [GAME.spec, "the other player rolls the best number of dice", f"dicewise {__version__}"],
        "Curves that stay near 1 up to a score of about 80 and fall steeply to about 0.1 at 100, the lower the larger "
        "the lead.",
    )
    at = scores.index(90)
    eased = min(caught[lead][at].win for lead in LEADS)
    rows = [
        [str(score), *(f"{caught[lead][scores.index(score)].win:.1%}" for lead in LEADS)]
        for score in (70, 80, 85, 90, 95, 98, 100)
    ]
    heads = ("stand at", *(f"ahead by {lead}" for lead in LEADS))
    claims = [
        holds(
            "No player has a significant advantage at the start",
            "roughly equal chances",
            f"win {chances.win:.1%}, tie {chances.tie:.1%}, lose {chances.lose:.1%}",
            abs(value) < 0.05,
            f"The payoff of going first is {value:.6f}.",
        ),
        holds(
            "Stopping before about 80 to 90 is risky, even when ahead",
            "a significant chance to be caught",
            f"at 90 the other wins {eased:.0%} or more",
            eased > SHARE,
            f"Even {LEADS[-1]} points behind; at 80 it is "
            f"{min(caught[lead][scores.index(80)].win for lead in LEADS):.0%}.",
        ),
    ]
    blocks: list[Block] = [
        Picture(
            "Standing", "The chance that the other player wins the last turn, by score and lead.", chart, chart.words
        ),
        Rows("Chance that the other player wins after a stand", heads, rows, heads),
    ]
    return Section(
        "readme-findings", "Key findings", blocks, claims, ["dicewise solve greed", "dicewise advise greed 50 90 last"]
    )


SOURCE = Source(
    "readme",
    "solver's readme",
    "The program of the policy paper: readme",
    write,
    share=1.0,
    errata=(
        Erratum(
            "the program",
            "draws faces from 1 to s − 1",
            "from 1 to s; as it is, nobody ever rolled a six in it",
        ),
    ),
)
