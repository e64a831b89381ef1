"""How much memory there is, so that a job that does not fit is refused before it starts."""

from __future__ import annotations

import os
from pathlib import Path

from dicewise.errors import LimitError


def available() -> int | None:
    """Bytes that can still be had, or None where the machine does not say."""
    found = []
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                found.append(int(line.split()[1]) * 1024)
        ceiling, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
        if ceiling.exists() and (text := ceiling.read_text().strip()) != "max":
            found.append(max(0, int(text) - int(used.read_text())))
    except (OSError, ValueError):
        pass
    if not found and hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found, default=None)


def require(needed: int, what: str) -> None:
    """Refuse a job that would take more memory than there is."""
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
