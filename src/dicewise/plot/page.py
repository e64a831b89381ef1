"""A document as one HTML page that needs nothing else: no network, no script, no font, no second file.

Pictures are SVG inside the page (PNG where that is much smaller), each an `img` with words for those who do not see
it; so ids of two pictures cannot meet, and nothing in them runs. Everything else is escaped text. The page fits a
telephone and a projector, and printed on A4 neither a figure nor a row of a table is broken in two. The same document
gives the same page, byte for byte.
"""

from __future__ import annotations

import base64
import re
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path

from dicewise.chart import Chart
from dicewise.document import VERDICTS, Block, Claim, Document, Listing, Paragraph, Picture, Points, Rows, Section
from dicewise.errors import InputError
from dicewise.files import check_writable, written_whole
from dicewise.game import Progress
from dicewise.plot.charts import draw
from dicewise.plot.styles import save_figure

LARGE = 600_000
"""Bytes of an SVG beyond which a PNG is tried."""

LONG, WORDY = 14, 2000
"""Rows, and letters in the longest cells of all rows, above which a table may break between pages, and may begin
anywhere."""

SUMMARY = "summary"
"""Where the links of all sections lead back to."""


def save_page(document: Document, path: str | Path, *, progress: Progress | None = None) -> None:
    """Write a document as a page; the file is complete when it appears."""
    check_page(path)
    text = page(document, progress=progress)
    with written_whole(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="\n")


