# Two commands: `make run` serves the site, `make test` proves it. docs/development.md tells the rest.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000

# Compiled at installation, so that every start is quick, whatever PYTHONDONTWRITEBYTECODE says.
export UV_COMPILE_BYTECODE = 1
# The machine's own certificates, which pip and git use too: behind a company's proxy there are no others.
export UV_SYSTEM_CERTS = 1

BIN := .venv/bin
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --requirements
PYTEST := $(BIN)/python -m pytest
# Two workers for each run: half of the time a test waits for a clock, a server or a page.
WORKERS := -n 2 --dist worksteal
# Set, not unset: a developer's own .env must not lead these runs to a server.
EMBEDDED := DATABASE_URL=sqlite:///:memory: REDIS_URL=
SERVICES := $(BIN)/python -m tools.services
PURE := tests/games/rules tests/games/test_lines.py tests/games/test_bad_input.py tests/js \
	tests/faults/test_hostile.py tests/faults/test_origins.py tests/faults/test_silent.py
# The browser's loop stays on the main thread: its tests have a process of their own and may use the ORM beside it.
BROWSER := DJANGO_ALLOW_ASYNC_UNSAFE=1 $(PYTEST) -p no:asyncio -m e2e

.PHONY: run test test-quick test-services test-e2e test-deep mutants snapshots bench bench-live bench-records lint format messages lock address

run: address .venv/.run
	@exec $(BIN)/python -m tools.serve $(HOST) $(PORT)

# The two long runs share nothing, so they go side by side; each prints when it is over. The browser gets the machine alone.
test: lint
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-quick test-services
	@$(MAKE) --no-print-directory test-e2e

test-quick: .venv/.test
	$(EMBEDDED) $(PYTEST) $(WORKERS) -m "not (e2e or deep or postgres or redis)"

# What no server can change is not run again.
test-services: .venv/.test
	$(SERVICES) $(PYTEST) $(WORKERS) -m "not (e2e or deep)" $(PURE:%=--ignore=%)

test-e2e: .venv/.test
	$(EMBEDDED) $(BROWSER) $(WORKERS)

# Pictures of all pages and of the table in both sizes, languages and schemes, to be looked at.
snapshots: .venv/.test
	$(EMBEDDED) SNAPSHOTS=$(or $(FOLDER),data/snapshots) $(BROWSER) $(WORKERS) tests/e2e/test_accessible.py

# Each prints its seed and what it saw. `make test-deep TESTS=tests/faults` runs a part of them.
test-deep: .venv/.test
	$(SERVICES) $(PYTEST) -s -v -m deep --timeout=3600 --durations=0 $(TESTS)

# Which faults in a module of the rules their own tests do not notice: `make mutants FILE=payments`. A minute, and more for each that
# survives; mutants/ keeps them, `.venv/bin/mutmut show NAME` shows one. Properties and cached functions are left alone.
mutants: .venv/.mutants
	$(EMBEDDED) $(BIN)/mutmut run "games.rules.$(FILE).*"

# How fast the rules are beside other packages, which the gate does not need.
bench: .venv/.bench
	$(BIN)/python -m bench.rules

# How the pages of records do for a member of many hands. `make bench-records HANDS=10000`
bench-records: .venv/.test
	$(SERVICES) $(BIN)/python -m bench.records $(HANDS)

# How live play does under load, on a PostgreSQL that writes durably. `make bench-live SECTIONS="quiet layers"`
bench-live: .venv/.test
	$(SERVICES) --durable $(BIN)/python -m bench.live $(SECTIONS)

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(EMBEDDED) $(BIN)/python manage.py makemigrations --check --dry-run

format: .venv/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Collect the marked words into the catalogues; needs gettext.
messages: .venv/.run
	$(BIN)/python manage.py makemessages --locale en --no-location --ignore=.venv
	$(BIN)/python manage.py makemessages --locale en --no-location --ignore=.venv --domain=djangojs

# All files of hashed pins, from pyproject.toml.
lock: $(BIN)/uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
		pyproject.toml --output-file requirements.txt
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
		pyproject.toml --group test --constraint requirements.txt --output-file requirements-test.txt
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
		pyproject.toml --group bench --constraint requirements-test.txt --output-file requirements-bench.txt
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
		--group mutants --constraint requirements-test.txt --output-file requirements-mutants.txt

# Before anything else: one line, should this machine not do.
address:
	@$(PYTHON) tools/preflight.py $(HOST) $(PORT)

$(BIN)/uv:
	@$(PYTHON) tools/preflight.py
	@echo "Creating .venv and installing the packages …"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check "uv>=0.13,<0.14"

.venv/.run: requirements.txt | $(BIN)/uv
	@$(INSTALL) requirements.txt
	@touch $@

.venv/.test: requirements-test.txt | $(BIN)/uv
	@$(INSTALL) requirements-test.txt
	@touch $@ .venv/.run

.venv/.bench: requirements-bench.txt | $(BIN)/uv
	@$(INSTALL) requirements-bench.txt
	@touch $@ .venv/.run

.venv/.mutants: requirements-mutants.txt .venv/.test
	@$(INSTALL) requirements-mutants.txt
	@touch $@
