# `make help` says what there is. Locks with hashes fill .venv, which has what hromada needs to run, and the environments
# in build: `developer` for checks and tests, `boot` for what installs the others, `label-studio` for the server, `inspect` for
# Inspect AI, which runs what we build, `spark` for Spark next to what tests need, `images/tools` for what starts containers, `sphinx` for the site,
# `twine` for what checks a release, `bare` for the release alone.
PYTHON ?= python3
BIN := .venv/bin
BOOT := build/boot/bin
UV := $(BOOT)/uv
SHARED := $(abspath $(or $(HROMADA_SHARED),$(wildcard ../shared)))
SOURCES := $(shell find aggregation annotation bot exports -type f -not -name '*.pyc') pyproject.toml README.md LICENSE
LOCKING := $(UV) pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11
COMPILE := $(UV) pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml
INSPECT := $(abspath build/inspect/bin/python)
STUDIO := $(abspath $(or $(HROMADA_LABEL_STUDIO),build/label-studio/bin/label-studio))
ARGS ?=
PART ?=
SEED := $(or $(SEED),$(shell date +%s))
COSTS := $(abspath build/costs.json)
SIMULATED := agreement_coverage further_coverage gold_review opinion_coverage paired_coverage panel_differences pilots planning score_coverage
# The bytecode of tests stays from run to run: asserts are rewritten once, not by each worker of each run.
define RUN_TESTS
mkdir -p build/test && find build/test -not -type d -not -name '*.pyc' -delete && \
	cp -Rp tests benchmarks docs docker examples requirements README.md README.uk.md CITATION.cff .env.example .gitignore pyproject.toml Makefile build/test/ && \
	cd build/test && $(if $(SHARED),HROMADA_SHARED="$(SHARED)") HROMADA_LABEL_STUDIO="$(STUDIO)" \
	HROMADA_INSPECT="$(INSPECT)" HROMADA_SITE="$(abspath build/site)" HROMADA_PART="$(PART)" HROMADA_RUN_COSTS="$(COSTS)" \
	PYTHONDONTWRITEBYTECODE= HYPOTHESIS_STORAGE_DIRECTORY="$(abspath build/hypothesis)" \
	$(TIMED) "$(abspath $(BIN))/pytest" -n auto --dist loadgroup
endef

.DEFAULT_GOAL := help
STUDIOS ?= 1.20.0 1.23.2 # the oldest and the newest Label Studio that hromada is tried with
.PHONY: help install servers consumers demo try test test-slow test-studios test-spark explore check bench coverage reference pictures site images dist lock clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: .venv/installed ## Install hromada into .venv

servers: build/label-studio/installed ## The Label Studio that tests start, in an environment of its own

consumers: build/inspect/installed ## Inspect AI and the checks of Every Eval Ever, which slow tests run, in an environment of their own

demo: .venv/installed ## The main job on simulated people: files and a page in ./demo
	$(BIN)/hromada demo --to demo

try: .venv/installed ## A campaign in a chat of your own browser (PROJECT=project.yaml)
	$(BIN)/hromada try $(or $(PROJECT),examples/eval-ua-tion/lmes-wis.yaml)

test test-slow test-studios explore check bench coverage reference pictures: BIN := build/developer/bin

test: build/developer/installed ## The tests of every change, on the built wheel (ARGS="-n0 tests/cli -k name" for some, on one core)
	$(RUN_TESTS) -m "not slow" $(ARGS)
	cd build/test && HROMADA_RUN_COSTS="$(COSTS)" "$(abspath $(BIN))/pytest" -q tests/house/run_costs.py

test-slow: build/developer/installed build/inspect/installed site ## The tests marked `slow` (PART=0 or 1 for half of them), and two minutes of `make explore`
	$(RUN_TESTS) -m slow $(ARGS)
	$(MAKE) explore ARGS=

test-studios: build/developer/installed ## What is said to Label Studio and back, against the oldest and the newest release (STUDIOS="1.20.0 1.23.2")
	for release in $(STUDIOS); do \
		test -x build/studios/$$release/bin/label-studio || { \
			$(UV) venv --quiet --clear --python $(PYTHON) build/studios/$$release && \
			$(UV) pip install --quiet --python build/studios/$$release/bin/python label-studio==$$release; } || exit 1; \
		echo "Label Studio $$release" && \
		HROMADA_LABEL_STUDIO="$(abspath build/studios)/$$release/bin/label-studio" "$(abspath $(BIN))/pytest" -n0 -q \
			tests/annotation/label_studio/test_server.py tests/annotation/label_studio/sync/test_round.py \
			tests/annotation/label_studio/sync/test_adoption.py tests/annotation/label_studio/run_on_postgresql.py \
			-k "not [postgresql]" $(ARGS) || exit 1; \
	done

