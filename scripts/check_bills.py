#!/usr/bin/env python3
"""Checks the bills of materials in wheels against CycloneDX's JSON schema. Usage: check_bills.py WHEEL..."""

import json
import sys
import zipfile

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def faults(wheel):
    """Return the errors in the bills of a wheel, with their positions."""
    with zipfile.ZipFile(wheel) as archive:
        bills = {name: archive.read(name).decode() for name in archive.namelist() if ".dist-info/sboms/" in name and name[-1] != "/"}
    if not bills and not wheel.endswith("-any.whl"):  # wheels for any platform contain no other libraries
        yield "there is no bill of materials"
    for name, text in bills.items():
        version = json.loads(text).get("specVersion", "")
        try:
            error = JsonStrictValidator(SchemaVersion.from_version(version)).validate_str(text)
        except ValueError:
            yield f"{name}: specVersion is {version!r}, which is unknown"
            continue
        if error:
            yield f"{name}: {error.data.json_path}: {error.data.message}"


found = [f"{wheel}: {fault}" for wheel in sys.argv[1:] for fault in faults(wheel)]
print("\n".join(found) or f"the bills of materials of {len(sys.argv) - 1} wheels follow the schema")
sys.exit("FAILED: bills of materials" if found else 0)
