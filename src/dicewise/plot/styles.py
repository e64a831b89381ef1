"""What all figures share: sizes of text, colours, a style that is nobody else's, and files that are whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from dicewise.errors import DicewiseError, InputError
from dicewise.files import check_writable, written_whole
from dicewise.memory import require

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

TITLE, TEXT, SMALL_TEXT = 13.5, 9.0, 8.0
INK = "#262626"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
DPI = range(20, 1201)


@contextmanager
def styled() -> Iterator[None]:
    """Draw as matplotlib does by default, whatever the caller has set, and change nothing for the caller."""
    try:
        from matplotlib import style
    except ModuleNotFoundError:
        raise DicewiseError("plots need matplotlib: pip install 'dicewise[plot]'") from None

    ours = {"text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "image.composite_image": False}
    fonts = {"font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"]}
    files = {"svg.fonttype": "none", "svg.hashsalt": "dicewise", "pdf.fonttype": 42}
    with style.context(["default", ours | fonts | files]):
        yield


def plain_ticks(axis: Axis, *, log: bool = False, whole: bool = False) -> None:
    """Numbers along an axis as people write them: no powers of ten, no offset in a corner, whole ones whole."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, ScalarFormatter

    if log:
        low, high = axis.get_view_interval()
        few = low > 0 and high / low < 200
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
        axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
        axis.set_minor_formatter(NullFormatter())
    else:
        if whole:
            axis.set_major_locator(MaxNLocator(nbins=10, steps=[1, 2, 5, 10], integer=True))
        axis.set_major_formatter(ScalarFormatter(useOffset=False, useMathText=False))


def check_matplotlib() -> None:
    """Refuse to go on without matplotlib, before anything long is done for a picture."""
    with styled():
        pass


def check_path(path: str | Path) -> None:
    """Refuse a file that no picture can be saved to, before anything is solved or drawn for it."""
    if _ending(path) not in (".png", ".svg", ".pdf"):
        name = Path(path).name
        raise InputError(f"picture {name!r} is of no known kind; its name must end in .png, .svg or .pdf")
    check_writable(path)


def save_figure(figure: Figure, path: str | Path, title: str, words: str, dpi: int) -> None:
    """Write a figure with its title and what it shows in words. The file is complete when it appears, and the same
    figure gives the same file, byte for byte."""
    check_path(path)
    if dpi not in DPI:
        raise InputError(f"dpi {dpi!r} is not allowed; it is a whole number from {DPI[0]} to {DPI[-1]}")
    metadata: dict[str, dict[str, str | None]] = {
        ".png": {"Title": title, "Description": words},
        ".svg": {"Title": title, "Description": words, "Date": None},
        ".pdf": {"Title": title, "Subject": words, "CreationDate": None},
    }
    ending = _ending(path)
    require(int(10 * figure.get_figwidth() * figure.get_figheight() * dpi**2), f"drawing with {dpi} dpi")
    with written_whole(path) as unfinished, styled():
        figure.savefig(unfinished, format=ending[1:], dpi=dpi, metadata=metadata[ending])
        if ending == ".svg" and unfinished.is_file():
            _speak(unfinished, title, words)


def _speak(path: Path, title: str, words: str) -> None:
    """Give an SVG the title and description that screen readers look for; matplotlib's are for catalogues."""
    text = path.read_text(encoding="utf-8")
    spoken = f"<title>{escape(title)}</title>\n <desc>{escape(words)}</desc>"
    path.write_text(re.sub(r"(<svg\b[^>]*)>", rf'\1 role="img">\n {_literal(spoken)}', text, count=1), encoding="utf-8")


def _literal(text: str) -> str:
    return text.replace("\\", r"\\")


def _ending(path: str | Path) -> str:
    return Path(path).suffix.lower()
