"""Settings of all Python tests: the same cases of hypothesis on every run, and no files whose packages are missing."""

from importlib.util import find_spec

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")

# Packages that whole files of tests need. A file that pytest is given by name is collected all the same.
NEEDED = {"torch": "test_torch*.py", "torch_geometric": "test_torch_fuse*.py"}
NEEDED |= {"dask": "test_dask*.py", "distributed": "test_dask_cluster.py"}

collect_ignore_glob = [files for package, files in NEEDED.items() if find_spec(package) is None]


def pytest_report_header():
    return [f"not collected, since a package is missing: {files}" for files in collect_ignore_glob]
