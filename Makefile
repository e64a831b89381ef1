# On a fresh machine: `make solve` and `make test` do everything, from the virtual environment on.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
endif

.PHONY: solve test browser lint bench docs clean
.DEFAULT_GOAL := solve

# three stamps: what a user needs is installed quickly, what a developer needs on top of it, what only benchmarks need
$(VENV)/.user: pyproject.toml src/dicewise/_version.py
	@$(PYTHON) -c 'import sys; sys.exit("dicewise needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; set PYTHON=python3.x") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "python3's venv module is missing: install python3-venv" >&2; exit 1; }
	@echo "installing dicewise into $(VENV)" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plot]'
	@touch $@

$(VENV)/.dev: $(VENV)/.user
	@echo "installing what the tests need into $(VENV)" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@echo "installing the peers of the benchmarks into $(VENV)" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]' && touch $@ \
	  || echo "some peers cannot be installed here; benchmarks that need them will say so" >&2

solve: $(VENV)/.user  ## solve standard Greed: print the opening move, draw the heatmaps
	@$(BIN)/dicewise solve greed
	@$(BIN)/dicewise plot greed -o greed.png

# The page of `dicewise study papers` is tested in a browser. Where there is none and we may, it is installed; where
# we may not, those tests are skipped, and say why.
browser:
	@for name in chromium chromium-browser google-chrome google-chrome-stable; do command -v $$name >/dev/null 2>&1 && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "installing chromium, in which pages are tested" >&2; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  apt="apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20"; \
	  { $$apt update && $$apt install -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 && exit 0; \
	fi; \
	echo "chromium is missing and cannot be installed here: tests of pages will be skipped (apt-get install chromium)" >&2

test: $(VENV)/.dev browser  ## the whole test suite
	@$(BIN)/python -m pytest -q -n auto --maxprocesses 8

lint: $(VENV)/.dev  ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(VENV)/.bench browser  ## benchmarks beside their peers, and the slow checks
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m pytest -q -m slow

docs: $(VENV)/.dev  ## the documentation, into docs/_build/html
	@$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:
	rm -rf $(VENV) docs/_build dist .pytest_cache .mypy_cache .ruff_cache
