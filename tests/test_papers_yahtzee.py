"""Yahtzee in the papers' report: counts made again by listing, values by the rules alone, verdicts that can change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest

from dicewise import Yahtzee, solve
from dicewise.chart import Chart, Plane
from dicewise.cli import main
from dicewise.document import Paragraph, Picture, Points, Section
from dicewise.games.yahtzee import Keep, Position
from dicewise.games.yahtzee._layout import layout
from dicewise.games.yahtzee.bellman import _fall, _parts, _scored
from dicewise.games.yahtzee.solution import YahtzeeSolution
from dicewise.study.papers import notes, notes_yahtzee, notes_yahtzee_play
from dicewise.study.papers.notes_yahtzee import anchors, component, sample_card, solved
from dicewise.study.papers.notes_yahtzee_play import ASKED, conventions, final_scores, one_pair_as_two, questions
from dicewise.study.work import Work
from test_papers import claims_of, rows_of, verdicts

SMALL = Yahtzee(boxes=("ones", "twos", "yahtzee"), dice=3)


@pytest.fixture(scope="module")
def official() -> YahtzeeSolution:
    solution = solved(Yahtzee())
    solution.find_details()
    return solution


@pytest.fixture(scope="module")
def counted(official: YahtzeeSolution) -> Section:
    return anchors(official)


def worth_by_rules(game: Yahtzee) -> Callable[[Position], float]:
    """What is still to come by the best play, from nothing but the contract of the rules."""

    @cache
    def worth(state: Position) -> float:
        return max((of(state, action) for action in game.actions(state)), default=0.0)

    def of(state: Position, action: Keep | str) -> float:
        if isinstance(action, Keep):  # all rolls lead to the same positions from there
            return kept(state._replace(dice=()), action)
        return sum(
            chance * (game.reward(state, action, outcome) + worth(after))
            for outcome, chance, after in chances(state, action)
        )

    def chances(state: Position, action: Keep | str) -> Iterator[tuple[object, float, Position]]:
        steps = game.step(state, action)
        total = sum(weight for _, weight, _ in steps)
        return ((outcome, weight / total, after) for outcome, weight, after in steps)

    @cache
    def kept(state: Position, keep: Keep) -> float:
        shown = state._replace(dice=(*keep, *[1] * (game.dice - len(keep))))
        return sum(chance * worth(after) for _, chance, after in chances(shown, keep))

    return worth


# ---- counts


def test_rolls_and_keeps_listed() -> None:
    rolls = {tuple(sorted(dice)) for dice in product(range(6), repeat=5)}
    keeps = {part for roll in rolls for size in range(6) for part in combinations(roll, size)}
    steps = [nodes for _, nodes in component(Yahtzee())]
    assert steps == [1, len(rolls), len(keeps), len(rolls), len(keeps), len(rolls)]


@pytest.mark.parametrize("rerolls", [0, 1, 2])
def test_a_component_is_a_turn_of_the_rules(rerolls: int) -> None:
    """Nodes are positions, and what is kept of them: all dice, too, which the rules call scoring."""
    game = Yahtzee(boxes=("ones", "chance"), dice=2, sides=3, rerolls=rerolls)
    seen: set[object] = set()
    waiting = [game.start()]
    while waiting:
        state = waiting.pop()
        if state.used or state in seen:
            continue
        seen.add(state)
        if state.rerolls:
            seen.add((state.rerolls, state.dice))
        for action in game.actions(state):
            if isinstance(action, Keep):
                seen.add((state.rerolls, tuple(action)))
            waiting += [after for _, _, after in game.step(state, action)]
    assert sum(nodes for _, nodes in component(game)) == len(seen)


def test_anchors_listed(counted: Section, official: YahtzeeSolution) -> None:
    by_boxes = []
    for size in range(7):
        totals = [
            {
                min(sum(face * n for face, n in zip(faces, dice, strict=True)), 63)
                for dice in product(range(6), repeat=size)
            }
            for faces in combinations(range(1, 7), size)
        ]
        by_boxes.append([str(size), str(len(totals)), f"{64 * len(totals):,}", f"{sum(map(len, totals)):,}"])
    rows = rows_of(counted).rows
    assert rows[:7] == by_boxes
    assert rows[7] == ["all", "64", "4,096", "2,794"]
    assert rows[8] == ["× 2^6 · 3", "", f"{2**12 * 64 * 3:,}", f"{official.report.states:,}"]


def test_what_the_notes_count(counted: Section) -> None:
    assert verdicts(counted) == ["agrees", "agrees", "agrees", "agrees", "differs", "corrected", "agrees"]
    claims = list(claims_of(counted).values())
    each = 1 + 3 * 252 + 2 * 462
    full = 64 * 2  # cards that are full: with each total, and the Yahtzee box at 0 or 50
    assert claims[0].ours == "786,432 counted so; 536,448 can come up"
    assert claims[1].ours == f"{7**6 * 28**3 * 3**4 / 1e9:.0f} billion such cards"
    assert claims[4].ours == (
        f"{786_432 * each / 1e9:.2f} billion; {(536_448 - full) * each / 1e9:.2f} billion that can come up"
    )
    assert f"{786_432 * each:,}" in claims[4].why
    assert f"Only {536_448 - full:,} anchors" in claims[4].why
    assert claims[5].ours == f"1.6 s; 1.6 billion seconds are {1.6e9 / 3600 / 24 / 365.25:.0f} years"
    assert 0 < float(claims[6].ours.removesuffix(" s")) < 90
    assert "Measured while this page was written" in claims[6].why


def test_verdicts_on_counts_are_found(official: YahtzeeSolution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes_yahtzee, "NODES", 1.3e9)
    assert verdicts(anchors(official))[4:6] == ["agrees", "differs"]  # and that is 41 years
    monkeypatch.setattr(notes_yahtzee, "NODES", 1.6e9)
    monkeypatch.setattr(notes_yahtzee, "SPEED", 1.0)
    assert verdicts(anchors(official))[5] == "differs"
    small = solved(SMALL)
    assert verdicts(anchors(small))[:5] == ["differs"] * 5


def test_the_drawn_graph_has_its_anchors(counted: Section) -> None:
    game = notes_yahtzee.DRAWN
    (picture,) = (block for block in counted.blocks if isinstance(block, Picture))
    assert game.spec in picture.caption
    worth = worth_by_rules(game)
    solution = solve(game)
    states = [game.start(), *(game.parse(f"{word}=x") for word in game.words)]
    assert [float(solution.value(state)) for state in states] == pytest.approx([worth(state) for state in states])
    assert [worth(state) for state in states] == [2.75, 1.75, 0.75]


# ---- the sample card


def test_the_sample_card(official: YahtzeeSolution) -> None:
    section = sample_card(official)
    (claim,) = claims_of(section).values()
    assert (claim.theirs, claim.ours, claim.verdict) == ("15", "0 or 40", "corrected")
    assert [row[0] for row in rows_of(section).rows if row[3] == "impossible"] == ["large-straight"]
    assert [row[0] for row in rows_of(section).rows if row[1] == "open"] == ["chance", "yahtzee"]
    game = Yahtzee()
    typed = re.findall(r"yahtzee (.*) dice=", section.commands[0])[0]
    state = game.parse(typed)
    worth = worth_by_rules(game)
    follow = rows_of(section, 1).rows
    for (more, value, _), word in zip(follow, ("chance=x", "yahtzee=50", "yahtzee=0"), strict=True):
        assert more == f"`{word}`"
        assert float(value) == pytest.approx(worth(game.parse(f"{typed} {word}")), abs=5e-5)
    chances = [float(row[2]) for row in follow]
    assert sum(chances) == pytest.approx(1, abs=2e-4)
    (told,) = [block.text for block in section.blocks if isinstance(block, Paragraph)][1:]
    assert told.startswith(f"From the card as it stands {worth(state):.4f} points")
    assert "lacks 6 points" in told


def test_a_card_that_can_be_would_be_found(official: YahtzeeSolution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(notes_yahtzee.SAMPLE, "large-straight", 40)
    section = sample_card(official)
    assert verdicts(section) == ["differs"]
    assert all(row[3] != "impossible" for row in rows_of(section).rows)


# ---- the last slide


def test_the_questions_by_the_equations(official: YahtzeeSolution) -> None:
    """Every value once more from chances of whole rolls and from all parts of a roll, without the lattice's sweeps."""
    rules, table = layout(official.game), official.arrays()["anchors"]
    fall, (parts, first) = _fall(rules), _parts(rules)
    rolls = list(combinations_with_replacement(range(1, 7), 5))
    section, answers = questions(official)
    assert len(answers) == len(ASKED) == 2
    for number, asked in enumerate(ASKED):
        table_of = rows_of(section, number)
        for card, row in zip(asked.cards, table_of.rows, strict=True):
            state = official.game.parse(f"{card.typed} {asked.dice}")
            flag = int(state.extra)
            ended = _scored(rules, table, state.used, flag, np.array([state.upper]))[:, 0]
            once = np.maximum(ended, np.maximum.reduceat((fall @ ended)[parts], first))
            found = []
            for _, action in asked.between:
                if isinstance(action, Keep):
                    node = rules.nodes.number(official.game.counts(action))
                    found.append(float(fall[node] @ once))
                else:
                    at = official.game.words.index(action)
                    after = Position(
                        state.used | 1 << at,
                        min(state.upper + (24 if action == "sixes" else 0), 63),
                        state.extra,
                    )
                    paid = official.game.gain(state, at)
                    row_in_table = after.used * rules.flags + flag
                    earned = rules.bonus if after.upper >= rules.limit else 0
                    found.append(paid + float(table[row_in_table, after.upper]) - earned)
            assert [float(cell) for cell in row[1:3]] == pytest.approx(found, abs=5e-5)
            better, gap = asked.between[int(np.argmax(found))][0], abs(found[0] - found[1])
            assert row[3] == f"{better}, by {gap:.4f}"
            assert f"{card.words.capitalize()}: {better}, by {gap:.3f} points." in answers[number].answer
            if not state.rerolls:
                assert max(found) == pytest.approx(ended[rolls.index(state.dice)])


