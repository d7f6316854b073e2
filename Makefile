# Needs python3 (3.11 or later) and make; everything else is installed into .venv.
#
#   make demo             the main job on real records, compared with the row loop
#   make test             the suite             (ARGS="-k name" narrows it)
#   make lint             style, types, layers, spelling, dependencies
#   make fuzz MINUTES=10  fresh random row functions against the row loop
#   make fuzz-ci          1,000 fixed ones on numba
#   make mutants          seeded faults, each of which the suite must catch
#   make bench            the benchmark tables, README's numbers, the plot: at most 30 minutes
#                         (TASKS="wide texts" for some; ARGS=--quick for a minute, not kept)
#   make bench-compare BASE=HEAD~1     kept results against a commit's, or a folder's

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
MINUTES ?= 10
ARGS ?=
TASKS ?=
BASE ?=
# A fixed order of tests in CI, a fresh one elsewhere.
ORDER := $(if $(CI),-p randomly --randomly-seed=1)
LINTED := src kernels tests benchmarks .ci

.PHONY: demo test lint docs fuzz fuzz-ci mutants bench bench-compare clean
.DELETE_ON_ERROR:

demo: $(VENV)/.installed-demo
	$(BIN)/batchprep demo

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n $(JOBS) $(ORDER) $(ARGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check $(LINTED)
	$(BIN)/ruff format --check $(LINTED)
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/deptry src
	$(BIN)/validate-pyproject pyproject.toml

docs: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests/docs $(ARGS)

fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

fuzz-ci: $(VENV)/.installed-dev
	$(BIN)/python -m tests.fuzz --functions 1000 --backend numba --derandomize

mutants: $(VENV)/.installed-dev
	$(BIN)/python -m tests.mutants

bench: $(VENV)/.installed-bench,torch
	$(BIN)/python -m benchmarks $(TASKS) $(ARGS)
ifeq ($(filter --quick,$(ARGS)),)
	$(BIN)/python -m benchmarks --plot --readme
	$(BIN)/python -m tests.docs.measured
endif

bench-compare: $(VENV)/.installed-bench,torch
	@test -n '$(BASE)' || { echo 'Say with what: make bench-compare BASE=HEAD~1 (a commit, or a folder of JSON)' >&2; exit 2; }
	$(BIN)/python -m benchmarks.compare $(BASE) $(ARGS)

clean:
	rm -rf $(VENV) build dist .coverage .hypothesis .import_linter_cache .pytest_cache .ruff_cache

# One stamp per extra: a second `make test` installs nothing, a changed pyproject.toml installs anew.
$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo 'batchprep needs Python 3.11 or later: make PYTHON=python3.11 ...' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
