"""The conformance suite of ONNX's gather and scatter operators: ``python -m strew.conformance --help``.

The suite is the separate package ``onnx-gather-scatter-conformance`` (``conformance/`` in Strew's source), which does
not depend on Strew and tests any runtime; this module only forwards to it.
"""

import sys


def main() -> int:
    """Run the suite's command with this process's arguments. Return 0 if every case passed or was not supported."""
    try:
        from gather_scatter_conformance.__main__ import main as run
    except ModuleNotFoundError as error:
        sys.exit(f"{error}; in Strew's source, run 'make conformance' and pip install build/wheel/conformance/*.whl")
    return run()


if __name__ == "__main__":
    sys.exit(main())
