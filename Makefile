# Every target makes its own .venv when there is none; `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Neither the demo nor a test touches the user's own home.
DEMO_HOME := $(CURDIR)/.demo-home
CORPUS := golden/corpus
# Where a machine forbids it, each process would compile some 2,400 modules anew: 10 of 15 seconds of a start.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test check docs screens golden size bench soak clean

help: ## List the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

$(READY): pyproject.toml constraints.txt
	@echo "Installing into $(VENV) (two to four minutes, once) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	@touch $(READY)

demo: $(READY) ## Ingest the golden corpus into a home of its own and ask it questions
	@PIXELTABLE_HOME="$(DEMO_HOME)" PATH="$(CURDIR)/$(BIN):$$PATH" bash golden/demo.sh

test: $(READY) ## Run all tests
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: $(READY) ## Lint and type-check
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

golden: $(READY) ## Ask the golden questions and compare with the baseline
	@$(BIN)/python -m evaluation.golden

size: $(READY) ## Print the bytes that an install downloads, by the package index
	@$(BIN)/python -m evaluation.download

docs: $(READY) ## Write the generated reference pages again
	@$(BIN)/python docs/generate.py

screens: $(READY) ## Run real commands in a terminal and write docs/screens.md from them
	@$(BIN)/python docs/screens.py

bench: $(READY) ## Measure ingest and start
	@$(BIN)/python -m evaluation.bench ingest && $(BIN)/python -m evaluation.bench start

soak: $(READY) ## The long tests: twenty kills of each kind, four writers beside two readers
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m soak
	@$(BIN)/python -m evaluation.bench kills && $(BIN)/python -m evaluation.bench writers
	@$(BIN)/python -m evaluation.bench extraction-kills && $(BIN)/python -m evaluation.bench backups

clean: ## Stop the demo's database and remove what was made here
	@if test -x $(BIN)/python && test -d "$(DEMO_HOME)"; then $(BIN)/python -m evaluation.stop "$(DEMO_HOME)"; fi
	@rm -rf "$(DEMO_HOME)" $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
