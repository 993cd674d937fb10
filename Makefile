# Everything that is done with this checkout. Needs make, a POSIX shell, and Python 3.11 or later with venv
# and pip; the network is used by pip only, and only until the set-up is done.
#
#   make demo          set up, then open the debugger on the sample agent    ARGS="--lang zh" is passed on
#   make test          set up, then all checks and tests                     ARGS="tests/unit -k name" for some
#   make versions      the LangGraph adapter by older versions of LangGraph and LangChain
#   make screenshots   pictures of the running screen, by driving it
#   make bench         the budgets, as ratios
#   make clean         remove all that was made, the virtual environment too

VENV := .venv
PYTHON_IN := $(VENV)/bin/python
PIP := $(PYTHON_IN) -m pip --disable-pip-version-check --quiet install --constraint constraints.txt
# Scripts in a virtual environment hold its absolute path: a checkout that was moved is set up again.
HERE := $(shell printf '%s' "$(CURDIR)" | cksum | cut -d ' ' -f 1)
CORE := $(VENV)/.core-$(HERE)
DEV := $(VENV)/.dev-$(HERE)
ARGS ?=
export PYTHON

.PHONY: demo test check versions screenshots bench clean
.DELETE_ON_ERROR:
.NOTPARALLEL:

demo: $(CORE)
	@$(VENV)/bin/hookstepper demo $(ARGS)

test: check
	@echo "test: pytest"
	@$(PYTHON_IN) -m pytest -n 2 $(ARGS)

check: $(DEV)
	@echo "check: ruff, rules"
	@$(PYTHON_IN) -m ruff check .
	@echo "check: ruff, format"
	@$(PYTHON_IN) -m ruff format --check .
	@echo "check: mypy, strict"
	@$(PYTHON_IN) -m mypy
	@echo "check: import-linter, the walls between the floors"
	@$(PYTHON_IN) -c 'from importlinter.cli import lint_imports_command as run; run(["--no-logo"])'

versions: $(DEV)
	@sh scripts/versions.sh $(PYTHON_IN)

screenshots: $(DEV)
	@$(PYTHON_IN) scripts/screenshots.py $(ARGS)

bench: $(DEV)
	@for file in bench/*.py; do [ -e "$$file" ] || continue; echo "bench: $$file"; $(PYTHON_IN) "$$file" || exit 1; done

clean:
	@echo "clean: removing $(VENV), caches and builds"
	@rm -rf $(VENV) .venv-oldest .venv-middle build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests scripts bench sample_agents -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(CORE): pyproject.toml constraints.txt
	@sh scripts/make_venv.sh $(VENV)
	@echo "set-up: installing hookstepper and what its screen needs, at pinned versions"
	@$(PIP) --editable .
	@echo "set-up: compiling, so that the first screen comes at once"
	@$(PYTHON_IN) -m compileall -q src/hookstepper
	@touch $@

$(DEV): pyproject.toml constraints.txt
	@sh scripts/make_venv.sh $(VENV)
	@echo "set-up: installing hookstepper, the frameworks it debugs and the tools that check it, at pinned versions"
	@$(PIP) --editable '.[dev]'
	@touch $@ $(CORE)