test-spark: BIN := build/spark/bin
test-spark: build/java build/spark/installed ## `hromada votes` on a Spark of this machine, compared on every pool (Java 17 or 21)
	$(RUN_TESTS) -n0 tests/aggregation/compare_on_spark.py $(ARGS)

explore: TIMED := timeout --signal INT 120
explore: build/developer/installed ## A third of the property tests for two minutes, on new examples (SEED=… for the same again)
	export HROMADA_EXPLORE=$(SEED); $(RUN_TESTS) -x --hypothesis-seed=$(SEED) --randomly-seed=$(SEED) $(ARGS) \
		|| test $$? -eq 124 # the first failure ends it with 1; that the time is over is none

check: build/developer/packages ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: build/developer/installed ## Every figure about speed, each with its goal
	for script in $(filter-out $(SIMULATED:%=benchmarks/%.py),$(sort $(wildcard benchmarks/*.py))); do $(BIN)/python $$script $(ARGS) || exit 1; done

coverage: build/developer/installed ## Every table of coverage in docs/explanation, simulated again (under 30 minutes on two cores)
	$(BIN)/python benchmarks/every_coverage.py --json >build/coverage.jsonl || grep '"holds": false' build/coverage.jsonl
	$(BIN)/python docs/explanation/list_coverage.py build/coverage.jsonl

reference: build/developer/installed ## The reference, from what it describes: commands, project keys, columns, the library, the gallery
	$(BIN)/python docs/reference/list_commands.py
	$(BIN)/python docs/reference/list_keys.py
	$(BIN)/python docs/reference/list_columns.py
	$(BIN)/python docs/reference/list_library.py
	$(BIN)/python docs/reference/list_gallery.py

pictures: build/developer/installed ## Every picture in docs/pictures, from the running product (needs Chromium)
	$(BIN)/python docs/pictures/remake.py
	$(BIN)/python docs/pictures/gallery.py

site: build/sphinx/installed ## The documents as a site that needs no server, in build/site; a broken link is an error
	rm -rf build/site
	build/sphinx/bin/sphinx-build -q -W --keep-going -j auto -d build/sphinx/pages -c docs/site . build/site

images: build/images/tools/installed ## The images of docker/, built, started, killed, upgraded, restored without Docker (root; ARGS="sqlite")
	docker/images/build.sh
	$(PYTHON) docker/images/try_topologies.py $(ARGS)
	$(PYTHON) docker/images/try_units.py

dist: build/twine/installed ## A release in dist: sdist, the wheel that it builds, checked; the wheel's demo in a bare environment
	rm -rf dist build/sdist build/bare && mkdir -p build/sdist
	$(BOOT)/python -m hatchling build -t sdist -d dist >/dev/null
	tar -xzf dist/hromada-*.tar.gz -C build/sdist --strip-components 1
	cd build/sdist && "$(abspath $(BOOT))/python" -m hatchling build -t wheel -d "$(abspath dist)" >/dev/null
	build/twine/bin/twine --no-color check --strict dist/*
	$(UV) venv --quiet --python $(PYTHON) build/bare
	$(UV) pip sync --quiet --python build/bare/bin/python --require-hashes requirements/runtime.lock
	$(UV) pip install --quiet --python build/bare/bin/python --no-deps dist/hromada-*.whl
	cd build/bare && env -i HOME="$$PWD" bin/hromada --version && env -i HOME="$$PWD" bin/hromada demo --to demo
	sha256sum dist/*

lock: build/boot/made ## Renew the locks (they hold hashes and no address)
	$(LOCKING) --group boot -o requirements/boot.lock --upgrade
	$(COMPILE) --group dev -o requirements/dev.lock --upgrade
	$(COMPILE) -c requirements/dev.lock --excludes requirements/left-out.in -o requirements/runtime.lock --upgrade
	$(LOCKING) --group postgresql -c requirements/dev.lock -o requirements/postgresql.lock --upgrade
	$(LOCKING) --group duckdb -c requirements/dev.lock -o requirements/duckdb.lock --upgrade
	$(LOCKING) --group spark -c requirements/dev.lock -o requirements/spark.lock --upgrade
	$(LOCKING) --group harness -c requirements/dev.lock -o requirements/harness.lock --upgrade
	$(LOCKING) --group label-studio -c requirements/dev.lock -o requirements/label-studio-sdk.lock --upgrade
	$(LOCKING) --group site -o requirements/site.lock --upgrade
	$(LOCKING) --group dist -o requirements/dist.lock --upgrade
	$(LOCKING) requirements/label-studio.in -o requirements/label-studio.lock --upgrade
	$(LOCKING) requirements/inspect.in -o requirements/inspect.lock --upgrade
	$(LOCKING) requirements/images.in -o requirements/images.lock --upgrade
	$(LOCKING:3.11=3.12) --no-deps requirements/every-eval-ever.in -o requirements/every-eval-ever.lock --upgrade

clean: ## Remove everything that was made here
	rm -rf .venv build dist demo .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

build/python:
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing. Install Python 3.11, 3.12 or 3.13 (Debian: apt-get install python3 python3-venv)."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || { echo "$$($(PYTHON) --version) is not 3.11, 3.12 or 3.13. Install one of them and say: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing (Debian: apt-get install python3-venv)."; exit 1; }
	@mkdir -p build && touch $@

.PHONY: build/java
build/java:
	@"$${JAVA_HOME:+$$JAVA_HOME/bin/}java" -version 2>&1 | grep -Eq 'version "(17|21)[."]' || { echo "Java 17 or 21 is missing (Debian: apt-get install openjdk-17-jre-headless). If there are several, name one: JAVA_HOME=/usr/lib/jvm/…"; exit 1; }

build/boot/made: requirements/boot.lock | build/python
	$(PYTHON) -m venv build/boot
	$(BOOT)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/boot.lock
	$(UV) pip uninstall --quiet --python $(BOOT)/python pip setuptools # as heavy as uv, and of no more use here
	@touch $@

build/wheel/made: build/boot/made $(SOURCES)
	rm -rf build/wheel
	$(BOOT)/python -m hatchling build -t wheel -d build/wheel >/dev/null
	@touch $@

# Tests start many processes, so theirs is compiled at once; in .venv Python compiles what is used, when it is used.
build/developer/packages build/developer/installed build/spark/packages build/spark/installed: BYTECODE := --compile-bytecode
.venv/packages: requirements/runtime.lock
build/developer/packages: requirements/dev.lock
build/spark/packages: requirements/dev.lock requirements/spark.lock
.venv/packages build/developer/packages build/spark/packages: %/packages: build/boot/made
	$(PYTHON) -m venv $*
	$(UV) pip sync --quiet $(BYTECODE) --python $*/bin/python --require-hashes $(filter %.lock,$^)
	@touch $@

.venv/installed build/developer/installed build/spark/installed: %/installed: %/packages build/wheel/made
	$(UV) pip install --quiet $(BYTECODE) --python $*/bin/python --no-deps --reinstall build/wheel/hromada-*.whl
	@touch $@

build/label-studio/installed: requirements/label-studio.lock build/boot/made
	$(UV) venv --quiet --clear --python $(PYTHON) build/label-studio
	$(UV) pip sync --quiet --python build/label-studio/bin/python --require-hashes requirements/label-studio.lock
	@touch $@

build/sphinx/installed: requirements/site.lock build/boot/made
	$(UV) venv --quiet --clear --python $(PYTHON) build/sphinx
	$(UV) pip sync --quiet --compile-bytecode --python build/sphinx/bin/python --require-hashes requirements/site.lock
	@touch $@

build/twine/installed: requirements/dist.lock build/boot/made
	$(UV) venv --quiet --clear --python $(PYTHON) build/twine
	$(UV) pip sync --quiet --python build/twine/bin/python --require-hashes requirements/dist.lock
	@touch $@

build/images/tools/installed: requirements/images.lock build/boot/made
	$(UV) venv --quiet --clear --python $(PYTHON) build/images/tools
	$(UV) pip sync --quiet --python build/images/tools/bin/python --require-hashes requirements/images.lock
	@touch $@

# Every Eval Ever asks for Python 3.12 and for what its adapters need; its schemas and its checks do without either.
build/inspect/installed: requirements/inspect.lock requirements/every-eval-ever.lock build/boot/made
	$(UV) venv --quiet --clear --python $(PYTHON) build/inspect
	$(UV) pip sync --quiet --python build/inspect/bin/python --require-hashes requirements/inspect.lock
	$(UV) pip install --quiet --python build/inspect/bin/python --python-version 3.12 --no-deps --require-hashes \
		--target build/inspect/every-eval-ever -r requirements/every-eval-ever.lock
	@touch $@
