# The one way in: `make` lists what there is. A fresh machine needs only python3 (3.11 or later), make and git.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest --timeout=300

# Spark runs on Java 17. It is installed where that needs no password; else the message says how.
define JAVA
{ [ -n "$$JAVA_HOME" ] || command -v java; } >/dev/null 2>&1 || { \
  if command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ]; then \
    apt-get update -q && apt-get install -y -q openjdk-17-jre-headless; \
  elif command -v apt-get >/dev/null 2>&1 && sudo -n true 2>/dev/null; then \
    sudo -n apt-get update -q && sudo -n apt-get install -y -q openjdk-17-jre-headless; \
  elif command -v brew >/dev/null 2>&1; then brew install openjdk@17; \
  else false; fi; } || \
  echo "No Java: the pipeline on Spark and its tests need Java 17 (Debian and Ubuntu: openjdk-17-jre-headless)." >&2
endef

.DEFAULT_GOAL := help
.PHONY: help setup check format test test-long bench demo kafka clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## create .venv with Watchword and its tools in it

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Watchword needs Python 3.11 or later, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true)."; \
	  echo "Install one, or name it: make setup PYTHON=python3.12"; exit 1; } >&2
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot create virtual environments: its venv module is missing."; \
	  echo "On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; } >&2
	@$(JAVA)
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(INSTALLED)

check: setup ## formatting, lint and types
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: setup ## format the code and mend what ruff can
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

test: setup check ## check, then the fast tests
	$(PYTEST) --numprocesses auto --dist loadgroup
	@# Hashes wrap around by intent; only in plain Python does NumPy remark on it.
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m 'plain and not long' -W 'ignore:overflow encountered:RuntimeWarning'

test-long: setup ## the tests that take minutes
	$(PYTEST) --timeout=3600 -m long

bench: setup ## measure this machine (ARGS='...' go to `watchword bench`)
	$(BIN)/watchword bench $(or $(ARGS),yardstick)

demo: setup ## 200,000 subscriptions, 20,000 events, in about a minute; the same on Spark where there is Java
	$(BIN)/watchword demo

kafka: setup ## fetch Spark's connector and Kafka (Maven, Java) and run a broker on loopback until Ctrl-C
	PYTHONPATH=. $(BIN)/python scripts/kafka.py

clean: ## remove .venv and everything generated
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
