# Everything a newcomer types. Each target sets up what it needs from Python, make and the package index alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check slow clean

demo: $(VENV)/installed
	rm -rf runs/demo
	$(BIN)/tetrion train gavrilov-plus --out runs/demo
	@echo; echo "The agent that was just trained beside the published one, on the same games:"
	$(BIN)/tetrion bench gavrilov runs/demo --rules gavrilov --games 100 --pieces 4000
	$(BIN)/tetrion report runs/demo
	@echo "Open runs/demo/report.html in a browser to see how it learnt, and how it plays."
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; \
	then echo "A window opens in which it plays."; $(BIN)/tetrion watch runs/demo; \
	else echo "Where there is no display, \`tetrion watch runs/demo --text\` plays in the terminal."; fi

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
