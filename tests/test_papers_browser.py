"""The papers' report in Debian's chromium: opened offline it complains of nothing, and it prints."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chromium import MISSING, Chromium, find_chromium
from dicewise.plot.page import save_page
from dicewise.study.papers import SOURCES, hold_dice, notes, notes_yahtzee, papers, solver_readme
from dicewise.study.papers.notes_yahtzee_play import final_scores
from dicewise.study.work import Work
from test_papers import sample
from test_papers_yahtzee import SMALL

PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason=MISSING)

PAGE_HIGH, PAGE_WIDE = 297 - 16 - 18, 210 - 15 - 15
"""Millimetres of A4 inside the margins."""
MM = 96 / 25.4


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    assert PROGRAM is not None
    with Chromium(PROGRAM, tmp_path_factory.mktemp("profile")) as found:
        yield found


def judge(browser: Chromium, path: Path, most_pages: int) -> None:
    browser.events.clear()
    browser.resize(1280, 800)
    browser.open(path)
    assert browser.run("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    assert browser.run("document.querySelectorAll('a[href^=\"#\"]').length") > 3
    lost = browser.run(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.hash.slice(1))"
        ".filter(id => !document.getElementById(id))"
    )
    assert lost == []
    for width, phone in ((1920, False), (1280, False), (390, True), (320, True)):
        browser.resize(width, 800, phone=phone)
        assert browser.run("document.documentElement.scrollWidth") <= width, f"{width} pixels are too narrow"

    # on paper: everything that must not be broken in two fits on a page, in both directions
    browser.ask("Emulation.setEmulatedMedia", media="print")
    browser.resize(round(PAGE_WIDE * MM), round(PAGE_HIGH * MM))
    wholes = "figure, .again, tr, table:not(.long)"
    tall = browser.run(
        f"[...document.querySelectorAll('{wholes}')].filter(part => getComputedStyle(part).breakInside != 'avoid' || "
        f"part.getBoundingClientRect().height > {PAGE_HIGH * MM} || "
        f"part.getBoundingClientRect().right > {PAGE_WIDE * MM + 1}).map(part => part.outerHTML.slice(0, 200))"
    )
    assert tall == []
    browser.ask("Emulation.setEmulatedMedia", media="")
    printed = base64.b64decode(browser.ask("Page.printToPDF", preferCSSPageSize=True)["data"])
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert 1 <= pages <= most_pages
    boxes = re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert boxes
    assert all(abs(float(w) - 595) < 2 and abs(float(h) - 842) < 2 for w, h in boxes)
    assert browser.complaints() == []


def test_a_page_with_something_of_everything(browser: Chromium, tmp_path: Path) -> None:
    save_page(sample(), tmp_path / "sample.html")
    judge(browser, tmp_path / "sample.html", 8)
    assert browser.run("document.querySelector('h1').textContent").startswith("<script>")


def test_the_browser_would_complain(browser: Chromium, tmp_path: Path) -> None:
    """The test can fail: a page that asks for a picture on the network, and one that throws."""
    (tmp_path / "bad.html").write_text('<img src="http://localhost:9/a.png"><script>throw Error("no")</script>')
    browser.events.clear()
    browser.open(tmp_path / "bad.html")
    said = " ".join(browser.complaints())
    assert "asks for http://localhost:9/a.png" in said
    assert "no" in said


def test_short_chapters(browser: Chromium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the final scores of a small card in place of the whole one's."""
    monkeypatch.setattr(notes_yahtzee, "final_scores", lambda game, work: final_scores(SMALL, work, (8,)))
    found = papers(Work(), [solver_readme.SOURCE, hold_dice.SOURCE, notes.SOURCE])
    save_page(found.document, tmp_path / "papers.html")
    judge(browser, tmp_path / "papers.html", 20)


@pytest.mark.slow
def test_the_whole_report(browser: Chromium, tmp_path: Path) -> None:
    found = papers(Work(2), SOURCES)
    save_page(found.document, tmp_path / "papers.html")
    assert (tmp_path / "papers.html").stat().st_size < 6_000_000
    judge(browser, tmp_path / "papers.html", 50)
