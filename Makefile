# SPDX-License-Identifier: GPL-3.0-or-later
#
# make demo        a world, its picture, its Blender file and its glTF in build/demo
# make test        all tests; TESTS=tests/voxel some of them
# make soak        the tests that repeat something random, for an hour or so and with new seeds
# make test-window tests in a Blender with a window, for which it makes a Debian of its own; needs root
# make check       linter and type checker
# make bench       figures beside those of peers, GROUP=greedy and the other files with rows() in benchmarks/
# make extension   the zips that Blender installs, in build/extension
# make clean       removes what was built, not the environments
#
# PYTHON, VENV and BPY choose another Python, environment folder and Blender: see tools/setup-environment.

VENV ?= .venv
CHECK_VENV ?= .venv-check
TESTS ?= tests
PROCESSES ?= 5
export PYTHON VENV BPY

.PHONY: demo test soak test-window bench check extension environment check-environment validator clean

demo: environment
	"$(VENV)/bin/voxelwright" demo -o build/demo

test: environment validator
	"$(VENV)/bin/python" -P -m pytest $(TESTS)

soak: environment
	"$(VENV)/bin/python" -P -m pytest --soak $(TESTS)

# 69 says that there can be no rig here, and why; the tests are skipped then.
test-window: environment
	"$(VENV)/bin/python" tools/window_rig.py || [ $$? = 69 ]
	"$(VENV)/bin/python" -P -m pytest tests/window

bench: environment
	"$(VENV)/bin/python" -m pip --disable-pip-version-check install --quiet --only-binary=:all: -r requirements/bench.txt
	"$(VENV)/bin/python" benchmarks/run.py --processes $(PROCESSES) $(GROUP)

check: check-environment
	"$(CHECK_VENV)/bin/ruff" check .
	"$(CHECK_VENV)/bin/ruff" format --check .
	"$(CHECK_VENV)/bin/mypy" -p voxelwright.voxel -p voxelwright.gpu_backend -p voxelwright.addon
	"$(CHECK_VENV)/bin/mypy" tools

extension: environment
	"$(VENV)/bin/python" tools/build_extension.py

environment:
	@tools/setup-environment

check-environment:
	@VENV="$(CHECK_VENV)" tools/setup-environment check

# The Khronos glTF validator judges what the bake exports. Without npm those tests are skipped.
validator:
	@if command -v npm >/dev/null; then $(MAKE) --silent node_modules/.package-lock.json; fi

node_modules/.package-lock.json: package-lock.json
	npm ci --no-audit --no-fund
	touch $@

clean:
	rm -rf build node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis
