# The front door: every target installs what it needs (pass SKIP_DEPS=1 to skip that) and leaves its work in build*/.
PREFIX ?= /usr/local
MINUTES ?= 1
PYTHON = .venv/bin/python
STREW = build/strew

# ccache, where there is one, knows a file again in another clone too.
export CCACHE_BASEDIR = $(CURDIR)
export CCACHE_NOHASHDIR = 1

.PHONY: help deps build python ort torch cuda conformance playground run-playground run test torch-test fuzz format lint bench install clean

help: ## Say what there is to make
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

deps: ## Install the Debian and Python packages that are missing
	@test -n "$(SKIP_DEPS)" || scripts/install_deps.sh

build: deps ## Build the library and the program build/strew
	@scripts/build.sh release strew_program

python: deps ## Build the Python package and install it into .venv
	@scripts/build_wheel.sh build/wheel/built
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheel/built/*.whl

ort: deps ## Build the plug-in for ONNX Runtime and install it into .venv
	@scripts/build_onnxruntime.sh build/wheel/onnxruntime
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheel/onnxruntime/*.whl

torch: deps ## Build the kernels for the torch of PYTHON (default .venv's) and install them and the Python package there
	@scripts/build_wheel.sh build/wheel/built
	@scripts/build_torch.sh $(PYTHON) build/wheel/torch
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheel/built/*.whl build/wheel/torch/*.whl

cuda: deps ## Build the operators on CUDA devices (needs nvcc 13) and install them and the Python package for PYTHON
	@scripts/build_wheel.sh build/wheel/built
	@scripts/build_cuda.sh build/wheel/cuda
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheel/built/*.whl build/wheel/cuda/*.whl

conformance: deps ## Write the conformance suite for any runtime into build/conformance, with its wheel and a zip
	@scripts/build_conformance.sh build/conformance build/wheel/conformance

playground: ## Build the playground, a page that runs the library in the browser, into build/playground
	@test -n "$(SKIP_DEPS)" || scripts/install_deps.sh playground
	@scripts/build_playground.sh build/playground

run-playground: playground ## Serve it on this machine and open it in the browser
	@$(PYTHON) bindings/python/strew/_playground.py build/playground

run: build ## Run the official node tests, the operator pages' examples, then a large scatter on 1 and 2 threads
	@$(PYTHON) scripts/make_node_tests.py build/node_tests
	@$(STREW) test build/node_tests
	@$(PYTHON) scripts/make_examples.py build/page_examples
	@$(STREW) test build/page_examples --exact >build/page_examples.log || { grep -v '^pass' build/page_examples.log; exit 1; }
	@tail -n 1 build/page_examples.log
	@$(PYTHON) scripts/make_workload.py build/workload
	@scripts/run_workload.sh $(STREW) build/workload

test: deps ## Build and run every test, also under sanitizers; ends with "N passed, N failed"
	@scripts/run_tests.sh

torch-test: deps ## Install PyTorch into build/torch-python (gigabytes) and run the tests of its kernels; make test runs them from then on
	@scripts/test_torch.sh

fuzz: deps ## Run each fuzzer for MINUTES (default 1) on what it found before
	@scripts/run_fuzzers.sh $(MINUTES)

format: deps ## Format all C++ files
	@scripts/cpp_files.sh | xargs -0 clang-format -i

lint: deps ## Check the format of all C++ files and read them with clang-tidy
	@scripts/check_format.sh
	@scripts/run_clang_tidy.sh

bench: deps ## Measure: kernels, then all libraries on the named workloads, then the sweep; ends with plots in build/figures
	@scripts/bench.sh $(BENCH)

install: build ## Install under PREFIX (default /usr/local)
	cmake --install build --prefix "$(PREFIX)"

clean: ## Remove everything that was built
	rm -rf build build-*/