def check_page(path: str | Path) -> None:
    """Refuse a file that no page can be written to, before any work is done for it."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise InputError(f"page {Path(path).name!r} is of no known kind; its name must end in .html")
    check_writable(path)


def page(document: Document, *, progress: Progress | None = None) -> str:
    """The page as a text."""
    return "\n".join([*_Page(document, progress).lines(), ""])


class _Page:
    """A page in the making."""

    def __init__(self, document: Document, progress: Progress | None) -> None:
        self.document, self.progress = document, progress
        self.pictures = sum(isinstance(block, Picture) for section in document.all() for block in section.blocks)
        self.drawn = 0

    def lines(self) -> Iterator[str]:
        document = self.document
        title = escape(document.title)
        yield from (
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            # nothing is fetched, nothing runs: not even the icon that browsers ask for by themselves
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
            "style-src 'unsafe-inline'\">",
            '<link rel="icon" href="data:,">',
            f"<title>{title}</title>",
            f"<style>{_style()}</style>",
            "</head>",
            "<body>",
            f"<header><h1>{title}</h1>",
            *(f"<p>{_words(text)}</p>" for text in document.lead),
            "</header>",
            *self.contents(),
            "<main>",
            *self.summary(),
        )
        for section in document.sections:
            yield from self.section(section, 2)
        yield from ("</main>", f"<footer><p>{_words(document.footer)}</p></footer>", "</body>", "</html>")

    def contents(self) -> Iterator[str]:
        yield '<nav aria-label="Contents"><h2>Contents</h2>'
        links = [_link(SUMMARY, "Summary")] if self.document.claims() else []
        yield f"<ol>{''.join(f'<li>{link}</li>' for link in links)}"
        for section in self.document.sections:
            inner = "".join(f"<li>{_link(each.name, each.title)}</li>" for each in section.sections)
            yield f"<li>{_link(section.name, section.title)}{f'<ol>{inner}</ol>' if inner else ''}</li>"
        yield "</ol></nav>"

    def summary(self) -> Iterator[str]:
        """All claims in one table, each with a link to where it is shown."""
        claims = self.document.claims()
        if not claims:
            return
        counts = {
            meaning: sum(claim.verdict == verdict for _, claim in claims) for verdict, meaning in VERDICTS.items()
        }
        said = ", ".join(f"{count} {meaning}" for meaning, count in counts.items() if count)
        yield f'<section id="{SUMMARY}"><h2>Summary</h2>'
        yield f"<p>{len(claims)} claims of the sources were worked out anew: {said}.</p>"
        yield from self.claims([claim for _, claim in claims], [section for section, _ in claims])
        yield "</section>"

    def section(self, section: Section, level: int) -> Iterator[str]:
        yield f'<section id="{escape(section.name)}">'
        yield f"<h{level}>{_words(section.title)}</h{level}>"
        for block in section.blocks:
            yield from self.block(block)
        if section.claims:
            yield from self.claims(section.claims)
        if section.commands:
            commands = "\n".join(escape(command) for command in section.commands)
            yield f'<div class="again"><p>Run it again:</p><pre><code>{commands}</code></pre></div>'
        for inner in section.sections:
            yield from self.section(inner, min(level + 1, 6))
        yield "</section>"

    def block(self, block: Block) -> Iterator[str]:
        if isinstance(block, Paragraph):
            yield f"<p>{_words(block.text)}</p>"
        elif isinstance(block, Points):
            yield f"<ul>{''.join(f'<li>{_words(item)}</li>' for item in block.items)}</ul>"
        elif isinstance(block, Listing):
            title = f"<figcaption>{_words(block.title)}</figcaption>" if block.title else ""
            yield f'<figure class="listing">{title}<pre>{escape(block.text)}</pre></figure>'
        elif isinstance(block, Rows):
            cells = [[_words(cell) for cell in row] for row in block.rows]
            yield from _table(block.heads, cells, block.title, set(block.numbers))
        else:
            yield from self.picture(block)

    def claims(self, claims: Sequence[Claim], where: Sequence[Section] = ()) -> Iterator[str]:
        heads = ["claim", "the source", "ours", "verdict", "where" if where else "why"]
        rows = []
        for at, claim in enumerate(claims):
            last = _link(where[at].name, where[at].title) if where else _words(claim.why)
            badge = f'<span class="{claim.verdict}">{claim.verdict}</span>'
            rows.append([_words(claim.text), _words(claim.theirs), _words(claim.ours), badge, last])
        if not where and not any(claim.why for claim in claims):
            heads, rows = heads[:-1], [row[:-1] for row in rows]
        yield from _table(heads, rows, "" if where else "What the source says, and what comes out", set(), "claims")

    def picture(self, picture: Picture) -> Iterator[str]:
        self.drawn += 1
        if self.progress is not None:
            self.progress(self.drawn / self.pictures, "drawing figures")
        kind, content = _drawn(picture)
        source = f"data:{kind};base64,{base64.b64encode(content).decode()}"
        yield "<figure>"
        yield f'<img alt="{escape(picture.words)}" src="{source}">'
        yield f"<figcaption><strong>{_words(picture.title)}.</strong> {_words(picture.caption)}</figcaption>"
        yield "</figure>"


# ---- pieces


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], title: str, numbers: set[str], kind: str = ""
) -> Iterator[str]:
    """Cells are HTML already. On a narrow screen a row becomes a few lines, each with the name of its column."""
    is_long = len(rows) > LONG or sum(max(map(len, row)) for row in rows) > WORDY
    classes = " ".join(filter(None, [kind, "long" if is_long else "", "wide" if len(heads) > 4 else ""]))
    right = [' class="number"' if head in numbers else "" for head in heads]
    yield f'<div class="table"><table class="{classes}">'
    if title:
        yield f"<caption>{_words(title)}</caption>"
    head = "".join(f'<th scope="col"{each}>{_words(name)}</th>' for name, each in zip(heads, right, strict=True))
    yield f"<thead><tr>{head}</tr></thead><tbody>"
    for row in rows:
        cells = (
            f'<td{each} data-head="{escape(name)}">{cell}</td>'
            for name, each, cell in zip(heads, right, row, strict=True)
        )
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _words(text: str) -> str:
    """A plain text, escaped, with `code` in it."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _link(name: str, text: str) -> str:
    return f'<a href="#{escape(name)}">{_words(text)}</a>'


def _drawn(picture: Picture) -> tuple[str, bytes]:
    """A picture as a file: an SVG, or a PNG where that is smaller by far."""
    from dicewise import plot

    content = picture.content
    figure = draw(content) if isinstance(content, Chart) else plot.figure(content.solution, content.view)
    with tempfile.TemporaryDirectory(prefix="dicewise-") as folder:
        found = {}
        for ending, kind in ((".svg", "image/svg+xml"), (".png", "image/png")):
            path = Path(folder) / f"figure{ending}"
            save_figure(figure, path, picture.title, picture.words, 150)
            found[kind] = path.read_bytes()
            if len(found[kind]) <= LARGE:
                break
    return min(found.items(), key=lambda each: len(each[1]))


@cache
def _style() -> str:
    return files("dicewise.plot").joinpath("page.css").read_text(encoding="utf-8")
