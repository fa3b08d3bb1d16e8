# Two commands do everything on a machine with Python and git: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
# What is compiled, and what drives it step by step: the parts that differ as plain Python.
PLAIN := winnerstays/algorithms winnerstays/learner.py winnerstays/problems winnerstays/simulation winnerstays/theory \
	tests/algorithms tests/problems tests/simulation tests/theory tests/test_compiling.py tests/test_learner.py \
	tests/test_randomness.py tests/arena/test_algorithms.py tests/arena/test_confidence.py tests/arena/test_learning.py \
	winnerstays/evidence.py winnerstays/picking tests/test_evidence.py tests/picking/test_procedure.py

.PHONY: run test test-all lint types screenshots bench clean

run: .venv/ready
	@echo "== rerunning the paper, quickly: nine panels, every claim, one report in out/paper (a minute or two)"
	$(BIN)/winnerstays paper --quick
	@echo "== '. .venv/bin/activate' puts winnerstays and python on the path of this shell"

test: lint types
	@$(BIN)/python -m tests.web.chromium
	@$(BIN)/python -m tests.service.nginx
	@echo "== tests, compiled"
	$(BIN)/pytest -n 2 -m "not slow"
	@echo "== tests of what is compiled, as plain Python"
	WINNERSTAYS_COMPILE=0 $(BIN)/pytest -n 2 -m "not slow" $(PLAIN)

test-all: test
	@echo "== slow statistical tests"
	$(BIN)/pytest -n 2 -m slow

lint: .venv/ready
	@echo "== lint"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	@echo "== types"
	$(BIN)/mypy

screenshots: .venv/ready
	@echo "== pictures of the pages, for docs/pages"
	$(BIN)/python -m tests.web.screenshots

bench: .venv/ready
	@echo "== benchmarks"
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv out build *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/ready: pyproject.toml
	@echo "== creating the environment in .venv (once)"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --config-settings editable_mode=compat --editable ".[all,dev]"
	@touch .venv/ready