def test_the_questions_by_the_rules(official: YahtzeeSolution) -> None:
    """The cards with few boxes left, by the rules alone."""
    worth = worth_by_rules(official.game)
    section, _ = questions(official)
    for number, asked in enumerate(ASKED):
        row = rows_of(section, number).rows[-1]
        state = official.game.parse(f"{asked.cards[-1].typed} {asked.dice}")
        assert max(float(cell) for cell in row[1:3]) == pytest.approx(worth(state), abs=5e-5)


def test_the_answers_depend_on_the_card(official: YahtzeeSolution) -> None:
    """What the documentation says of the same cards."""
    section, answers = questions(official)
    first, second = (rows_of(section, number).rows for number in range(2))
    assert [row[3].partition(",")[0] for row in first] == ["111", "full house", "full house", "full house"]
    assert [row[3].partition(",")[0] for row in second] == ["sixes", "four of a kind", "sixes"]
    assert [row[1:3] for row in first[:2]] == [["253.9092", "254.9945"], ["242.3707", "238.8475"]]
    assert [row[1:3] for row in second[:2]] == [["262.5385", "268.2318"], ["171.1825", "165.7366"]]
    reasons = [block.items for block in section.blocks if isinstance(block, Points)]
    assert [len(items) for items in reasons] == [4, 3]
    assert answers[0].command == "dicewise advise yahtzee dice=11122 rerolls=2"
    assert answers[1].command == "dicewise advise yahtzee dice=36666 rerolls=0"
    needed = {"four-of-a-kind", "large-straight", "full-house"}  # open in all cards of the first question
    for card in ASKED[0].cards:
        used = official.game.parse(card.typed).used
        assert not any(used >> official.game.words.index(word) & 1 for word in needed)


