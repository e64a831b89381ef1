"""What the policy paper sees in its heatmaps, measured, and where it points to further work.

Each section is a study with small settings; the study's own command takes others.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dicewise.document import Paragraph, Section
from dicewise.games.greed import Greed
from dicewise.study.artifacts import artifacts
from dicewise.study.bands import study_bands
from dicewise.study.papers.source import Question, blocks_of, counted, holds
from dicewise.study.payoffs import payoffs
from dicewise.study.players import players
from dicewise.study.rulesets import read_rulesets
from dicewise.study.spikes import FEWEST_STATES
from dicewise.study.stop import study_stop
from dicewise.study.work import Work


def standing(game: Greed, work: Work) -> Section:
    """A Game of Chicken, and the caption of Figure 4."""
    study = study_stop(game, work)
    facts = study.facts
    against = study.table("against").columns
    first = min(against["first"])
    power, factor = facts["band_power"], facts["band_factor"]
    claims = [
        holds(
            "Standing is right only very close to the maximum, a little less close when significantly ahead",
            "very close",
            f"from {first} on against a player at 0, from {against['always'][game.max - 1]} on against one at "
            f"{game.max - 1}",
            against["first"][0] == first >= 0.9 * game.max and against["first"][0] < against["always"][game.max - 1],
            f"Never below {first}.",
        ),
        holds(
            "Balanced last turns lie on a square-root curve",
            "(M − a)^(1/2)",
            f"M − q = {factor:.3f} (M − a)^{power:.3f}",
            abs(power - 0.5) < 0.05,
            f"Fitted to {facts['band_points']} scores, {facts['band_spread']:.2f} points off (root mean square). The "
            f"normal distribution foretells the curve to {facts['theory_spread']:.2f} points with nothing fitted.",
        ),
        holds(
            "The number of dice has almost no regard to the other's score, outside 5 % of the maximum",
            "almost none",
            f"the same in {facts['same_outside_margin']:.0%}, within one die in {facts['near_outside_margin']:.1%}",
            facts["near_outside_margin"] > 0.95,
            f"Of the states in which the other has at most 95 % of the maximum, compared with the same score against "
            f"0. Within 5 % it is the same in {facts['same_within_margin']:.0%}.",
        ),
    ]
    lead = Paragraph(
        "“You should absolutely not stop rolling if you are not already very close to the max score”; the white band "
        "of balanced endgames “follows a square-root function”; otherwise one rolls “with almost no regard to the "
        "other player's score”."
    )
    blocks = [lead, *blocks_of(study, "When to stand", "leads", "band", "regard")]
    return Section(
        "policy-standing",
        "A game of chicken",
        blocks,
        claims,
        [f"dicewise study stop greed --max {game.max} --sides {game.sides}"],
    )


def oddities(game: Greed, work: Work) -> Section:
    """Bizarre artifacts, and n that jumps back and forth."""
    study = artifacts(read_rulesets(game.spec, {}), work=work)
    fft = next(row for row in study.table("programs").rows() if (row["program"], row["turn"]) == ("fft", "last"))
    jumps: dict[str, dict[str, int]] = {}
    for turn in ("last", "normal"):
        rows = [row for row in study.table("jumps").rows() if row["turn"] == turn]
        jumps[turn] = {name: sum(row[name] for row in rows) for name in ("count", "ties", "standing", "real", "fft")}
    last, normal = jumps["last"], jumps["normal"]
    claims = [
        holds(
            "The artifacts in terminal states with high n come from floating point",
            "likely",
            f"{counted(last['fft'], 'jump')} with FFT chances, {last['count'] or 'none'} in exact arithmetic",
            last["count"] == 0 < last["fft"],
            f"An FFT gives {fft['differ']:,} last turns another n. {fft['tie']:,} of them are exact ties, in which "
            f"rounding picks the winner; {fft['rounding'] + fft['mistake'] or 'none'} lose anything.",
        ),
        holds(
            "The n of normal states that jump between neighbours are in part floating-point error",
            "likely",
            f"of {counted(normal['count'], 'jump')} in exact arithmetic {normal['real']} are real and "
            f"{normal['standing']} at the border of standing",
            normal["fft"] > normal["count"],
            f"{normal['ties']} of them: exact ties. The FFT's policy has {normal['fft']}. So it is the interaction of "
            "sides and maximum alone, the paper's other guess.",
        ),
    ]
    lead = Paragraph(
        "The paper computes chances by FFT and finds “bizarre artifacts” in last turns and numbers of dice that jump "
        "back and forth between neighbours. Its program is told again in doubles, with chances by FFT, by the closed "
        "formula and by adding dice one by one, and each policy is held against the exact one."
    )
    blocks = [lead, *blocks_of(study, "Artifacts", "programs", "jumps")]
    command = f"dicewise study artifacts greed --max {game.max} --sides {game.sides}"
    return Section("policy-oddities", "Optimal action oddities", blocks, claims, [command])


def bands(game: Greed, large: Greed, work: Work) -> Section:
    """Normal States Are Bizarre: the bands, and the two spikes."""
    study, larger = study_bands([game], work.stage(0.0, 0.3)), study_bands([large], work.stage(0.3, 1.0))
    own = {
        each.game: next(row for row in each.table("periods").rows() if row["profile"] == "own")
        for each in (study, larger)
    }
    row, other = own[study.game], own[larger.game]
    spikes = [row for row in study.table("spikes").rows() if row["kind"] == "ahead" and row["states"] >= FEWEST_STATES]
    fitting = [each["at"] for each in spikes if all(_explanation(each).values())]
    claims = [
        holds(
            "The bands of better payoffs are as far apart as the dice have sides",
            f"s = {game.sides}",
            f"{row['period']:.2f} points",
            abs(row["period"] - game.sides) < 0.05 * game.sides,
            f"The best number of dice changes every {row['spacing']:.2f} points; where it fits the aim explains "
            f"{row['by_dice']:.0%} of the bands, a period of {game.sides} {row['by_face']:.1%}. Likewise for "
            f"({large.max}, {large.sides}): {other['period']:.2f} points, {other['by_dice']:.0%} against "
            f"{other['by_face']:.1%}.",
        ),
        holds(
            "Two spikes in which the player who is ahead is worse off",
            "2",
            str(len(spikes)),
            len(spikes) == 2,
            f"Connected regions of {FEWEST_STATES} or more normal states: "
            + "; ".join(
                f"{each['states']} states, deepest at {each['at']} ({each['edge']:+.4f})" for each in spikes
            ).replace("-", "\N{MINUS SIGN}")
            + ".",
        ),
        holds(
            "The spikes: one cannot stand, so one rolls once and stands next, and the other rolls more often",
            "likely, at both",
            f"at {len(fitting)} of {len(spikes)}: {', '.join(fitting) or 'none'}",
            len(fitting) == len(spikes),
            "In the deepest state of each: " + "; ".join(map(_explained, spikes)) + ".",
        ),
    ]
    lead = Paragraph(
        "The paper sees bands “exactly the width as the number of sides”, and two “spikes” near the maximum where the "
        f"player who is ahead is worse off. Both were measured, for ({game.max}, {game.sides}) and for ({large.max}, "
        f"{large.sides})."
    )
    blocks = [
        lead,
        *blocks_of(study, "Bands and spikes", "periods", "spikes"),
        *blocks_of(larger, f"Bands and spikes, ({large.max}, {large.sides})", "periods", findings=False),
    ]
    commands = [f"dicewise study bands greed --max {each.max} --sides {each.sides}" for each in (game, large)]
    return Section("policy-bands", "Normal states are bizarre", blocks, claims, commands)


def _explanation(spike: dict[str, Any]) -> dict[str, bool]:
    """The parts of the paper's explanation, and whether each is so in the deepest state of a spike."""
    # rolls are counted where the first one does not bust: it is taken off there, and both sides are scaled alike
    return {
        "a stand loses": spike["stand"] < 0,
        "the other's reply to it is one die": spike["reply"] == 1,
        "rolling one die is best": spike["dice"] == 1,
        "standing is likelier next than rolling": spike["stands_next"] > spike["rolls_next"],
        "the other rolls more often": spike["other_rolls"] > spike["own_rolls"] - spike["bust"],
    }


