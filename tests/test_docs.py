"""What is written about dicewise is true: examples run, commands print what is shown, nothing is left undocumented.

In README.md and docs/*.md, every `>>>` example is a doctest, and every line `$ dicewise ...` of a `console` block is
run. Where the block shows an output, it is compared: `...` stands for anything, times and rounding errors may differ.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
import yaml

import dicewise
from dicewise.cli import cli
from dicewise.games import GAMES
from dicewise.spec import parameters

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TESTED = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
ALL = [*TESTED, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
FENCE = re.compile(r"^( *)(`{3,}|:{3,})(.*)$")
EXAMPLES = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path) -> Iterator[tuple[str, str]]:
    """The language and the content of each block of code."""
    language, lines = None, []
    for line in path.read_text(encoding="utf-8").splitlines():
        fence = FENCE.match(line)
        if fence and language is None:
            language, lines = fence[3].strip(), []
        elif fence and not fence[3]:
            yield language or "", "\n".join(lines)
            language = None
        else:
            lines.append(line)
    assert language is None, f"{named(path)}: a block is not closed"


def prose(path: Path) -> str:
    """The text without its blocks of code."""
    return re.sub(
        r"^( *)(`{3,})(?!\{include)[^\n]*\n.*?^\1\2 *$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S
    )


# ---- the pages


def test_the_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    options = ("-W", "--keep-going", "-q", "-E", "-b", "html", "-d", str(tmp_path / "trees"))
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(tmp_path / "html")]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    assert not result.stderr
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (tmp_path / "html").glob("*.html")}
    assert {path.stem for path in DOCS.glob("*.md")} <= set(pages)
    assert dicewise.__version__ in pages["index"]
    assert "<math" in pages["how-it-is-solved"]
    assert "class ShutTheBox" in re.sub(r"<[^>]+>", "", pages["your-own-game"])
    for name, page in pages.items():
        fetched = re.findall(r"<(?:script|link|img)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]+\"", page)
        assert not fetched, f"{name} needs the network: {fetched[0]}"


# ---- examples


@pytest.mark.parametrize("path", [p for p in TESTED if ">>>" in p.read_text(encoding="utf-8")], ids=named)
def test_examples_in_pages(path: Path) -> None:
    # fences become blank lines: they end an expected output, and line numbers stay right
    text = re.sub(r"^ *`{3,}.*$", "", path.read_text(encoding="utf-8"), flags=re.M)
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, named(path), str(path), 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=EXAMPLES).run(test, out=report.append)
    assert not report, "".join(report)


MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "src").rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name), optionflags=EXAMPLES)
    assert tried
    assert not failed


# ---- commands


def commands(path: Path) -> list[tuple[str, str]]:
    """The commands of the console blocks, each with the output that is shown."""
    found: list[tuple[str, str]] = []
    for language, content in blocks(path):
        if language == "console":
            for part in re.split(r"^\$ ", content, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


def settled(text: str) -> str:
    """A text in which times and rounding errors, which differ between machines, are all alike."""
    text = re.sub(r"\b\d[\d.]*(e-\d+)? s\b(, when it was solved; now from the store)?", "TIME", text)
    return re.sub(r"\b\d(\.\d+)?e-1\d\b", "TINY", text)


@pytest.mark.parametrize("path", [path for path in TESTED if commands(path)], ids=named)
def test_commands_print_what_is_shown(path: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "DICEWISE_CACHE_LIMIT")}
    folders = {"DICEWISE_CACHE_DIR": str(tmp_path / "store"), "DICEWISE_DATA_DIR": str(tmp_path / "data")}
    env = kept | folders | {"COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}
    checker = doctest.OutputChecker()
    for command, output in commands(path):
        program, *words = shlex.split(command)
        assert program == "dicewise", f"{named(path)}: {command!r} cannot be tested; put it into a `sh` block"
        line = [sys.executable, "-m", "dicewise", *words]
        result = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", timeout=120)
        assert result.returncode == 0, f"{named(path)}: {command}\n{result.stderr}"
        if output.strip():
            same = checker.check_output(settled(output), settled(result.stdout), EXAMPLES)
            assert same, f"{named(path)}: $ {command}\nshown:\n{output}\nprinted:\n{result.stdout}"


# ---- links


def slug(heading: str) -> str:
    """The anchor of a heading."""
    plain = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


@pytest.mark.parametrize("path", ALL, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        wanted = (path.parent / file).resolve() if file else path
        assert wanted.exists(), f"{named(path)}: {target} does not exist"
        assert wanted.is_relative_to(ROOT), f"{named(path)}: {target} leads out of the repository"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", prose(wanted), flags=re.M)
            assert anchor in map(slug, headings), f"{named(path)}: {target} names no heading"


@pytest.mark.parametrize("path", ALL, ids=named)
def test_pages_name_no_folder_of_one_machine(path: Path) -> None:
    found = re.search(r"(?<![\w.~])/(?:home|root|tmp|Users|mnt|opt)/\w+", path.read_text(encoding="utf-8"))
    assert not found, f"{named(path)} names {found[0] if found else ''}"


def test_the_picture_is_small() -> None:
    assert (DOCS / "greed.png").stat().st_size < 400_000


# ---- nothing is left out


def each_command(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from each_command(command, (*words, name))


def long_options(command: click.Command) -> set[str]:
    return {opt for param in command.params for opt in (*param.opts, *param.secondary_opts) if opt.startswith("--")}


COMMANDS = dict(each_command(cli))
REFERENCE = (DOCS / "cli.md").read_text(encoding="utf-8")
SECTIONS = {
    heading.strip(" `"): body
    for heading, body in re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", REFERENCE, flags=re.M | re.S)
}
PARAMETERS = {parameter.option for rules in GAMES.values() for parameter in parameters(rules)}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_and_option_is_in_the_reference(words: tuple[str, ...]) -> None:
    section = SECTIONS.get(f"dicewise {words[0]}")
    assert section, f"docs/cli.md has no section `dicewise {words[0]}`"
    assert f"dicewise {' '.join(words)}" in section
    for option in long_options(COMMANDS[words]):
        there = f"`{option}`" in section or f"`{option}`" in SECTIONS["For all commands"]
        assert there, f"docs/cli.md does not explain {option} of dicewise {' '.join(words)}"


def test_options_of_the_program_and_of_games_are_in_the_reference() -> None:
    for option in long_options(cli) | {"--help"}:
        assert f"`{option}`" in SECTIONS["For all commands"], f"docs/cli.md does not explain {option}"
    for option in PARAMETERS:
        assert f"`{option}`" in REFERENCE, f"docs/cli.md does not name {option}"


def test_the_reference_explains_no_option_that_is_gone() -> None:
    known = long_options(cli).union({"--help"}, PARAMETERS, *map(long_options, COMMANDS.values()))
    # parameters of the games in examples/, and the one that stands for any
    known |= {"--parameter", "--tiles", "--dice", "--one-die"}
    for path in TESTED:
        text = "\n".join(line for line in path.read_text(encoding="utf-8").splitlines() if "pip " not in line)
        unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) - known
        assert not unknown, f"{named(path)} speaks of {sorted(unknown)}, which no command has"


def test_every_public_name_is_in_the_python_reference() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    missing = [name for name in dicewise.__all__ if not re.search(rf"\bdicewise\.{name}\b", text)]
    assert not missing


def test_every_setting_is_explained() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    text = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("store.md", "records.md"))
    for setting in set(re.findall(r"\bDICEWISE_[A-Z_]+", source)):
        assert f"`{setting}`" in text, f"neither docs/store.md nor docs/records.md explains {setting}"


@pytest.mark.parametrize("name", GAMES)
def test_parameters_of_every_game_are_explained(name: str) -> None:
    rows = re.findall(r"^\| (`.*?) \|", (DOCS / f"{name}.md").read_text(encoding="utf-8"), flags=re.M)
    explained = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    assert {parameter.name for parameter in parameters(GAMES[name])} <= explained


# ---- the project's papers


def test_citation() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(citation)
    assert citation["version"] == dicewise.__version__
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["license"] == project["license"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in project["authors"]]
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference)


def test_the_changelog_begins_with_this_version() -> None:
    headings = re.findall(r"^## \[?([^\]\s]+)\]?", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)
    assert headings[0] in (dicewise.__version__, "Unreleased")
    assert dicewise.__version__ in headings
