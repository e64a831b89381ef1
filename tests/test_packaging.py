"""The wheel: what is in it, and whether it answers where nothing but itself and what it declares is installed."""

from __future__ import annotations

import email
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import dicewise

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def command(*words: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A program in a clean environment: no PYTHONPATH, a store of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}
    kept |= {"DICEWISE_CACHE_DIR": str(cwd / "store")} | variables
    return subprocess.run(list(map(str, words)), cwd=cwd, env=kept, capture_output=True, text=True, timeout=120)


def done(*words: str | Path, cwd: Path) -> str:
    result = command(*words, cwd=cwd)
    assert result.returncode == 0, f"{words}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (found,) = folder.glob("*.whl")
    return found


def needed(name: str, found: dict[str, metadata.Distribution]) -> None:
    """A distribution and all that it requires, extras left out."""
    if name not in found:
        found[name] = metadata.distribution(name)
        for requirement in found[name].requires or ():
            if ";" not in requirement:
                needed(re.split(r"[^\w.-]", requirement)[0].lower(), found)


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment that holds the wheel and its declared dependencies, nothing else."""
    folder = tmp_path_factory.mktemp("clean")
    done(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    done(
        *(sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", programs / "python"),
        *("install", "--quiet", "--no-deps", "--no-index", wheel),
        cwd=folder,
    )
    found: dict[str, metadata.Distribution] = {}
    for requirement in PROJECT["dependencies"]:
        needed(re.split(r"[^\w.-]", requirement)[0].lower(), found)
    borrowed = folder / "borrowed"
    borrowed.mkdir()
    for distribution in found.values():  # nothing is downloaded: what is installed here is lent, piece by piece
        for top in {file.parts[0] for file in distribution.files or () if ".." not in file.parts}:
            if top != "__pycache__" and not (borrowed / top).exists():
                (borrowed / top).symlink_to(Path(str(distribution.locate_file(top))))
    site = done(programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)
    (Path(site.strip()) / "borrowed.pth").write_text(f"{borrowed}\n")
    return programs


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    source = ROOT / "src"
    expected = {path.relative_to(source).as_posix() for path in source.rglob("*.py")}
    expected |= {"dicewise/py.typed", "dicewise/plot/page.css"}
    inside = {name for name in names if not name.startswith(f"dicewise-{dicewise.__version__}.dist-info/")}
    assert inside == expected


def test_metadata_of_the_wheel(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    info = f"dicewise-{dicewise.__version__}.dist-info"
    head = email.message_from_bytes(archive.read(f"{info}/METADATA"))
    assert (head["Name"], head["Version"], head["Requires-Python"]) == ("dicewise", dicewise.__version__, ">=3.11")
    assert set(head.get_all("Provides-Extra")) == {"plot", "parquet", "pandas", "dev", "bench"}
    assert head["License-Expression"] == "MIT"
    assert f"{info}/licenses/LICENSE" in archive.namelist()
    assert "dicewise = dicewise.cli:main" in archive.read(f"{info}/entry_points.txt").decode()
    assert "Typing :: Typed" in head.get_all("Classifier")
    assert head["Summary"]
    assert head.get_payload().strip(), "the README is the page of the package: it must not be empty"


def test_project_file() -> None:
    extras = PROJECT["optional-dependencies"]
    assert set(extras) == {"plot", "parquet", "pandas", "dev", "bench"}
    assert [re.split(r"\W", extras[name][0])[0] for name in ("plot", "parquet")] == ["matplotlib", "pyarrow"]
    assert any("plot" in line and "parquet" in line for line in extras["dev"] if line.startswith("dicewise["))
    assert {"pytest", "hypothesis", "ruff", "mypy", "build", "hatchling", "sphinx", "furo"} <= {
        re.split(r"[^\w-]", line)[0] for line in extras["dev"]
    }
    peers = {re.split(r"[^\w-]", line)[0] for line in extras["bench"]}
    assert peers == {"cvxpy", "mdpsolver", "open_spiel", "quantecon", "stormpy", "yatzy-solver"}
    assert not any(name in line for name in (*peers, "bench") for line in extras["dev"]), "tests need no peers"
    required = {re.split(r"[^\w-]", line)[0] for line in PROJECT["dependencies"]}
    assert required == {"click", "numba", "numpy", "platformdirs", "python-flint", "rich"}


def test_installed_wheel_is_the_one_that_answers(clean: Path, tmp_path: Path) -> None:
    where = done(clean / "python", "-c", "import dicewise; print(dicewise.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(clean.parent)
    assert done(clean / "dicewise", "--version", cwd=tmp_path).strip() == f"dicewise {dicewise.__version__}"
    advice = json.loads(done(clean / "dicewise", "advise", "greed", "85", "70", "--json", cwd=tmp_path))
    assert (advice["state"], advice["choices"][0]["action"]) == ("85 70", "3")
    assert advice["value"] == pytest.approx(0.0600904997367789, abs=1e-12)
    assert "Rolling 3 dice is best" in done(clean / "dicewise", "advise", "greed", "85", "70", cwd=tmp_path)
    assert "24" in done(clean / "python", "-m", "dicewise", "solve", "greed", cwd=tmp_path)


@pytest.mark.parametrize(
    ("words", "extra"),
    [("plot greed --max 5 -o a.png", "plot"), ("solve greed --max 5 --format parquet -o a.parquet", "parquet")],
)
def test_missing_extra_is_named(clean: Path, tmp_path: Path, words: str, extra: str) -> None:
    result = command(clean / "dicewise", *words.split(), cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert f"dicewise[{extra}]" in result.stderr
    assert not list(tmp_path.glob("[!s]*"))
