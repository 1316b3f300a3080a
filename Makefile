# Every target sets up what it needs on a fresh clone: python3 (3.11 or newer), a C++20
# compiler and make are all that is assumed. Second runs find the work done.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(shell find cpp -type f) CMakeLists.txt pyproject.toml
CPP := $(shell find cpp tests/cpp tests/faults -name '*.[ch]pp')
PIP := -m pip install --quiet --disable-pip-version-check

# Bytecode is kept, also where the environment says otherwise: every worker of the tests and every command that
# they start would compile all modules again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-thorough test-all test-cpp lint format docs bench bench-check sanitize threads faults fuzz coverage warnings wheel-test test-oldest test-newest stubs clean

demo: $(VENV)/.runs
	@$(BIN)/sightline demo

# Workers take tests in order, and from each other at the end: what a file prepares is mostly prepared once.
PYTEST := -m pytest -q -n auto --dist worksteal

# A check that passed writes so into docs/how-it-is-tested.md.
RECORD := $(PYTHON) -m docs.tools.last_runs

test: $(VENV)/.installed test-cpp
	$(BIN)/python $(PYTEST) -m "not thorough"

# The tests that go through many more cases of the same.
test-thorough: $(VENV)/.installed
	$(BIN)/python $(PYTEST) -m thorough

test-all: test test-thorough

# The kernels alone, without Python, in the folder where they were just built.
test-cpp: $(VENV)/.built
	build=$$(ls -td build/cp*-* | head -1) && export PATH="$(abspath $(BIN)):$$PATH" && \
	cmake -S . -B $$build -DSIGHTLINE_TESTS=ON > /dev/null && cmake --build $$build --target kernel_tests && \
	ctest --test-dir $$build --output-on-failure

lint: $(VENV)/.installed $(VENV)/.linters
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell
	@$(BIN)/clang-format --dry-run --Werror $(CPP)

format: $(VENV)/.linters
	$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CPP)

docs: $(VENV)/.installed
	$(BIN)/python -m mkdocs build --strict --site-dir build/site

# Ratios against peers, measured side by side and appended to benchmarks/history.tsv;
# `make bench LARGE=--large` for the sizes that take minutes.
bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks --record $(LARGE)

# Fails if a ratio of the last run is worse by more than a fifth than in the last run of the release before, or, as
# long as there is none, than in the run before it.
bench-check: $(VENV)/.installed
	$(BIN)/python -m benchmarks --check

# The tests once more, on kernels that report every bad access, overflow and undefined cast. Not those with
# a browser: it does not start with the sanitizer in its process.
sanitize: .venv-sanitize/.installed
	PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	.venv-sanitize/bin/python $(PYTEST) -p no:cacheprovider --junitxml=build/sanitize.xml $(or $(TESTS),tests --ignore=tests/browser)
	$(RECORD) "sanitize$(if $(TESTS), TESTS=$(TESTS))" --report build/sanitize.xml --python .venv-sanitize/bin/python

# The threaded kernels, on a build that reports every race.
threads: .venv-threads/.installed
	TSAN_OPTIONS=halt_on_error=1:suppressions=tests/faults/tsan.supp LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so)" \
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv-threads/bin/python -m tests.faults.threads
	$(RECORD) threads --result "no race"

# The n-th allocation of the kernels fails, for every n: MemoryError, never a crash.
faults: .venv-faults/.installed
	.venv-faults/bin/python -m tests.faults.allocations

# Files of every format, changed at random, into every reader: `make fuzz SECONDS=3600`, in CPU time.
fuzz: $(VENV)/.installed $(VENV)/.fuzzers
	$(BIN)/python -m fuzz.every_reader $(or $(SECONDS),60)

