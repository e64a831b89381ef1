"""Python files of the user's own: rules, and policies. To read one is to run it, so only use what you trust."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from dicewise.errors import InputError, RulesError, raised


def run_file(path: Path, kind: str) -> ModuleType:
    """The module that a file makes; a file that has not changed is run once. `kind` says in errors what it is for."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise InputError(f"{kind} file {str(path)!r} cannot be read: {error.strerror}") from None
    whole = path.resolve()
    digest = hashlib.blake2b(str(whole).encode() + b"\0" + source, digest_size=8).hexdigest()
    name = f"dicewise_file_{digest}"
    known = sys.modules.get(name)
    if known is not None:
        return known
    spec = importlib.util.spec_from_file_location(name, whole)
    assert spec is not None  # a path that ends in .py always has one
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__dicewise_source__"] = digest  # what the store goes by, should the file be edited meanwhile
    module.__dict__["print"] = _print_aside
    sys.modules[name] = module  # dataclasses look their module up
    sys.path.insert(0, str(whole.parent))
    try:
        with redirect_stdout(sys.stderr):  # what it imports may print, too
            exec(compile(source, str(whole), "exec"), module.__dict__)
    except BaseException as error:
        sys.modules.pop(name, None)
        if isinstance(error, KeyboardInterrupt):
            raise
        raise RulesError(f"{kind} file {str(path)!r} {raised(error)}") from error
    finally:
        with suppress(ValueError):  # the file may have changed it, too
            sys.path.remove(str(whole.parent))
    return module


def _print_aside(*words: Any, file: Any = None, **how: Any) -> None:
    """`print` as a user's file sees it: stdout is for results."""
    print(*words, file=sys.stderr if file is None else file, **how)
