"""Writing a file so that it is either there, whole, or not there at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dicewise.errors import InputError


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes otherwise."""
    check_writable(path)
    wanted = Path(path).resolve()  # a link stays a link
    if wanted.exists() and not wanted.is_file():  # a pipe or a device takes what comes
        yield wanted
        return
    temporary = _beside(wanted)
    try:
        yield temporary
        os.replace(temporary, wanted)
    except OSError as error:
        raise _refusal(Path(path), error) from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def check_writable(path: str | Path) -> None:
    """Refuse a place that cannot be written to, before any work is done for it; nothing is left there."""
    wanted = Path(path).resolve()
    try:
        if not str(path) or wanted.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        if wanted.exists() and not wanted.is_file():
            return
        if len(os.fsencode(wanted.name)) > 240:
            raise OSError(0, "the name is too long")
        temporary = _beside(wanted)
        temporary.touch()
        temporary.unlink()
    except OSError as error:
        raise _refusal(Path(path), error) from None


def _beside(path: Path) -> Path:
    return path.with_name(f".{secrets.token_hex(4)}{path.suffix}")


def _refusal(path: Path, error: OSError) -> InputError:
    return InputError(f"cannot write {str(path)!r}: {error.strerror or error}; choose another place with -o")