# The lines and branches of Python and C++ that the tests run, commands included, without the thorough tests.
# Each folder of tests is one process, and what it counted stays: after an interruption, `make coverage` goes on
# with the folders that are left. No workers of pytest-xdist: one that takes long to write its counts is killed.
COVERAGE := build/coverage
COVERED := $(patsubst tests/%/,%,$(sort $(dir $(wildcard tests/*/test_*.py)))) single_files
coverage: $(VENV)/.counters $(COVERAGE)/.emptied
	+@$(MAKE) --no-print-directory --jobs=$(or $(JOBS),2) $(COVERED:%=$(COVERAGE)/ran/%)
	export PATH="$(abspath $(BIN)):$$PATH" && cmake -S . -B $(COVERAGE) -DSIGHTLINE_TESTS=ON > /dev/null && \
	cmake --build $(COVERAGE) --target kernel_tests && ctest --test-dir $(COVERAGE) --output-on-failure
	.venv-coverage/bin/python -m coverage combine --quiet --keep --data-file=$(COVERAGE)/python.data $(COVERAGE)
	.venv-coverage/bin/python -m coverage json --quiet --data-file=$(COVERAGE)/python.data -o $(COVERAGE)/python.json
	$(BIN)/gcovr --root . --filter cpp/sightline/ --exclude-throw-branches --exclude-unreachable-branches \
	  --merge-lines --gcov-suspicious-hits-threshold 0 --json $(COVERAGE)/cpp_lines.json --txt $(COVERAGE)/cpp.txt $(COVERAGE)
	$(BIN)/python -m docs.tools.coverage_page

$(COVERAGE)/.emptied: .venv-coverage/.installed
	find $(COVERAGE) -name '*.gcda' -delete
	rm -rf $(COVERAGE)/python.data* $(COVERAGE)/ran
	mkdir -p $(COVERAGE)/ran
	echo "import coverage; coverage.process_startup()" \
	  > "$$(.venv-coverage/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/with_coverage.pth"
	@touch $@

$(COVERAGE)/ran/%:
	COVERAGE_FILE=$(abspath $(COVERAGE))/python.data .venv-coverage/bin/python -m coverage run -m pytest -q \
	  -m "not thorough" -p no:cacheprovider $(if $(filter single_files,$*),$(wildcard tests/test_*.py),tests/$*)
	@touch $@

# The kernels compiled by gcc and by clang, where a warning is an error.
warnings: $(VENV)/.tools
	for compiler in g++ clang++; do \
	  PATH="$(abspath $(BIN)):$$PATH" CXX=$$compiler cmake -S . -B build/warnings-$$compiler -G Ninja \
	    -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DSIGHTLINE_TESTS=ON > /dev/null && \
	  PATH="$(abspath $(BIN)):$$PATH" cmake --build build/warnings-$$compiler --target all kernel_tests || exit 1; done
	$(RECORD) warnings --result "no warning" --compilers g++ clang++

# The source distribution and the wheel that users install: checked, then installed and tested where PATH has no
# compiler. They are built from a copy of the tracked files: nothing else gets into them, and what
# is written or deleted meanwhile does not disturb the build.
WHEEL_TEST := build/wheel-test
COMMANDS := $(abspath $(WHEEL_TEST)/commands)
wheel-test: $(VENV)/.packagers
	rm -rf $(WHEEL_TEST)
	mkdir -p $(WHEEL_TEST)/source $(COMMANDS)
	git ls-files -z | tar --create --null --files-from=- | tar --extract --directory=$(WHEEL_TEST)/source
	$(BIN)/python -m build --outdir $(WHEEL_TEST)/dist $(WHEEL_TEST)/source
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir $(WHEEL_TEST)/wheels $(WHEEL_TEST)/dist/*.whl
	$(BIN)/twine check --strict $(WHEEL_TEST)/dist/*.tar.gz $(WHEEL_TEST)/wheels/*.whl
	$(PYTHON) -m venv $(WHEEL_TEST)/venv
	$(WHEEL_TEST)/venv/bin/python $(PIP) --upgrade "pip>=25.1"
	@# Links to everything else: the tests also need git, node, java and a browser. The first on PATH counts: what
	@# is there already is no failure.
	IFS=:; for folder in $$PATH; do find "$$folder/" -maxdepth 1 ! -type d ! -name '*gcc*' ! -name '*g++*' \
	  ! -name '*clang*' ! -name cc ! -name c++ ! -name 'c[89]9*' -exec sh -c 'ln -s "$$@" $(COMMANDS)' - {} +; \
	done 2> /dev/null; true
	PATH=$(COMMANDS) $(WHEEL_TEST)/venv/bin/python $(PIP) --only-binary :all: $(WHEEL_TEST)/wheels/*.whl
	PATH=$(COMMANDS) $(WHEEL_TEST)/venv/bin/sightline demo --out $(WHEEL_TEST)/demo
	PATH=$(COMMANDS) $(WHEEL_TEST)/venv/bin/python $(PIP) --group test
	PATH=$(COMMANDS) $(WHEEL_TEST)/venv/bin/python $(PYTEST) -p no:cacheprovider --junitxml=$(WHEEL_TEST)/tests.xml $(or $(TESTS),tests)
	$(RECORD) "wheel-test$(if $(TESTS), TESTS=$(TESTS))" --report $(WHEEL_TEST)/tests.xml --python $(WHEEL_TEST)/venv/bin/python

# The tests with the oldest versions that pyproject.toml allows, and with the newest that there are. Another Python gets an
# environment of its own: `make test-newest PYTHON=python3.14`.
RELEASE := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
OF_PYTHON := $(if $(filter python3,$(PYTHON)),, PYTHON=python$(RELEASE))
test-oldest test-newest: test-%: .venv-%-$(RELEASE)/.tested-with
	.venv-$*-$(RELEASE)/bin/python $(PYTEST) -p no:cacheprovider --junitxml=build/test-$*-$(RELEASE).xml $(or $(TESTS),tests)
	$(RECORD) "test-$*$(OF_PYTHON)$(if $(TESTS), TESTS=$(TESTS))" --report build/test-$*-$(RELEASE).xml \
	  --python .venv-$*-$(RELEASE)/bin/python

# What Python sees of the native module; committed, and compared by the tests.
stubs: $(VENV)/.installed
	$(BIN)/python -m nanobind.stubgen -q -m sightline._core -o src/sightline/_core.pyi

clean:
	rm -rf build $(VENV) .venv-*

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) --upgrade pip
	@touch $@

# The build tools live in the same environment: a rebuild then compiles only what changed.
$(VENV)/.tools: $(VENV)/.created pyproject.toml
	$(BIN)/python $(PIP) --group build
	@touch $@

# It compiles while other packages are downloaded and unpacked. One of the two works on Sightline alone, the other on
# everything else, so they do not meet in the environment.
BOTH := @$(MAKE) --no-print-directory --jobs=2 $(VENV)/.built
ifeq ($(MAKELEVEL),0)
.NOTPARALLEL:
endif

# Enough to use it; the tests need a dozen other libraries besides.
$(VENV)/.runs: $(VENV)/.tools $(NATIVE)
	$(BOTH) $(VENV)/.needed
	@touch $@

$(VENV)/.installed: $(VENV)/.tools $(NATIVE)
	$(BOTH) $(VENV)/.dependencies
	@touch $@

$(VENV)/.built: $(VENV)/.tools $(NATIVE)
	$(BIN)/python $(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

NEEDED := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")
$(VENV)/.needed: $(VENV)/.tools pyproject.toml
	$(BIN)/python -c '$(NEEDED)' > $(VENV)/needed.txt
	$(BIN)/python $(PIP) --requirement $(VENV)/needed.txt
	@touch $@

$(VENV)/.dependencies: $(VENV)/.needed
	$(BIN)/python $(PIP) --group test
	@touch $@

$(VENV)/.linters: $(VENV)/.created pyproject.toml
	$(BIN)/python $(PIP) --group lint
	@touch $@

$(VENV)/.fuzzers: $(VENV)/.created pyproject.toml
	$(BIN)/python $(PIP) --group fuzz
	@touch $@

$(VENV)/.counters: $(VENV)/.created pyproject.toml
	$(BIN)/python $(PIP) --group coverage
	@touch $@

$(VENV)/.packagers: $(VENV)/.created pyproject.toml
	$(BIN)/python $(PIP) --group package
	@touch $@

# Builds that watch the kernels, by the ninja of this environment: another version would compile all again, and
# counts of `make coverage` would not fit any more. Each shares the packages of the first environment, but has a sightline of
# its own: .venv-sanitize, .venv-threads, .venv-faults, .venv-coverage.
DEFINE_sanitize := SIGHTLINE_SANITIZE=address,undefined,float-cast-overflow
DEFINE_threads := SIGHTLINE_SANITIZE=thread
DEFINE_faults := SIGHTLINE_FAILING_ALLOCATIONS=ON
DEFINE_coverage := SIGHTLINE_COVERAGE=ON
.venv-%/.installed: $(VENV)/.dependencies $(VENV)/.installed $(NATIVE) $(shell find src -name '*.py')
	$(PYTHON) -m venv --clear .venv-$*
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
	  > "$$(.venv-$*/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/shared.pth"
	PATH="$(abspath $(BIN)):$$PATH" .venv-$*/bin/python $(PIP) --no-build-isolation --no-deps --force-reinstall . \
	  --config-settings=build-dir=build/$* --config-settings=cmake.define.$(DEFINE_$*)
	@touch $@

RESOLUTION_oldest := lowest-direct
RESOLUTION_newest := highest
CONSTRAINTS_oldest := --constraints tests/constraints-oldest.txt
.venv-%-$(RELEASE)/.tested-with: pyproject.toml $(NATIVE) $(shell find src -name '*.py')
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(PIP) uv
	$(@D)/bin/uv pip install --quiet --python $(@D)/bin/python --resolution $(RESOLUTION_$*) \
	  --requirement pyproject.toml --all-extras --group test --group build $(CONSTRAINTS_$*)
	PATH="$(abspath $(@D)/bin):$$PATH" $(@D)/bin/python $(PIP) --no-build-isolation --no-deps . \
	  --config-settings=build-dir=build/$*-$(RELEASE)
	@touch $@
