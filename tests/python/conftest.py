"""Hypothesis draws the same cases on every run, and a file whose packages are missing is skipped."""

from importlib.util import find_spec

from hypothesis import settings
import pytest

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")

# Packages that whole files of tests need.
NEEDED = {"torch": "test_torch*.py", "torch_geometric": "test_torch_fuse*.py", "onnxscript": "test_torch_onnx.py"}
NEEDED |= {"dask": "test_dask*.py", "distributed": "test_dask_cluster.py", "jax": "test_dlpack.py"}


def missing_for(path):
    return [package for package, files in NEEDED.items() if path.match(files) and find_spec(package) is None]


class Skipped(pytest.File):
    def collect(self):
        pytest.skip(f"there is no {missing_for(self.path)}")


def pytest_pycollect_makemodule(module_path, parent):
    return Skipped.from_parent(parent, path=module_path) if missing_for(module_path) else None
