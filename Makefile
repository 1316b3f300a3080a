# Every target sets up what it needs on a fresh clone: python3 (3.11 or newer), a C++20
# compiler and make are all that is assumed. Second runs find the work done.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(shell find cpp -type f) CMakeLists.txt pyproject.toml

.PHONY: demo test lint bench sanitize stubs clean

demo: $(VENV)/.installed
	@$(BIN)/sightline demo

test: $(VENV)/.installed
	$(BIN)/python -m pytest -q -n auto

lint: $(VENV)/.linters
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell src cpp tests benchmarks docs README.md CHANGELOG.md CONTRIBUTING.md

clean:
	rm -rf build $(VENV) .venv-sanitize

$(VENV)/.created: 
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

# The build tools first, into the same environment: then a rebuild compiles only what changed.
$(VENV)/.dependencies: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --group build --group test
	@touch $@

$(VENV)/.installed: $(VENV)/.dependencies $(NATIVE)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

$(VENV)/.linters: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@