# ---- what a game is worth


def test_conventions() -> None:
    section = conventions(Work())
    values = {row[0]: row[1:3] for row in rows_of(section).rows}
    assert values == {  # three independent programs
        "official": ["254.58772873", "536,448"],
        "free-joker": ["254.58960948", "536,448"],
        "no-bonus": ["245.87077451", "357,632"],
        "yatzy": ["248.43998938", "1,430,528"],
    }
    claims = claims_of(section)
    assert [claim.verdict for claim in claims.values()] == ["agrees", "agrees", "corrected"]
    assert "248.6329" in claims["The mean of the best play of Scandinavian Yatzy"].why


def test_another_published_number_would_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes_yahtzee_play, "PUBLISHED", {"free-joker": ("254.59", "a"), "no-bonus": ("245.88", "b")})
    monkeypatch.setattr(notes_yahtzee_play, "YATZY", ("248.64", "c"))
    assert verdicts(conventions(Work())) == ["agrees", "differs", "differs"]


def test_one_pair_as_two() -> None:
    """Three dice never show two pairs: a box that takes one pair instead is a second box for one pair."""
    game = Yahtzee("yatzy", boxes=("one-pair", "two-pairs"), dice=3, sides=2)
    alone = Yahtzee("yatzy", boxes=("one-pair",), dice=3, sides=2)
    value = float(solve(alone, using="rules", exact=True).value(alone.start()))
    assert one_pair_as_two(game) == pytest.approx(2 * value)


