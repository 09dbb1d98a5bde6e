# Every target installs the packages that it needs, unless SKIP_DEPS=1 is set, and writes its results to build*/.
PREFIX ?= /usr/local
MINUTES ?= 1
PYTHON = .venv/bin/python
STREW = build/strew
# The caller's PYTHON, or python3.
CALLER = $(if $(filter file,$(origin PYTHON)),python3,$(PYTHON))

# wheels PACKAGE...: builds the wheels of packages and installs them for PYTHON.
wheels = $(foreach package,$(1),PYTHON=$(PYTHON) scripts/build_wheel.sh $(package) &&) \
  $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall \
  $(foreach package,$(1),build/wheel/$(package)/*.whl)

# need JOB: installs the packages of a job of scripts/install_deps.sh.
need = @test -n "$(SKIP_DEPS)" || scripts/install_deps.sh $(1)

.PHONY: help deps build run install uninstall wheel python ort torch cuda conformance playground run-playground site \
  test test-sanitize test-torch test-release test-all release fuzz format lint bench clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24
	@echo "Each target installs missing packages: Debian packages, and Python packages into .venv."
	@echo "With SKIP_DEPS=1 (make build SKIP_DEPS=1) nothing is installed."

run: ## Build, run the official node tests, 1170 examples and a large scatter on 1 and 2 threads
	$(call need,run)
	@scripts/build.sh program strew_program
	@scripts/run_examples.sh $(STREW) $(PYTHON)

build: ## Build the library and the program build/strew
	$(call need,build)
	@scripts/build.sh program strew_libraries strew_program

install: build ## Install the library, its headers and the program under PREFIX (default /usr/local)
	cmake --install build --prefix "$(PREFIX)"

uninstall: ## Remove the files that make install has copied
	@test -f build/install_manifest.txt || { echo "Nothing to remove: there is no build/install_manifest.txt, which make install writes" >&2; exit 1; }
	@$(if $(filter file,$(origin PREFIX)),,grep -qF "$$(realpath -ms "$(PREFIX)")/" build/install_manifest.txt || { \
	  echo "Nothing is removed: the last make install had another PREFIX" >&2; exit 1; })
	@sed 's|^|$(DESTDIR)|' build/install_manifest.txt | xargs -d '\n' rm -fv --
	@sed 's|^|$(DESTDIR)|' build/install_manifest.txt | xargs -d '\n' dirname | grep -E '/strew(/|$$)' | sort -ru | \
	  xargs -r -d '\n' rmdir --ignore-fail-on-non-empty
	@rm build/install_manifest.txt

deps: ## Install the Debian packages that pip install . needs
	$(call need,package)

test: ## Build and run what a change must pass
	$(call need,test)
	@scripts/run_tests.sh test

test-sanitize: ## Run the sanitizers, the fuzzers and clang-tidy
	$(call need,sanitize)
	@scripts/run_tests.sh sanitize

test-torch: ## Install PyTorch and PyG into build/torch-python (5 GB) and run the tests that need them
	$(call need,python)
	@scripts/run_tests.sh torch

test-release: ## Run what a release must pass: wheels, other Pythons, consumers, CUDA, the browser
	$(call need,release)
	@scripts/run_tests.sh release

test-all: ## Run all four tiers of tests
	$(call need,release)
	@scripts/run_tests.sh test sanitize torch release

python: ## Build the Python package and install it into .venv
	$(call need,python)
	@$(call wheels,python)

wheel: ## Build the wheel of the Python package for python3, or for PYTHON, into dist/
	$(call need,python)
	@PYTHON=$(CALLER) scripts/build_wheel.sh python build/wheel/dist
	@mkdir -p dist && cp build/wheel/dist/*.whl dist/
	@echo "To install it: $(CALLER) -m venv venv && venv/bin/pip install $$(cd build/wheel/dist && printf 'dist/%s' *.whl)"

ort: ## Build the plug-in for ONNX Runtime and install it into .venv
	$(call need,python)
	@$(call wheels,onnxruntime)

torch: ## Build the kernels for the PyTorch of the interpreter PYTHON; install them and the Python package there
	@$(PYTHON) -c 'import importlib.util as util; raise SystemExit(not util.find_spec("torch"))' 2>/dev/null || { \
	  echo "$(PYTHON) has no PyTorch. Name an interpreter that has it: make torch PYTHON=venv/bin/python" >&2; \
	  echo "To make one: python3 -m venv venv && venv/bin/pip install torch" >&2; exit 1; }
	$(call need,python)
	@$(call wheels,python torch)

cuda: ## Build strew-cuda13, the kernels for CUDA devices (needs nvcc 13); install it and the Python package for PYTHON
	$(call need,python)
	@$(call wheels,python cuda)

conformance: ## Write the cases of the conformance suite into build/conformance, and build its wheel and a zip
	$(call need,test)
	@scripts/build_conformance.sh build/conformance

playground: ## Build the playground, a page that runs the library in the browser, into build/playground
	$(call need,playground)
	@scripts/build_playground.sh build/playground

site: playground python ## Build the documents as a site, with operator, C++ and Python reference, into build/site
	$(call need,site)
	@scripts/build_site.sh build/site

run-playground: playground ## Serve the playground on this machine and open it in the browser
	@$(CALLER) bindings/python/strew/_playground.py build/playground

release: ## Make a release of HEAD in build/release: wheels, sdist, checksums, notes, a tag (RELEASE=--test: tests first)
	$(call need,release)
	@scripts/release.sh $(RELEASE)

fuzz: ## Run each fuzzer for MINUTES (default 1), starting from its earlier inputs
	$(call need,sanitize)
	@scripts/run_fuzzers.sh $(MINUTES)

format: ## Format all C++ files
	$(call need,test)
	@scripts/check_format.sh --fix

lint: ## Check all C++ files with clang-format and clang-tidy
	$(call need,sanitize)
	@scripts/check_format.sh
	@scripts/run_clang_tidy.sh

bench: ## Measure the choice of strategy, and the named workloads and the sweep in all libraries; plots in build/figures
	$(call need,python)
	@scripts/bench.sh $(BENCH)

clean: ## Remove everything that was built
	rm -rf build build-*/
