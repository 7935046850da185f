# Commands for newcomers and developers. Each target installs what it needs, from Python and the package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# With this variable, every process of the tests would compile all Python modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo app test check slow docs clean programs

demo: $(VENV)/installed
	rm -rf runs/demo
	$(BIN)/tetrion train gavrilov-plus --out runs/demo
	@echo; echo "The published agent and the trained one, 1,000 games each on a lower board, where games are short:"
	$(BIN)/tetrion bench gavrilov runs/demo --rules gavrilov:height=12 --games 1000
	$(BIN)/tetrion report runs/demo
	@echo "Open runs/demo/report.html in a browser for the training curves and a recorded game."
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; \
	then echo "Opening a window to watch the trained agent."; $(BIN)/tetrion watch runs/demo; \
	else echo "To watch the trained agent in the terminal:"; echo "$(BIN)/tetrion watch runs/demo --text"; fi

app: $(VENV)/packager
	$(BIN)/python packaging/build.py

test: $(VENV)/installed programs
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/djlint --lint src
	$(BIN)/oxlint src docs

slow: $(VENV)/packager $(VENV)/learning
	$(BIN)/pytest -n 2 --dist loadfile -m slow

docs: $(VENV)/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open site/index.html in a browser. To use its search, serve it: $(BIN)/python -m http.server --directory site"

# Some tests need a browser and a virtual display. Without them, these tests are skipped.
programs:
	@missing=; command -v chromium >/dev/null || missing=chromium; command -v Xvfb >/dev/null || missing="$$missing xvfb"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && grep -qs '^ID=debian' /etc/os-release; then \
		echo "Installing for the tests:" $$missing; \
		export DEBIAN_FRONTEND=noninteractive; \
		{ apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 update && \
		apt-get -qq install --yes --no-install-recommends $$missing; } >/dev/null 2>&1 || \
		echo "Installation failed; the tests that need these programs are skipped."; \
	fi

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

$(VENV)/packager: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[app]"
	touch $@

$(VENV)/learning: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[learning]"
	touch $@

clean:
	rm -rf $(VENV) build dist site src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
