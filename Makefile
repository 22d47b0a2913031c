# Everyday commands. `make test` is README's test command without the installation.
PYTHON ?= .venv/bin/python
.DEFAULT_GOAL := help
.PHONY: help install test lint types contracts generate bench build clean

help:       ## this list
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

install:    ## a virtual environment with everything that development needs
	python3 -m venv .venv && .venv/bin/pip install -e '.[dev]'

test:       ## every check: style, types, layers, tests
	$(PYTHON) -m pytest

lint:       ## style alone, and put right what can be
	$(PYTHON) -m ruff check --fix . && $(PYTHON) -m ruff format .

types:      ## types alone
	$(PYTHON) -m mypy

contracts:  ## who may import whom
	$(dir $(PYTHON))lint-imports

generate:   ## write again what is generated: schemas, vectors, the map in ARCHITECTURE.md
	$(PYTHON) -m tests.support.make_schemas && $(PYTHON) -m tests.support.make_vectors && $(PYTHON) -m tests.support.make_architecture

bench:      
	$(PYTHON) -m benchmarks

build:      ## sdist and wheel, to dist/
	$(PYTHON) -m pip install --quiet build && $(PYTHON) -m build

clean:      ## everything that can be made again
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
