"""The command line program: ``python -m strew`` and the script ``strew``."""

import importlib.metadata
import os
import platform
import sys

from . import _strew

# Strew's own packages, and packages that are used with Strew.
_BESIDE = (
    "strew-torch onnxruntime-ep-strew strew-cuda13 numpy torch torch-geometric torch-scatter onnx onnxruntime dask distributed "
    "jax pandas ml-dtypes"
).split()


def _packages() -> list[str]:
    """Return the ``--package`` options of ``doctor``: the versions of Python and of installed packages."""
    versions = {"python": f"{platform.python_version()} ({platform.python_implementation()})"}
    for name in _BESIDE:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return [f"--package={name}={version}" for name, version in versions.items()]


def main() -> None:
    """Run the command line program with this process's arguments, and exit with the program's exit code."""
    if sys.argv[1:2] == ["playground"]:
        from ._playground import main as run_playground

        sys.exit(run_playground(sys.argv[2:]))
    more = _packages() if sys.argv[1:2] == ["doctor"] else []
    sys.exit(_strew._run_program([b"strew", *map(os.fsencode, sys.argv[1:] + more)]))


if __name__ == "__main__":
    main()
