# Commands for newcomers and developers. Each target installs what it needs, from Python and the package index.
# README and CONTRIBUTING show what to type without make, as on Windows.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Modules are compiled when they are first imported: most of those of the libraries never are.
INSTALL := $(BIN)/pip install --disable-pip-version-check --no-compile --editable

# With this variable, every process of the tests would compile all Python modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo app test check slow docs clean

demo: $(VENV)/demo
	rm -rf runs/demo
	$(BIN)/tetrion train gavrilov-plus --out runs/demo
	@echo; echo "The published agent and the trained one, 1,000 games each on a lower board, where games are short:"
	$(BIN)/tetrion bench gavrilov runs/demo --rules gavrilov:height=12 --games 1000
	$(BIN)/tetrion report runs/demo
	@echo "Open runs/demo/report.html in a browser for the training curves and a recorded game."
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; \
	then echo "Opening a window to watch the trained agent."; $(BIN)/tetrion watch runs/demo; \
	else echo "To watch the trained agent in the terminal:"; echo "$(BIN)/tetrion watch runs/demo --text"; fi

app: $(VENV)/app
	$(BIN)/python packaging/build.py

test: $(VENV)/developer
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

check: $(VENV)/developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/djlint --lint src
	$(BIN)/oxlint src docs
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --offline --quiet .github

slow: $(VENV)/developer $(VENV)/app $(VENV)/learning
	$(BIN)/pytest -n 2 --dist loadfile -m slow

docs: $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open site/index.html in a browser. To use its search, serve it: $(BIN)/python -m http.server --directory site"

# Each of these files says that an extra is installed. All share one environment, to which pip adds what is missing.
$(VENV)/demo: pyproject.toml
	@echo "Installing Tetrion, its window and its plots into $(VENV): 115 MB to download, 400 MB on disk."
	@echo "This takes one to two minutes, once."
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[window,plots]"
	@touch $@

$(VENV)/developer: $(VENV)/demo
	@echo "Adding the developers' tools: 135 MB to download, 420 MB on disk, one to two minutes, once."
	$(INSTALL) ".[dev]"
	@touch $@

$(VENV)/app $(VENV)/docs $(VENV)/learning: $(VENV)/demo
	$(INSTALL) ".[$(@F)]"
	@touch $@

clean:
	rm -rf $(VENV) build dist site src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
