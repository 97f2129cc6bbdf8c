# Every target does its own set-up in .venv; nothing needs to be installed beforehand but
# python3 (3.11 or later) with venv, make and git. The tests take Java and Chromium from Debian's
# packages.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

.PHONY: demo test coverage lint dist wheel oldest attack mutants bench studies docs docs-serve pictures clean

demo: $(VENV)/.core
	$(BIN)/clustervet demo --report report.html

# One more than there are cores, since tests that wait for engines leave a core idle.
WORKERS = $$(( $$(nproc) + 1 ))
test: $(VENV)/.test
	tests/system_packages.sh
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q

# The same tests, and the share of statements that they reach, by module.
coverage: $(VENV)/.test
	tests/system_packages.sh
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q --cov --cov-report=term:skip-covered --cov-report=json:coverage.json

# SAMPLE=, SEED= and ROOM= change the sample; the first run records which lines each test reaches.
SAMPLE ?= 200
mutants: $(VENV)/.test
	tests/system_packages.sh
	$(BIN)/python tests/mutants/run_mutants.py --sample $(SAMPLE) --seed $(or $(SEED),0) \
	  $(if $(ROOM),--room $(ROOM))

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/check_docstrings.py
	$(BIN)/python tests/audit.py

dist: $(VENV)/.test
	rm -rf dist
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m build

# The wheel with its default dependencies in an environment of its own, outside the checkout.
wheel: dist
	$(BIN)/python tests/installed.py dist/*.whl

# The same with the oldest versions that pyproject.toml allows.
oldest: dist
	$(BIN)/python tests/installed.py dist/*.whl --constraints constraints-oldest.txt --other-numbers

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run.py --page docs

# MINUTES=5 for a shorter attack, SEED=7 for the cases of another one.
MINUTES ?= 60
attack: $(VENV)/.test
	tests/system_packages.sh
	$(BIN)/python -m fuzz attack --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

# The statistical promises on data that took no part in choosing the methods; about an hour.
studies: $(VENV)/.test
	$(BIN)/python studies/interval_coverage.py --write
	$(BIN)/python studies/internal_intervals.py --write
	$(BIN)/python studies/pair_intervals.py --write
	$(BIN)/python studies/paired_tests.py --write
	$(BIN)/python studies/tendency.py
	$(BIN)/python studies/cluster_stability.py
	$(BIN)/python studies/sampled_truth.py
	$(BIN)/python studies/chance_tails.py
	$(BIN)/python studies/repairs.py
	$(BIN)/python studies/select_bounds.py
	$(BIN)/python studies/tuning_accuracy.py
	$(BIN)/python studies/validated_likelihood.py --write
	$(BIN)/python studies/benchmark_errors.py --write
	$(BIN)/python studies/noise_features.py
	$(BIN)/python studies/medoid_samples.py

# The site, into site/; a warning is an error. `make docs-serve` shows it on this machine alone.
docs: $(VENV)/.docs
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/shapes.py
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d site/.doctrees docs site

docs-serve: docs
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory site 8000

# The pictures of the README, which need Chromium.
pictures: $(VENV)/.test
	tests/system_packages.sh
	$(BIN)/python docs/pictures.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e .
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e '.[test]'
	touch $@

$(VENV)/.docs: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e '.[docs]'
	touch $@

$(VENV)/.bench: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e '.[test,bench]'
	touch $@

clean:
	rm -rf $(VENV) dist build site docs/generated fuzz/failures .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
