# The few verbs of this repository. `make demo` and `make test` work on a fresh clone.
PYTHON ?= python3
CUDA ?=
VENV := .venv/bin
CUDA_FLAG := $(if $(filter 1 yes on true,$(CUDA)),--cuda,)

.PHONY: help demo bench figures timings report test test-editors screenshots check format lock wheel vscode vscode-settings install install-dev clean

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: install ## install, fetch the starter model, complete three cursors of this repository
	@$(VENV)/codeassistd demo

bench: install ## measure typing in files of this repository with the starter model, the short form
	@CODEASSISTD_HOME=$(CURDIR)/.demo $(VENV)/codeassistd model pull starter
	@CODEASSISTD_HOME=$(CURDIR)/.demo $(VENV)/codeassistd bench typing --keys 25 --interval 0 --interval 50

figures: install-dev ## measure everything that docs/benchmarks.md shows, with the starter model (about an hour and a half)
	@CODEASSISTD_HOME=$(CURDIR)/.demo $(VENV)/codeassistd model pull starter
	@CODEASSISTD_HOME=$(CURDIR)/.demo $(VENV)/python -m scripts.report run
	@$(VENV)/python -m scripts.report write

timings: install-dev ## print how fast the index is here, and the engine if `make demo` has fetched the starter; asserts nothing
	@CODEASSISTD_HOME=$(CURDIR)/.demo $(VENV)/codeassistd bench index codeassistd --pairs 1
	@if [ -e .demo/data/models/starter/model.gguf ]; then CODEASSISTD_HOME=$(CURDIR)/.demo $(VENV)/codeassistd bench engine \
		--only decode_ratio --only prefill_ratio --pairs 3; fi

report: install-dev ## write the tables of docs/benchmarks.md and docs/evals.md from docs/figures/
	@$(VENV)/python -m scripts.report write

test: install-dev ## run all tests
	@$(VENV)/python -m pytest

test-editors: install-dev ## fetch the editors that can be had, and run the tests that drive them
	@$(PYTHON) scripts/install.py --extra dev --extra editors $(CUDA_FLAG)
	@$(VENV)/python -m scripts.install_editors
	@$(VENV)/python -m pytest -m editor

screenshots: install-dev ## make the pictures of the README anew, with the starter model (after `make test-editors`)
	@$(PYTHON) scripts/install.py --extra dev --extra editors $(CUDA_FLAG)
	@$(VENV)/python -m scripts.screenshots

check: install-dev ## lint and type-check
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check .
	@$(VENV)/mypy

format: install-dev ## format the code
	@$(VENV)/ruff check --fix .
	@$(VENV)/ruff format .

lock: install-dev ## choose new exact versions within the ranges of pyproject.toml
	@$(VENV)/python -m pip install --quiet uv
	@$(VENV)/uv pip compile pyproject.toml --extra dev --extra editors --universal --python-version 3.11 \
		--no-header --no-emit-index-url --no-annotate --upgrade --quiet -o requirements.lock

wheel: install-dev ## build the wheel into dist/ (after `make vscode` with the extension for VS Code in it)
	@$(VENV)/python -m hatchling build -t wheel

VSCODE := editors/vscode

vscode: $(VSCODE)/node_modules/.package-lock.json ## check and package the extension for VS Code (needs Node.js 20 or newer)
	@cd $(VSCODE) && npm run --silent check && npm test --silent && npm run --silent build
	@cp LICENSE $(VSCODE)/LICENSE
	@cd $(VSCODE) && npm run --silent package

# Only this needs the network, and only after a change of what is needed.
$(VSCODE)/node_modules/.package-lock.json: $(VSCODE)/package-lock.json
	@cd $(VSCODE) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

vscode-settings: install-dev ## show the settings as they are in VS Code's page of settings
	@$(VENV)/python scripts/vscode_settings.py

install:
	@$(PYTHON) scripts/install.py $(CUDA_FLAG)

install-dev:
	@$(PYTHON) scripts/install.py --extra dev $(CUDA_FLAG)

clean: ## remove the environment and everything built
	rm -rf .venv .demo dist build $(VSCODE)/node_modules $(VSCODE)/dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