def _explained(spike: dict[str, Any]) -> str:
    missing = [part for part, so in _explanation(spike).items() if not so]
    return f"at {spike['at']} " + (f"it is not so that {', nor that '.join(missing)}" if missing else "all of it is so")


# ---- future work


def more_players(work: Work) -> tuple[Section, Question]:
    """Extensions to multiplayer variants."""
    given = {"max": "12", "sides": "6", "players": "2:4"}
    study = players(read_rulesets("greed", given), work=work)
    rows = list(study.table("rulesets").rows())
    shares = "; ".join(f"{row['players']} players: {row['first']:.3f} against {row['fair']:.3f}" for row in rows)
    command = "dicewise study players greed --max 12 --players 2:4"
    question = Question(
        "How do multiplayer variants play?",
        f"With our rules for more players (one last turn each after a stand) and maximum 12 the first player's share "
        f"is: {shares}. The more players, the closer to the maximum one must be to stand.",
        command,
    )
    return Section(
        "policy-players", "More players", blocks_of(study, "Players", "rulesets", "seats"), (), [command]
    ), question


def other_payoffs(game: Greed, work: Work) -> tuple[Section, Question]:
    """The impact of different scoring rules."""
    study = payoffs(game, work=work)
    rows = {str(row["ties"]): row for row in study.table("ties").rows()}
    ends = [
        rows[min(rows, key=lambda tie: float(Fraction(tie)))],
        rows[max(rows, key=lambda tie: float(Fraction(tie)))],
    ]
    command = f"dicewise study payoffs greed --max {game.max} --sides {game.sides}"
    states = (game.max + 1) ** 2
    question = Question(
        "What do other scoring rules change?",
        f"When a tie counts as a loss, the ordinary number of dice is no longer best in {ends[0]['changed']:,} of "
        f"{states:,} normal states; when it counts as a win, in {ends[1]['changed']:,}.",
        command,
    )
    return Section("policy-payoffs", "Other payoffs", blocks_of(study, "Payoffs", "ties"), (), [command]), question
