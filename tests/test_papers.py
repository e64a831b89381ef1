"""The papers' report: what its chapters say, found again another way; verdicts that can change; the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dicewise import Greed, HoldDice, InputError, solve
from dicewise.cli import main
from dicewise.document import Claim, Document, Listing, Paragraph, Picture, Points, Rows, Section, Shown
from dicewise.games.coin_ladder import CoinLadder
from dicewise.play.review import review
from dicewise.play.session import Session
from dicewise.plot.page import check_page, page, save_page
from dicewise.study import papers as report
from dicewise.study.papers import (
    SOURCES,
    guide,
    hold_dice,
    notes,
    notes_owls,
    papers,
    policy_paper,
    policy_studies,
    solver_readme,
    supposed,
)
from dicewise.study.papers.hold_dice_tables import AVERAGES, BATCHES, GAMMA_SCORES, GAMMAS, THETA_SCORES, THETAS
from dicewise.study.papers.source import Chapter, Source
from dicewise.study.work import Work

DOCS = Path(__file__).parents[1] / "docs"


def claims_of(section: Section) -> dict[str, Claim]:
    return {claim.text: claim for part in section.all() for claim in part.claims}


def verdicts(section: Section) -> list[str]:
    return [claim.verdict for claim in claims_of(section).values()]


def rows_of(section: Section, at: int = 0) -> Rows:
    return [block for block in section.blocks if isinstance(block, Rows)][at]


# ---- the guide


def test_going_first_in_the_guides_example() -> None:
    found = claims_of(guide._first_player(Work()))["Rating of going first with maximum 10 and three sides"]
    game = Greed(10, 3)
    value = Fraction(solve(game, using="rules", exact=True).value(game.start()))
    assert (found.theirs, found.verdict) == ("0.54", "differs")
    assert found.ours == f"{float((1 + value) / 2):.7f}" == "0.5001285"
    assert "3688/14348907" in found.why


def test_totals_of_the_guide() -> None:
    section = guide._totals(Work())
    assert verdicts(section) == ["agrees", "agrees", "corrected", "corrected"]
    totals = sum(n * sides - n + 1 for n in range(1, guide.MOST_DICE + 1) for sides in range(2, guide.MOST_SIDES + 1))
    assert f"{totals:,}" in claims_of(section)["Theorem 1: the pmf of the total of n dice"].ours
    for row, n in zip(rows_of(section).rows, (2, 3, 4), strict=True):
        sums = [sum(dice) for dice in product(range(1, 7), repeat=n)]
        mean = Fraction(sum(sums), len(sums))
        assert row[2:4] == [str(mean), str(Fraction(sum(each**2 for each in sums), len(sums)) - mean**2)]
        assert row[4] == f"{max(map(sums.count, sums))}/{len(sums)}"


def test_a_wrong_theorem_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts are not written down: with another formula the same claim differs."""
    monkeypatch.setattr(guide, "totals_by_formula", lambda n, sides: guide.total_of(n, sides + 1))
    assert verdicts(guide._totals(Work())) == ["differs", "agrees", "corrected", "differs"]


def test_lemma_2_as_printed_is_no_distribution() -> None:
    assert guide._lemma_2_as_printed(7, 2, 6) == Fraction(-1, 36)


def test_the_guides_figures() -> None:
    game, solution = guide.DRAWN, solve(guide.DRAWN, exact=True)
    for last in (False, True):
        (grid,) = guide._board(last).panels
        for a, q in product(range(21), repeat=2):
            state = game.at(a, q, last=last)
            assert grid.cells[a, q] == pytest.approx(float(1 + Fraction(solution.value(state))) / 2)  # type: ignore[union-attr]
            assert grid.written[a, q] == solution.action(state)  # type: ignore[union-attr,index]
    window = guide._window(2, 6)
    best = solve(Greed(10, 3), exact=True).action(Greed(10, 3).at(2, 6, last=True))
    assert [panel.title.endswith("(best)") for panel in window.panels].index(True) == min(best, 2) - 1
    for panel in window.panels:
        assert [series.label for series in panel.series] == ["win", "tie", "lose", "bust"]  # type: ignore[union-attr]
        assert sum(y for series in panel.series for y in series.y) == pytest.approx(1)  # type: ignore[union-attr]
        for series in panel.series:  # type: ignore[union-attr]
            kinds = {"win": range(7, 11), "tie": range(6, 7), "lose": range(6), "bust": range(11, 99)}
            assert all(x in kinds[series.label] for x in series.x)


