"""How much memory there is, so that a job that does not fit is refused before it starts."""

from __future__ import annotations

import os
from pathlib import Path

from dicewise.errors import LimitError

WORTH_ASKING = 1 << 26
"""Bytes that any machine has: to ask the system for less would take longer than many a job."""


def available() -> int | None:
    """Bytes that can still be had, or None where the machine does not say."""
    found = []
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                found.append(int(line.split()[1]) * 1024)
    except (OSError, ValueError):
        pass
    if (left := _left_in_container(Path("/sys/fs/cgroup"))) is not None:
        found.append(left)
    if not found and hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found, default=None)


def _left_in_container(folder: Path) -> int | None:
    """What a container's limit leaves. Files that the system keeps in memory count as used there, but give way."""
    try:
        ceiling = int((folder / "memory.max").read_text())  # "max" where there is no limit
        used = int((folder / "memory.current").read_text())
        rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
        kept_files = sum(int(row[1]) for row in rows if row[0] in ("active_file", "inactive_file"))
    except (OSError, ValueError, IndexError):
        return None
    return max(0, ceiling - used + kept_files)


def require(needed: int, what: str) -> None:
    """Refuse a job that would take more memory than there is."""
    if needed < WORTH_ASKING:
        return
    have = available()
    if have is not None and needed > have:
        raise LimitError(
            f"{what} needs {in_words(needed)} of memory, and {in_words(have)} is free; "
            "choose a smaller ruleset or a larger machine"
        )


def in_words(count: int) -> str:
    """`1.9 GB`."""
    size = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
