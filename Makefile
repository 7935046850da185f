# Everything a newcomer types. Each target sets up what it needs from Python, make and the package index alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo app test check slow docs clean programs

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

app: $(VENV)/packager
	$(BIN)/python packaging/build.py

test: $(VENV)/installed programs
	$(BIN)/pytest -n 2 -m "not slow"

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

slow: $(VENV)/packager
	$(BIN)/pytest -n 2 --dist loadfile -m slow

docs: $(VENV)/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open site/index.html in a browser. To search it, serve it: $(BIN)/python -m http.server --directory site"

# Some tests drive a real browser and a real window. Where they are missing and cannot be had, those tests are skipped.
programs:
	@missing=; command -v chromium >/dev/null || missing=chromium; command -v Xvfb >/dev/null || missing="$$missing xvfb"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && grep -qs '^ID=debian' /etc/os-release; then \
		echo "Installing for the tests:" $$missing; \
		export DEBIAN_FRONTEND=noninteractive; \
		{ apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 update && \
		apt-get -qq install --yes --no-install-recommends $$missing; } >/dev/null 2>&1 || \
		echo "They cannot be installed here, so the tests that need them are skipped."; \
	fi

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

$(VENV)/packager: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[app]"
	touch $@

clean:
	rm -rf $(VENV) build dist site src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
