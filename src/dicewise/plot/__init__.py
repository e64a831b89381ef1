"""Figures from a solution, as a matplotlib `Figure` or as a PNG, SVG or PDF file.

    from dicewise import plot
    plot.save(solution, "greed.svg")

Matplotlib is an extra (`pip install 'dicewise[plot]'`), loaded when the first figure is drawn and never through its
`pyplot`: no window opens, no setting of the caller changes. The same solution gives the same file, byte for byte.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from dicewise.errors import InputError
from dicewise.plot.heatmaps import caption, heatmaps, ruleset, styled
from dicewise.solution import Solution

__all__ = ["heatmaps", "save"]

ENDINGS = (".png", ".svg", ".pdf")
DPI_RANGE = range(30, 601)


def save(solution: Solution[Any, Any], path: str | Path, *, dpi: int = 150) -> None:
    """Draw the picture of a solution into a file; its ending, .png, .svg or .pdf, says which kind.

    `dpi` is the number of pixels per inch, in SVG and PDF that of the cells. With 150 each cell of the tables is a square of whole
    pixels. The file appears in its place complete, or not at all.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"picture {path.name!r} is of no known kind; its name must end in {_either(ENDINGS)}")
    if dpi not in DPI_RANGE:
        raise InputError(f"dpi {dpi!r} is not allowed; it is a whole number from {DPI_RANGE[0]} to {DPI_RANGE[-1]}")
    figure = heatmaps(solution)
    title, text = ruleset(solution.game), caption(solution)
    metadata: dict[str, Any] = {
        ".png": {"Title": title, "Description": text},
        ".svg": {"Title": title, "Description": text, "Date": None},
        ".pdf": {"Title": title, "Subject": text, "CreationDate": None},
    }[ending]
    # the name of the unfinished file must not be longer than the one that was asked for
    temporary = path.parent / f".dicewise-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        with open(temporary, "xb") as file, styled():
            figure.savefig(file, format=ending[1:], dpi=dpi, metadata=metadata)
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError, ValueError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            raise InputError(f"cannot write {path}: {reason}; choose another place with -o") from None
        raise


def _either(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
