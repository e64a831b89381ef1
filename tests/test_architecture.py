"""The house: imports point one way, root files <- engine <- games <- play, study, plot <- cli, web."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dicewise

SOURCE = Path(dicewise.__file__).parent
FLOORS = {"root": 0, "engine": 1, "games": 2, "play": 3, "study": 3, "plot": 3, "cli": 4, "web": 4}
SHARED_BY_GAMES = {"dice_lattice", "digits", "lanes"}
"""Files beside the games that are no game: what several of them need."""
THE_SHORT_WAY = ("dicewise.solution", "dicewise.plot.notebook")
"""The one arrow that points the other way: a solution shows itself in notebooks, which ask it and nobody else. What
draws it is imported when that happens, never before."""
FILES = sorted(SOURCE.rglob("*.py"))


def module_of(path: Path) -> str:
    """`dicewise.games.greed.rules`; a package goes by its own name."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in FILES}


def room_of(module: str) -> str:
    parts = module.split(".")
    if len(parts) == 1 or parts[1] not in FLOORS:
        return "cli" if module == "dicewise.__main__" else "root"  # __main__ is the command line's front door
    return parts[1]


def game_of(module: str) -> str | None:
    """`greed` for everything in the room of Greed; None outside the games and for what they share."""
    parts = module.split(".")
    is_game = len(parts) > 2 and parts[1] == "games" and parts[2] not in SHARED_BY_GAMES
    return parts[2] if is_game else None


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """(line, module) of every import of our own, those inside functions too, those for type checkers not."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *(node.module or "").split(".")]).strip(".")
            for name in node.names:  # `from dicewise import plot` imports a module, `from dicewise import Game` a name
                inner = f"{origin}.{name.name}"
                yield node.lineno, inner if inner in MODULES else origin


def own_imports(path: Path) -> list[tuple[int, str]]:
    return sorted({(line, name) for line, name in imports_of(path) if name.split(".")[0] == "dicewise"})


def fault(importer: str, imported: str) -> str | None:
    """What is wrong with an import, if anything."""
    if imported == "dicewise":
        return "imports from the list of public names; import from the file that defines the name"
    if imported not in MODULES:
        return "does not exist"
    if (importer, imported) == THE_SHORT_WAY:
        return None
    here, there = room_of(importer), room_of(imported)
    if here != there and FLOORS[there] >= FLOORS[here]:
        return f"{here} may not import {there}"
    mine, theirs = game_of(importer), game_of(imported)
    if mine and here == there and mine != theirs and imported.split(".")[-1] not in SHARED_BY_GAMES:
        return f"the game {mine} may import neither another game nor the list of games"
    if here == "games" and there == "engine" and any(part.startswith("_") for part in imported.split(".")):
        return "games use the engine's public names only"
    return None


def test_there_is_something_to_check() -> None:
    assert {"dicewise.game", "dicewise.engine.solve", "dicewise.games.greed.rules", "dicewise.cli.solve"} <= MODULES
    assert (SOURCE / "cli" / "plot.py", "dicewise.plot") in {(p, name) for p in FILES for _, name in own_imports(p)}


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_arrows_point_one_way(path: Path) -> None:
    if path == SOURCE / "__init__.py":
        return  # the list of public names, which may come from anywhere
    module = module_of(path)
    wrong = [
        f"{path.relative_to(SOURCE.parent)}:{line} imports {name}: {reason}"
        for line, name in own_imports(path)
        if (reason := fault(module, name))
    ]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("dicewise.engine.solve", "dicewise.game", True),
        ("dicewise.game", "dicewise.engine.solve", False),
        ("dicewise.engine.solve", "dicewise.games.greed", False),
        ("dicewise.games", "dicewise.games.greed", True),
        ("dicewise.games.greed.exact", "dicewise.games.greed.rules", True),
        ("dicewise.games.greed.exact", "dicewise.games", False),
        ("dicewise.games.pig", "dicewise.games.greed", False),
        ("dicewise.games.greed", "dicewise.plot", False),
        ("dicewise.plot.heatmaps", "dicewise.games.greed", True),
        ("dicewise.study.sweep", "dicewise.plot", False),
        ("dicewise.cli.plot", "dicewise.plot", True),
        ("dicewise.plot", "dicewise.cli.common", False),
        ("dicewise.__main__", "dicewise.cli", True),
        ("dicewise.engine.solve", "dicewise", False),
        ("dicewise.solution", "dicewise.plot.notebook", True),
        ("dicewise.solution", "dicewise.plot.charts", False),
        ("dicewise.game", "dicewise.plot.notebook", False),
    ],
)
def test_the_test_can_tell(importer: str, imported: str, allowed: bool) -> None:
    assert (fault(importer, imported) is None) == allowed


@pytest.mark.parametrize("what", ["import dicewise", "import dicewise.cli", "from dicewise import *"])
def test_nothing_heavy_is_imported_before_it_is_needed(what: str) -> None:
    heavy = {"numba", "rich", "matplotlib", "pandas", "pyarrow"} | ({"numpy"} if "*" not in what else set())
    code = f"{what}\nimport sys; print(*sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")


def test_every_public_name_is_there() -> None:
    missing = [name for name in dicewise.__all__ if not hasattr(dicewise, name)]
    assert not missing
    with pytest.raises(AttributeError, match="has no attribute 'sovle'"):
        _ = dicewise.sovle
