#!/usr/bin/env bash
# Writes the cases of the conformance suite, builds its wheel and installs it into .venv. Packs cases, wheel and README into a zip.
# Usage: build_conformance.sh CASES
set -euo pipefail
cd "$(dirname "$0")/.."
cases=$1
wheels=build/wheel/conformance
python=.venv/bin/python

scripts/build_wheel.sh conformance
$python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl
$python -m gather_scatter_conformance --write "$cases"
$python - "$cases" "$wheels" <<'EOF'
import pathlib
import sys
import zipfile

cases, wheels = map(pathlib.Path, sys.argv[1:])
[wheel] = wheels.glob("*.whl")
files = {f"cases/{path.relative_to(cases)}": path for path in sorted(cases.rglob("*")) if path.is_file()}
files |= {"README.md": pathlib.Path("conformance/README.md"), "LICENSE": pathlib.Path("LICENSE"), wheel.name: wheel}
target = wheels / "onnx-gather-scatter-conformance.zip"
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, path in files.items():
        # The date is fixed, so that equal cases give equal archives.
        archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), path.read_bytes(), zipfile.ZIP_DEFLATED)
print(f"{target}: {target.stat().st_size / 2**20:.1f} MiB")
EOF
