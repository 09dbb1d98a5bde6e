#!/usr/bin/env python3
"""Checks the bills of materials in wheels against CycloneDX's JSON schema, which cyclonedx-python-lib has.

Usage: check_bills.py WHEEL...
"""

import json
import pathlib
import sys
import zipfile

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def bills(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/sboms/" in name and not name.endswith("/")]
        return {name: archive.read(name).decode() for name in names}


def fault(text):
    """What is wrong with a bill, and where; nothing if all is well."""
    version = json.loads(text).get("specVersion", "")
    try:
        validator = JsonStrictValidator(SchemaVersion.from_version(version))
    except ValueError:
        return f"specVersion is {version!r}, which is unknown"
    error = validator.validate_str(text)
    return error and f"{error.data.json_path}: {error.data.message}"


def main():
    failed = False
    for wheel in map(pathlib.Path, sys.argv[1:]):
        found = bills(wheel)
        faults = [f"{name}: {wrong}" for name, text in found.items() if (wrong := fault(text))]
        if not found and not wheel.name.endswith("-any.whl"):  # the others have code of other libraries inside
            faults.append("there is no bill of materials")
        failed |= bool(faults)
        print(f"{wheel.name}: {'; '.join(faults) if faults else f'{len(found)} bills of materials follow the schema'}")
    sys.exit("FAILED: bills of materials" if failed else 0)


if __name__ == "__main__":
    main()
