# Everything runs from a plain virtual environment made by Python 3.11 or later: `make up` needs nothing else.

# A distribution's Python is compiled with profiles and a quarter faster than one that is compiled without.
PYTHON ?= $(shell for python in /usr/bin/python3 python3; do \
  $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
LOCKS := requirements.txt requirements-model.txt
APPS := config entities llm ingestion references retrieval pulse chat text tests manage.py
# Python is to keep what pytest makes of the tests, whatever the environment says: else each worker makes it anew.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
# Of the proof, the fuzzer and the soak. Of the proof: 1 takes minutes on two cores; 100 runs for hours.
SIZE ?= 1

.PHONY: help setup setup-dev up test evaluate-labels prove fuzz soak lint words screenshots lock
.DEFAULT_GOAL := help

help:
	@echo "make up           install what is missing and run Clearance at http://localhost:8000/"
	@echo "make setup        the virtual environment with the locked dependencies, nothing more"
	@echo "make test         every test (installs Chromium on Debian when it may)"
	@echo "make evaluate-labels  how well text is labelled; ORDINARY=\"mail=/folder\" for ordinary files of one's own (docs/labels.md)"
	@echo "make prove        the proof that nothing leaks; SIZE=100 looks a hundred times as far (docs/proof.md)"
	@echo "make fuzz         hostile files through the real pipeline; SIZE=10 for ten times as many (docs/sandbox.md)"
	@echo "make soak         workers killed a hundred times, a drop of 500 files; SIZE=10 for ten times as many"
	@echo "make lint         every static check"
	@echo "make screenshots  pictures of all pages, into docs/screenshots"

# pip runs only when a lock changed since it last finished.
setup:
	@$(PYTHON) config/setup.py $(VENV) $(LOCKS)

setup-dev:
	@$(PYTHON) config/setup.py $(VENV) $(LOCKS) requirements-dev.txt

up: setup
	@exec $(BIN)/python -m config.supervisor

test: setup-dev
	@$(BIN)/python -m tests.system
	@$(BIN)/python -m tests.run $(ARGS)

evaluate-labels: setup
	@$(BIN)/python manage.py evaluate_classification $(foreach folder,$(ORDINARY),--ordinary $(folder)) $(ARGS)

# At its default size it is part of `make test` already.
prove: setup-dev
	@CLEARANCE_PROVE=$(SIZE) $(PYTEST) --numprocesses=auto --dist=worksteal --timeout=$$((300 * $(SIZE))) -m prove \
	  $(or $(ARGS),tests/prove tests/oracle tests/retrieval/test_oracle.py tests/retrieval/test_paths.py tests/pulse/test_oracle.py)

# A sample of it is part of `make test`.
fuzz: setup-dev
	@log=$$(mktemp) && trap 'rm -f '$$log EXIT && status=0 && \
	  CLEARANCE_FUZZ=$(SIZE) CLEARANCE_FUZZ_LOG=$$log $(PYTEST) --numprocesses=auto --dist=worksteal --timeout=7200 -m fuzz $(ARGS) \
	  || status=$$? ; $(BIN)/python -m tests.fuzz.figures $$log ; exit $$status

# A few kills and a small drop are part of `make test`.
soak: setup-dev
	@CLEARANCE_KILLS=$$((100 * $(SIZE))) CLEARANCE_DROP=$$((500 * $(SIZE))) $(PYTEST) -n 2 -s --timeout=$$((7200 * $(SIZE))) \
	  $(or $(ARGS),tests/ingestion/test_exactly_once.py tests/ingestion/test_drop.py)

lint: setup-dev
	$(BIN)/ruff check $(APPS)
	$(BIN)/ruff format --check $(APPS)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djade --check $$(find templates -name '*.html')
	home=$$(mktemp -d) && chmod 711 $$home && export CLEARANCE_HOME=$$home && trap 'rm -rf '$$home EXIT && \
	  $(BIN)/python manage.py check --fail-level WARNING && \
	  $(BIN)/python manage.py makemigrations --check --dry-run

words: setup-dev
	$(BIN)/python manage.py makemessages -l de --no-wrap --no-location -i .venv -i tests -i var -i static
	msgfmt --check -o locale/de/LC_MESSAGES/django.mo locale/de/LC_MESSAGES/django.po

screenshots: setup-dev
	@$(BIN)/python -m tests.system
	@$(BIN)/python -m pytest -m browser tests/browser/screenshots.py $(ARGS)

# For maintainers: needs `uv`. The files name versions and hashes, and no package index.
UV ?= uv
COMPILE := $(UV) pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links
lock:
	$(COMPILE) requirements.in --output-file requirements.txt
	$(COMPILE) requirements-dev.in --output-file requirements-dev.txt
	$(COMPILE) requirements-s3.in --output-file requirements-s3.txt
	$(COMPILE) --no-deps requirements-model.in --output-file requirements-model.txt
