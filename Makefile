# Everything a newcomer types. Each target sets up what it needs from Python, make and the package index alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check slow clean

demo: $(VENV)/installed
	$(BIN)/python examples/play_in_terminal.py du 200
	$(BIN)/tetrion bench lee dellacherie du --rules standard-10x10 --games 500

test: $(VENV)/installed
	$(BIN)/pytest -n 2 -m "not slow"

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

slow: $(VENV)/installed
	$(BIN)/pytest -n 2 -m slow

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
