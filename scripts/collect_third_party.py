#!/usr/bin/env python3
"""Collects the used parts of the libraries in cmake/third_party.json into a folder, which an sdist carries as third_party.

Each library is read from its repository at the pinned commit, or from an unpacked copy in SOURCES/NAME. Either way the bytes
must match the table.

Usage: collect_third_party.py FOLDER [--from SOURCES] [--write]
    --write   writes the checksums that it finds to the table, for a new commit or new files of a library
"""

import argparse
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).parents[1] / "cmake" / "third_party.json"


def git(*command, folder):
    subprocess.run(["git", "-C", folder, *command], check=True, stdout=subprocess.DEVNULL)


def read_repository(library, folder):
    """Checks out the pinned commit into the folder. The commit's id is a checksum of its files."""
    git("init", "--quiet", folder=folder)
    git("fetch", "--quiet", "--depth", "1", library["repository"], library["commit"], folder=folder)
    git("checkout", "--quiet", "FETCH_HEAD", folder=folder)


def used_files(library, source):
    """Return the names of the used files, relative to the library's root."""
    names = set()
    for pattern in library["files"] + library["license_files"]:
        found = [path.relative_to(source).as_posix() for path in source.glob(pattern)]
        if not found:
            raise SystemExit(f"{library['title']} {library['version']}: there is no {pattern} in {source}")
        names.update(found)
    return sorted(names)


def checksum(source, names):
    """Return the SHA-256 of the output of sha256sum for these files."""
    lines = [f"{hashlib.sha256((source / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def collect(library, source, target):
    names = used_files(library, source)
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
    return checksum(target, names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--from", dest="sources", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    table = json.loads(TABLE.read_text())
    text = TABLE.read_text()
    shutil.rmtree(options.folder, ignore_errors=True)
    for name, library in table.items():
        with tempfile.TemporaryDirectory() as cloned:
            if options.sources:
                source = options.sources / name
            else:
                source = pathlib.Path(cloned)
                read_repository(library, source)
            found = collect(library, source, options.folder / name)
        if options.write:
            text = text.replace(f'"sha256": "{library["sha256"]}"', f'"sha256": "{found}"', 1)
        elif found != library["sha256"]:
            shutil.rmtree(options.folder)
            sys.exit(f"{library['title']} {library['version']}: the files have the checksum {found}, and "
                     f"{TABLE.name} has {library['sha256']}; nothing was collected")
    if options.write:
        TABLE.write_text(text)


if __name__ == "__main__":
    main()
