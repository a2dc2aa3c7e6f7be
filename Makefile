# The few verbs of this repository. `make demo` and `make test` work on a fresh clone.
PYTHON ?= python3
CUDA ?=
VENV := .venv/bin
CUDA_FLAG := $(if $(filter 1 yes on true,$(CUDA)),--cuda,)

.PHONY: help demo bench test check format lock wheel install install-dev clean

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: install ## install, fetch the starter model, complete three cursors of this repository
	@$(VENV)/codeassistd demo

bench: install ## measure typing in files of this repository with the starter model, the short form
	@CODEASSISTD_HOME=$(CURDIR)/.demo $(VENV)/codeassistd model pull starter
	@CODEASSISTD_HOME=$(CURDIR)/.demo $(VENV)/codeassistd bench typing --keys 25 --interval 0 --interval 50

test: install-dev ## run all tests
	@$(VENV)/python -m pytest

check: install-dev ## lint and type-check
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check .
	@$(VENV)/mypy

format: install-dev ## format the code
	@$(VENV)/ruff check --fix .
	@$(VENV)/ruff format .

lock: install-dev ## choose new exact versions within the ranges of pyproject.toml
	@$(VENV)/python -m pip install --quiet uv
	@$(VENV)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
		--no-header --no-emit-index-url --no-annotate --upgrade --quiet -o requirements.lock

wheel: install-dev ## build the wheel into dist/
	@$(VENV)/python -m hatchling build -t wheel

install:
	@$(PYTHON) scripts/install.py $(CUDA_FLAG)

install-dev:
	@$(PYTHON) scripts/install.py --extra dev $(CUDA_FLAG)

clean: ## remove the environment and everything built
	rm -rf .venv .demo dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