# ---- how games end


def test_final_scores() -> None:
    section = final_scores(SMALL, Work(), (4, 8))
    (picture,) = (block for block in section.blocks if isinstance(block, Picture))
    chart = picture.content
    assert isinstance(chart, Chart)
    assert picture.words
    assert SMALL.spec in picture.caption
    first, second = (panel for panel in chart.panels if isinstance(panel, Plane))
    assert (first.x, first.y) == ("final score", "chance")
    assert second.y == "chance of so many points or more"
    mean = float(solve(SMALL, using="rules").value(SMALL.start()))
    players = rows_of(section).rows
    assert players[0][:2] == ["mean", f"{mean:.4f}"]
    for row, target in zip(rows_of(section, 1).rows, (4, 8), strict=True):
        aimed = Yahtzee(boxes=SMALL.boxes, dice=3, aim=f"reach:{target}")
        best = float(solve(aimed, using="rules").value(aimed.start()))
        assert row[0] == str(target)
        assert float(row[2]) == pytest.approx(best, abs=1e-6)
        assert float(row[1]) == pytest.approx(sum(_at_least(target)), abs=1e-6)
        assert float(row[3]) == pytest.approx(float(row[2]) - float(row[1]), abs=2e-6)
    assert section.commands[0] == f"dicewise study scores '{SMALL.spec}'"


def _at_least(target: int) -> list[float]:
    """The chances of final scores that reach a target, by the best play for the mean, followed position by position."""
    solution = solve(SMALL)
    flow = {(SMALL.start()._replace(scores=None), 0): 1.0}
    ended: dict[int, float] = {}
    while flow:
        onward: dict[tuple[Position, int], float] = {}
        for (state, made), chance in flow.items():
            if not SMALL.actions(state):
                ended[made] = ended.get(made, 0.0) + chance
                continue
            action = solution.action(state)
            steps = SMALL.step(state, action)
            total = sum(weight for _, weight, _ in steps)
            for outcome, weight, after in steps:
                key = after, made + SMALL.reward(state, action, outcome)
                onward[key] = onward.get(key, 0.0) + chance * weight / total
        flow = onward
    return [chance for made, chance in ended.items() if made >= target]


# ---- the chapter


def test_the_chapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes_yahtzee, "final_scores", lambda game, work: final_scores(SMALL, work, (8,)))
    chapter = notes.write(Work())
    *_, section, owls = chapter.section.sections
    assert owls.name == "notes-owls"
    names = ["notes-anchors", "notes-card", "notes-questions", "notes-conventions", "notes-scores"]
    assert [part.name for part in section.sections] == names
    assert all(part.commands for part in section.sections)
    assert [question.text for question in chapter.questions][: len(ASKED)] == [asked.text for asked in ASKED]
    assert notes.SOURCE.errata == notes_yahtzee.ERRATA
    (claim,) = claims_of(section.sections[1]).values()
    assert [(each.printed.partition(" ")[0], each.right) for each in notes_yahtzee.ERRATA[1:]] == [("15", claim.ours)]


def test_the_commands_can_be_typed(
    official: YahtzeeSolution,
    counted: Section,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All but certificates, targets and distributions, which take longer."""
    monkeypatch.chdir(tmp_path)
    asked, _ = questions(official)
    typed = [*counted.commands, *sample_card(official).commands, *asked.commands]
    quick = [command for command in typed if command.split()[1] in ("advise", "plot", "solve")]
    assert len(quick) == len(typed) - 1
    for command in quick:
        assert main([*command.split()[1:], "--quiet"]) == 0
    assert (tmp_path / "turn.svg").stat().st_size
    printed = capsys.readouterr().out
    shown = {f"{float(number):.4f}" for number in re.findall(r"\d+\.\d{6}", printed)}
    assert {max(row[1:3], key=float) for number in range(2) for row in rows_of(asked, number).rows} <= shown
