# Two commands do everything on a machine with Python and git: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --config-settings editable_mode=compat --editable
PYTEST := $(BIN)/pytest --dist worksteal
# What is compiled, and what drives it step by step: the parts that differ as plain Python. What is left out of these
# folders judges means of many runs or says what stands in documents: the same duels, compiled or plain, give the same.
PLAIN := winnerstays/algorithms winnerstays/evidence.py winnerstays/interleaving winnerstays/learner.py \
	winnerstays/picking winnerstays/problems/chances.py winnerstays/randomness.py winnerstays/simulation winnerstays/theory \
	tests/algorithms tests/arena/test_algorithms.py tests/arena/test_learning.py tests/picking/test_procedure.py \
	tests/problems/test_problems.py tests/simulation/test_regret.py tests/simulation/test_simulate.py \
	tests/benchmarks/test_traffic.py tests/theory/test_expected.py tests/theory/test_ruin.py \
	tests/test_evidence.py tests/test_learner.py tests/test_randomness.py \
	--ignore tests/algorithms/test_docs.py --ignore tests/algorithms/test_measured_elsewhere.py
# Hundreds of processes start: each finds the bytecode that the first has written.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all test-pythons compiled plain lint types docs screenshots bench clean

run: .venv/run-ready
	@echo "== rerunning the paper, quickly: nine panels, every claim, one report in out/paper (one to three minutes)"
	$(BIN)/winnerstays research paper --quick
	@echo "== rankers of a generated collection, compared by the clicks of simulated searchers"
	$(BIN)/winnerstays problems rankers generated --queries 200
	@echo "== '. .venv/bin/activate' puts winnerstays and python on the path of this shell"

test: lint
	@$(BIN)/python -m tests.web.chromium
	@$(BIN)/python -m tests.service.nginx
	@$(BIN)/python -m tests.web.typescript
	@$(MAKE) --no-print-directory -j 2 types compiled
	@$(MAKE) --no-print-directory plain

# three: many of these wait for a browser, a server or a killed process
compiled: .venv/ready
	@echo "== tests, compiled"
	$(PYTEST) -n 3 -m "not slow"

plain: .venv/ready
	@echo "== tests of what is compiled, as plain Python"
	WINNERSTAYS_COMPILE=0 $(PYTEST) -n 2 -m "not slow" $(PLAIN)

# the pythons are those on the PATH, or those that pyenv has; each gets an environment of its own
test-pythons:
	@missing=; for version in 3.11 3.12 3.13; do \
		python=; for found in "python$$version" "$$(pyenv prefix $$version 2>/dev/null)/bin/python"; do \
			[ -n "$$python" ] || ! "$$found" -c "" 2>/dev/null || python=$$found; \
		done; \
		if [ -z "$$python" ]; then missing="$$missing $$version"; continue; fi; \
		venv=.venv-$$version; echo "== Python $$version, in $$venv"; \
		if [ ! $$venv/ready -nt pyproject.toml ]; then \
			"$$python" -m venv $$venv && touch $$venv/ready.draft && $$venv/bin/pip install --quiet \
				--disable-pip-version-check --config-settings editable_mode=compat --editable ".[all,dev]" \
				&& mv $$venv/ready.draft $$venv/ready || exit 1; \
		fi; \
		$(MAKE) --no-print-directory BIN=$$venv/bin test || exit 1; \
	done; \
	for version in $$missing; do echo "== Python $$version is not installed: not tested"; done

test-all: test
	@echo "== slow statistical tests"
	$(PYTEST) -n 2 -m slow

lint: .venv/ready
	@echo "== lint"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	@echo "== types"
	$(BIN)/mypy
	$(BIN)/mypy tests/typing

docs: .venv/ready
	@echo "== the documentation as a site in out/site"
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

screenshots: .venv/ready
	@echo "== pictures of the pages, for docs/pages"
	$(BIN)/python -m tests.web.screenshots

bench: .venv/ready
	@echo "== benchmarks"
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .venv-* out build *.egg-info .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# What `make run` needs; .venv/ready adds what the tests need: every extra, a cluster, a browser's driver, linters.
.venv/run-ready: pyproject.toml
	@echo "== creating the environment in .venv (once)"
	$(PYTHON) -m venv .venv
	$(INSTALL) ".[paper]"
	@touch $@

.venv/ready: .venv/run-ready
	@echo "== adding what the tests need to the environment in .venv (once)"
	$(INSTALL) ".[all,dev,docs]"
	@touch $@