def test_the_guides_boards_are_drawn_by_their_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for section, views in (
        (guide._last_turns(), ("last-dice", "last-payoff")),
        (guide._normal_turns(), ("dice", "payoff")),
    ):
        for view, command in zip(views, section.commands, strict=False):
            assert f"--view {view} " in command
            assert main(command.split()[1:]) == 0
            assert Path(f"{view}.png").stat().st_size
    capsys.readouterr()


def test_the_example_from_2_6() -> None:
    section = guide._normal_turns()
    table = rows_of(section)
    total = sum(Fraction(row[1]) * Fraction(row[4]) for row in table.rows)
    game = Greed(10, 3)
    exact = (1 + Fraction(solve(game, exact=True).after(game.at(2, 6), 2)[0])) / 2
    assert float(total) == pytest.approx(float(exact), abs=1e-6)
    assert [row[2] for row in table.rows] == [f"(6, {score})" for score in range(4, 9)]
    assert verdicts(section) == ["corrected", "corrected"]


def test_what_is_supposed(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a small grid; the report's own is larger. The counts are those of the study."""
    monkeypatch.setattr(supposed, "GRID", {"max": "1:8", "sides": "2:4"})
    section, questions = supposed.in_guide(Work())
    assert verdicts(section) == ["agrees", "agrees", "corrected", "agrees"]
    states = sum((top + 1) ** 2 for top in range(1, 9)) * 3
    assert f"no exception in {states:,} states" in [claim.ours for claim in claims_of(section).values()]
    assert len(questions) == 2
    assert verdicts(supposed.in_policy_paper(Work())) == ["agrees", "agrees", "corrected", "corrected"]


# ---- the policy paper


def test_tied_tiles() -> None:
    section = policy_paper._tiles(Work())
    assert [row[1] for row in rows_of(section).rows] == ["0", "0", "0", "0", "−1/9"]
    assert verdicts(section) == ["corrected", "agrees"]
    game = Greed(4, 6)  # the distance to the maximum is all that matters: (96, 96) of 100 is the start of this
    assert solve(game, exact=True).value(game.start()) == Fraction(-1, 9)


def test_spikes_are_explained_only_where_all_of_it_is_so() -> None:
    """The paper's explanation fits the spike nearer to the maximum and not the other; then it does not agree."""
    section = policy_studies.bands(Greed(), Greed(60, 8), Work())
    claim = next(claim for text, claim in claims_of(section).items() if text.startswith("The spikes"))
    assert (claim.verdict, claim.ours) == ("differs", "at 1 of 2: 96 94")
    assert "at 96 94 all of it is so; at 91 89 it is not so that the other's reply to it is one die" in claim.why
    assert [claim.verdict for claim in claims_of(section).values()] == ["differs", "agrees", "differs"]


# ---- the readme


def test_an_impossible_total_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    impossible = (*solver_readme.MOVES[:-1], (2, 108))  # two dice that show 13
    monkeypatch.setattr(solver_readme, "MOVES", impossible)
    monkeypatch.setattr(solver_readme, "_faces", lambda: "")
    section = solver_readme._game(solve(solver_readme.GAME))  # type: ignore[arg-type]
    assert verdicts(section) == ["differs"]


def test_the_readmes_game_is_reviewed_as_review_does() -> None:
    session = Session(solver_readme.GAME, list(solver_readme.PLAYERS))
    scores = [0, 0]
    for number, (n, score) in enumerate(solver_readme.MOVES):
        session.push(n, score - scores[number % 2])
        scores[number % 2] = score
    steps = review(session, solve(solver_readme.GAME)).steps
    solution = solve(solver_readme.GAME)
    table = rows_of(solver_readme._game(solution))  # type: ignore[arg-type]
    assert len(steps) == len(table.rows) == 6
    for step, row in zip(steps, table.rows, strict=True):
        mover = step.move.player
        assert float(row[4].replace("−", "0")) == pytest.approx(-float(step.skill[mover]), abs=5e-5)
        assert float(row[6].replace("−", "-")) == pytest.approx(float(step.luck[mover]), abs=5e-5)


# ---- hold dice


def test_the_sources_averages_are_those_of_its_tables() -> None:
    for key, batches in BATCHES.items():
        assert sum(batches) / len(batches) == pytest.approx(float(AVERAGES[key]), abs=0.0051)
    assert len(GAMMAS) == len(GAMMA_SCORES) == 60
    assert len(THETAS) == len(THETA_SCORES) == 250
    assert (GAMMAS[-1], THETAS[-1]) == (0.998, 4.99)


def test_hold_dice() -> None:
    found = papers(Work(), [hold_dice.SOURCE])
    section = found.document.sections[0]
    claims = claims_of(section)
    assert claims["Average score of 100,000 games, 3d6"].why.startswith(
        "The policy of γ = 0.96, θ = 0.1 is worth 61081/4576, 0.00015 below the optimum 103369/7744."
    )
    assert claims["Average score of 100,000 games, 2d3"].ours.endswith("optimum 4.25")
    assert claims["Average score of 100 games, 6d6"].ours == "29.1175 ± 0.217; optimum 29.485"
    differing = [text for text, claim in claims.items() if claim.verdict == "differs"]
    assert differing == ["Each score is an average of 10,000 games"]
    twice = rows_of(next(part for part in section.all() if part.name == "hold-twice"))
    assert twice.rows[-2][-1] == "1850/143"
    assert twice.rows[-1][-1] == str(solve(HoldDice(3, 6), exact=True).value(HoldDice(3, 6).start()))
    rolls = rows_of(next(part for part in section.all() if part.name == "hold-rolls"))
    assert sum(Fraction(row[3]) for row in rolls.rows) == 1
    assert sum(int(row[1]) for row in rolls.rows) == 56


# ---- the notes, errata, questions


def test_the_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their first game; for the others see the tests of their own."""
    monkeypatch.setattr(notes, "GAMES", (notes_owls.write,))
    chapter = notes.write(Work())
    assert verdicts(chapter.section) == ["agrees"] * 5
    (listing,) = (block for part in chapter.section.all() for block in part.blocks if isinstance(block, Listing))
    assert "V = max(64, 125/2) = 64, by take" in listing.text


def test_the_notes_on_owls() -> None:
    """The counts and values of an independent program."""
    section = notes_owls.section(Work())
    counted, solved = rows_of(section, 0), rows_of(section, 1)
    assert [row[1] for row in counted.rows] == ["34", "630", "7,806", "74,518", "584,934", "3,930,550"]
    assert counted.rows[2][3:] == ("8,524,152", "716,028,768")
    assert [row[1:3] for row in solved.rows] == [
        ("0.996877495964", "0.998782772544"),
        ("0.973808560244", "0.987335612987"),
    ]
    assert [row[3][:8] for row in solved.rows] == ["0.999993", "0.999748"]  # printed as .999749, in single precision
    asked = [question.text for question in notes_owls.write(Work()).questions]
    assert len(asked) == 4
    assert all(question.startswith("Hoot Owl Hoot: ") for question in asked)


def test_errata_are_those_of_the_docs() -> None:
    """The page repeats the table in Markdown; it must not say more or less than the report."""
    text = (DOCS / "papers.md").read_text(encoding="utf-8").partition("## Errata")[2]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", text, flags=re.M)
    printed = [row.strip() for row in rows if not set(row) <= {"-"} and row.strip() != "where"]
    ours = [f"{source.short}, {each.where}" for source in SOURCES for each in source.errata]
    assert printed == ours


def test_every_source_has_a_chapter_of_its_own() -> None:
    assert len({source.name for source in SOURCES}) == len(SOURCES) == 5
    files = {path.stem for path in Path(report.__file__).parent.glob("*.py")}
    assert {"guide", "policy_paper", "solver_readme", "hold_dice", "notes"} <= files


def test_a_claim_needs_a_verdict_that_is_known() -> None:
    with pytest.raises(ValueError, match="verdict 'maybe'"):
        Claim("a", "b", "c", "maybe")
    with pytest.raises(ValueError, match="do not fit"):
        Rows("", ("a", "b"), [["1"]])
    with pytest.raises(ValueError, match="same name"):
        Document("", [], [Section("a", "A"), Section("b", "B", sections=[Section("a", "C")])])


# ---- the page


HOSTILE = '<script>alert("1 & 2")</script>`<b>`'


def sample() -> Document:
    """Something of everything."""
    ladder = Picture(HOSTILE, HOSTILE, Shown(solve(CoinLadder(prizes=(4, 16))), "graph"), HOSTILE)
    rows = Rows(HOSTILE, ("a", HOSTILE), [[str(row), HOSTILE] for row in range(40)], ("a",))
    claim = Claim(HOSTILE, HOSTILE, HOSTILE, "differs", HOSTILE)
    chart = guide._window(2, 6)
    bars = Picture("Bars", "in three panels", chart, chart.words)
    inner = Section("inner", HOSTILE, [ladder, bars, rows], [claim], ["dicewise games"])
    blocks = [Paragraph(HOSTILE), Points([HOSTILE, "two"]), Listing(HOSTILE, HOSTILE)]
    return Document(HOSTILE, [HOSTILE], [Section("outer", HOSTILE, blocks, sections=[inner])], HOSTILE)


class Reader(HTMLParser):
    """Tags that match, ids, links, images, and what the page would fetch."""

    EMPTY = frozenset({"meta", "link", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.seen: set[str] = set()
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.seen.add(tag)
        if tag not in self.EMPTY:
            self.open.append(tag)
        self.ids += [given["id"]] if given.get("id") else []  # type: ignore[list-item]
        self.links += [str(given["href"])] if tag == "a" else []
        self.images += [given] if tag == "img" else []
        source = given.get("src") or (given.get("href") if tag == "link" else None)
        self.fetched += [source] if source and not source.startswith("data:") else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader


def test_the_page_is_whole_and_needs_nothing_else() -> None:
    text = page(sample())
    found = read(text)
    assert not {"script", "b", "iframe", "object"} & found.seen
    assert not found.fetched
    assert "url(" not in text
    assert "@import" not in text
    assert len(set(found.ids)) == len(found.ids)
    assert {"summary", "outer", "inner"} <= set(found.ids)
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert [image["alt"] for image in found.images] == [HOSTILE, guide._window(2, 6).words]
    assert text.count("&lt;script&gt;") > 10
    assert "<code>&lt;b&gt;</code>" in text


def test_the_same_document_gives_the_same_page(tmp_path: Path) -> None:
    document = sample()
    save_page(document, tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page(document)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_a_page_is_an_html_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must end in \.html"):
        check_page(tmp_path / "papers.pdf")
    with pytest.raises(InputError, match="cannot write"):
        check_page(tmp_path / "nowhere" / "papers.html")


def test_nothing_is_drawn_for_a_document_without_claims() -> None:
    found = read(page(Document("t", [], [Section("a", "A", [Paragraph("x")])])))
    assert found.ids == ["a"]


# ---- the command


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> tuple[Source, ...]:
    """The quick chapters alone."""
    kept = (solver_readme.SOURCE, notes.SOURCE)
    monkeypatch.setattr(report, "SOURCES", kept)
    monkeypatch.setattr(notes, "GAMES", (notes_owls.write,))
    return kept


@pytest.mark.usefixtures("short")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["study", "papers"]) == 0
    printed = capsys.readouterr()
    assert "dicewise: wrote papers.html" in printed.err
    assert printed.out.splitlines()[-1] == (
        "Of 8 claims 8 agree with the source. papers.html has them all, with figures and reasons."
    )
    found = read((tmp_path / "papers.html").read_text(encoding="utf-8"))
    assert {"readme", "notes", "errata", "summary"} <= set(found.ids)
    assert len(found.images) == 2


def test_what_does_not_agree_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(work: Work) -> Chapter:
        return Chapter(
            Section("one", "One", claims=[Claim("right", "1", "1", "agrees"), Claim("a", "2", "3", "differs")])
        )

    monkeypatch.setattr(report, "SOURCES", (replace(notes.SOURCE, write=write),))
    assert main(["study", "papers", "-o", str(tmp_path / "p.html")]) == 0
    printed = capsys.readouterr().out
    assert "differs" in printed
    assert "right" not in printed
    assert "Of 2 claims 1 agree with the source, 1 differ from it." in printed


@pytest.mark.usefixtures("short")
def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.html"
    assert main(["study", "papers", "--json", "--quiet", "-o", str(path)]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["study"], found["output"]) == (1, "papers", str(path))
    assert found["verdicts"] == {"agrees": 8, "differs": 0, "corrected": 0}
    assert {"section", "claim", "source", "ours", "verdict", "why"} == set(found["claims"][0])
    assert {"source", "where", "printed", "right"} == set(found["errata"][0])


@pytest.mark.parametrize("name", ["papers.pdf", "nowhere/papers.html"])
def test_a_bad_file_is_refused_before_anything_is_worked_out(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unwanted(work: Work) -> Any:
        raise AssertionError

    monkeypatch.setattr(report, "SOURCES", (replace(notes.SOURCE, write=unwanted),))
    assert main(["study", "papers", "-o", str(tmp_path / name)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
