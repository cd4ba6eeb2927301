# Everything runs in .venv, which the targets below make themselves from the pinned, hashed requirement files.
PYTHON ?= python3
VENV := .venv
PEERS := .venv-peers
ANONYMETER := .venv-anonymeter
BIN := $(VENV)/bin
RUN := $(VENV)/run.stamp
DEV := $(VENV)/dev.stamp
BROWSER_VENV := .venv-browser
BROWSER := $(BROWSER_VENV)/browser.stamp
API_VENV := .venv-api
API := $(API_VENV)/api.stamp
SPARK_VENV := .venv-spark
SPARK := $(SPARK_VENV)/spark.stamp
LOWEST_VENV := .venv-lowest
LOWEST := $(LOWEST_VENV)/lowest.stamp
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# a process that keeps no bytecode compiles all it imports anew, and the tests start hundreds of them
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: bench-server test-postgres test-api test-spark test-lowest test-wheel help demo test quick test-all laws durations mutants browser all lint format types contracts unit coverage manual figures docs examples bench peers anonymeter verify verify-red-team claims sizes serve requirements clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(RUN): requirements/run.txt pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements/run.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements/dev.txt $(RUN)
	$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

$(BROWSER): requirements/browser.txt
	$(PYTHON) -m venv $(BROWSER_VENV)
	$(BROWSER_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/browser.txt
	@touch $@

$(SPARK): requirements/spark.txt pyproject.toml
	$(PYTHON) -m venv $(SPARK_VENV)
	$(SPARK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/spark.txt
	$(SPARK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(LOWEST): requirements/lowest.txt pyproject.toml
	$(PYTHON) -m venv $(LOWEST_VENV)
	$(LOWEST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/lowest.txt
	$(LOWEST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(API): requirements/api.txt
	$(PYTHON) -m venv $(API_VENV)
	$(API_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/api.txt
	@touch $@

demo: $(RUN) ## protect, attack, judge and report a bundled synthetic purchase history
	$(BIN)/sekisho demo --out demo

# $(call beside,TYPES,TESTS): types are checked while tests run, told after them, and both must pass
define beside
	$(1) > $(VENV)/types.log 2>&1 & types=$$!; \
	$(2); tests=$$?; \
	wait $$types; found=$$?; echo '$(1):'; cat $(VENV)/types.log; \
	test $$tests -eq 0 && test $$found -eq 0
endef

test: lint contracts docs ## what must hold before a change lands: style, contracts, the site, types, all tests
	$(call beside,$(BIN)/basedpyright,$(BIN)/pytest $(TWO))

quick: lint contracts ## the same without slow tests and types, but for those of the rooms that differ from the main branch
	$(call beside,$(BIN)/python -m tests.slow --types $(BIN)/basedpyright,$(BIN)/pytest $(TWO) --quick "$$($(BIN)/python -m tests.slow)")

test-all: $(DEV) ## every suite that make test leaves out, one after the other, with what each took ($$SUITES names some)
	@$(BIN)/python verify/suites.py $(SUITES)

laws: $(DEV) ## all laws on ten times as many examples ($$SEKISHO_EXAMPLES, 250 here)
	SEKISHO_EXAMPLES=$${SEKISHO_EXAMPLES:-250} $(BIN)/pytest $(TWO) -m hypothesis

durations: $(DEV) ## measure the CPU seconds of all tests, or of those in $$FILES, and list the slow ones anew
	$(BIN)/pytest $(TWO) --write-durations $(FILES)

mutants: $(DEV) ## draw mutations of the rooms that differ from the main branch, tell survivors ($$MUTANTS: --count 100 --seed 7)
	PYTHONPATH=.:verify $(BIN)/python verify/mutants.py $(MUTANTS)

all: test examples ## test, and run the examples

lint: $(DEV) ## style, spelling, dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell src tests docs bench verify examples README.md CHANGELOG.md CONTRIBUTING.md
	$(BIN)/deptry src

format: $(DEV) ## rewrite the code in the house's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(DEV) ## pyright in strict mode
	$(BIN)/basedpyright

contracts: $(DEV) ## who may import whom
	$(BIN)/lint-imports

# halves of the suite in one piece, so that what a file's tests share is made once; who is done takes of the other's
TWO := -n 2 --dist worksteal

unit: $(DEV) ## the tests, on two processes
	$(BIN)/pytest $(TWO)

browser: $(DEV) $(BROWSER) ## every page in a real Chromium: axe, phone, paper, keys ($$SEKISHO_CHROMIUM names another one)
	PYTHONPATH=. $(BIN)/python tests_browser/make_pages.py tests_browser/out
	$(BROWSER_VENV)/bin/python -m pytest tests_browser -q

test-postgres: $(DEV) ## the server's tests on a PostgreSQL that they start themselves
	$(BIN)/python tests/server/run_postgres.py $(BIN)/python -m pytest tests/server -q

test-api: $(DEV) $(API) ## generated requests to every address of the server, as everybody, at every stage (schemathesis)
	PYTHONPATH=. $(API_VENV)/bin/python tests_api/run.py --python $(BIN)/python

test-spark: $(SPARK) ## Spark, on a cluster of two workers that the tests start and stop (Java 17)
	$(SPARK_VENV)/bin/python -m pytest tests_spark -q

# left out: whether the manual is fresh (the pages of an older typer look otherwise), and an interruption while DuckDB 1.4
# loads pandas for itself, which it swallows: the second Ctrl-C is heard
NOT_LOWEST := --deselect 'tests/cli/kit/test_manual.py::test_what_is_built_from_the_program_is_fresh[src/sekisho/cli/kit/manual.json]' --deselect 'tests/cli/kit/test_manual.py::test_what_is_built_from_the_program_is_fresh[src/sekisho/cli/kit/manual.ja.json]' \
	--deselect 'tests/cli/risk/test_large_interrupted.py::test_a_long_question_can_be_interrupted[engine1]'
test-lowest: $(LOWEST) ## the tests with the oldest versions that the metadata allow, but two (the Makefile says which and why)
	$(LOWEST_VENV)/bin/python -m pytest $(TWO) $(NOT_LOWEST)

test-wheel: $(RUN) ## build the wheel, install it into empty environments (plain, server), run demo, init and gate there
	$(BIN)/python verify/wheel.py

coverage: $(DEV) ## branch coverage of the tests; the figure is in CONTRIBUTING
	$(BIN)/pytest $(TWO) --cov=sekisho --cov-branch --cov-report=term:skip-covered

manual: $(DEV) ## build the manual from the program
	PYTHONPATH=. $(BIN)/python docs/make_reference.py src/sekisho/cli/kit/manual.json src/sekisho/cli/kit/manual.ja.json

figures: $(DEV) ## docs/figures.md, from what stands in bench/*.json
	PYTHONPATH=. $(BIN)/python docs/make_reference.py docs/figures.md

docs: $(DEV) ## the documentation site, in site/, with its pages of commands and of Python names
	PYTHONPATH=. $(BIN)/python docs/make_reference.py docs/reference/commands.md docs/reference/python.md
	$(BIN)/zensical build --strict

examples: $(DEV) ## run every script in examples/
	@for script in examples/*.py; do echo "$$script"; $(BIN)/python "$$script" || exit 1; done

bench: $(DEV) ## one table of timings, each beside its reference; also bench/results.json
	PYTHONPATH=. $(BIN)/python bench/run.py

bench-server: $(DEV) ## the contest's server at a deadline: 300 uploads of 5 MB in 60 s, on SQLite and on PostgreSQL
	PYTHONPATH=.:verify:examples $(BIN)/python bench/server_load.py
	PYTHONPATH=.:verify:examples $(BIN)/python tests/server/run_postgres.py --durable $(BIN)/python bench/server_load.py

$(PEERS)/bin/python: requirements/peers.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/peers.txt
	@touch $@

peers: $(DEV) $(PEERS)/bin/python ## recoding of records beside anonypy, anjana and pycanon, which have an environment of their own
	$(BIN)/python bench/partition_adult.py --peers $(PEERS)/bin/python

$(ANONYMETER)/bin/python: requirements/anonymeter.txt
	$(PYTHON) -m venv $(ANONYMETER)
	$(ANONYMETER)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/anonymeter.txt
	@touch $@

anonymeter: $(DEV) $(ANONYMETER)/bin/python ## the attack on attributes beside anonymeter's, which has an environment of its own
	PYTHONPATH=. $(BIN)/python bench/anonymeter_peer.py --peer $(ANONYMETER)/bin/python

verify: $(DEV) ## the slow statistical campaigns; reports in verify/out
	PYTHONPATH=.:verify $(BIN)/python verify/made_up_exports.py verify/out/exports
	PYTHONPATH=. $(BIN)/python verify/exports.py verify/out/exports
	@for script in $(filter-out verify/exports.py verify/made_up_exports.py verify/mutants.py verify/suites.py,$(wildcard verify/*.py)); do \
		echo "$$script"; PYTHONPATH=. $(BIN)/python "$$script" || exit 1; done

verify-red-team: $(DEV) ## attacks, epsilon and households against listing all possibilities, on thousands of small cases
	@for part in composition downcode lattice_golden attribute intervals epsilon households; do \
		echo "$$part"; $(BIN)/python -m verify.red_team.$$part || exit 1; done

claims: $(DEV) ## every statement of docs/claims.md, executed and compared; real data from $$SEKISHO_DATA
	PYTHONPATH=.:verify $(BIN)/python verify/claims.py

sizes: $(DEV) ## how large the house is: lines, modules, functions, chains of imports
	$(BIN)/python verify/sizes.py

serve: $(DEV) ## the demonstration of the contest's server, on this machine
	$(BIN)/sekisho serve --demo

requirements: ## pin the requirement files anew (needs uv)
	uv pip compile pyproject.toml --group build $(PINS) -o requirements/run.txt
	uv pip compile pyproject.toml --extra server --extra large --extra scip --extra statistics --group build --group dev $(PINS) -c requirements/run.txt -o requirements/dev.txt
	printf 'anjana\nanonypy\npycanon\n' | uv pip compile - $(PINS) -o requirements/peers.txt
	printf 'anonymeter\n' | uv pip compile - $(PINS) -o requirements/anonymeter.txt
	uv pip compile --group browser $(PINS) -o requirements/browser.txt
	uv pip compile --group api $(PINS) -o requirements/api.txt
	uv pip compile pyproject.toml --extra spark --extra large --group build --group spark $(PINS) -c requirements/run.txt -o requirements/spark.txt
	uv pip compile pyproject.toml --extra server --extra large --extra scip --extra statistics --group build --group test $(PINS) --resolution lowest-direct --exclude-newer $(OLDEST) -o requirements/lowest.txt
OLDEST := 2025-11-16
PINS := --quiet --upgrade --no-strip-extras --generate-hashes --no-header --no-annotate --python-version 3.11

clean: ## remove what the targets made
	rm -rf $(VENV) $(ANONYMETER) $(BROWSER_VENV) $(API_VENV) $(SPARK_VENV) $(LOWEST_VENV) tests_browser/out demo site verify/out bench/results.json .pytest_cache .ruff_cache .import_linter_cache .hypothesis
