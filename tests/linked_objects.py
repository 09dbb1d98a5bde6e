"""Prints the objects that a static program links, and fails if one is of a folder of src that no FOLDER names.

Usage: linked_objects.py SOURCE_FOLDER LINKER_MAP PROGRAM FOLDER...; src/kernel/edge has the name kernel/edge
"""

import pathlib
import re
import sys


def folder_of(sources, member, expected):
    """Return the folder of an object: from the name of a unity object, or else the folder of the file with its name."""
    if match := re.fullmatch(r"unity_(\w+)_\d+_cxx\.cxx\.o", member):
        return match[1]
    found = sorted({path.relative_to(sources).parts[0] for path in sources.rglob(member.removesuffix(".o"))})
    if "kernel" in found and member.startswith("edge_"):
        return "kernel/edge"
    return next((folder for folder in found if folder in expected), "/".join(found))


def main(root, linker_map, program, *expected):
    members = set(re.findall(r"libstrew\w*\.a\((\w+\.\w+\.o)\)", pathlib.Path(linker_map).read_text()))
    linked = {}
    for member in sorted(members):
        linked.setdefault(folder_of(pathlib.Path(root, "src"), member, expected), []).append(member)
    for folder, names in sorted(linked.items()):
        print(f"{folder}: {' '.join(names)}")
    print(f"{len(members)} objects; the program has {pathlib.Path(program).stat().st_size} bytes")
    faults = [f"FAILED: links objects of {folder}" for folder in sorted(linked.keys() - set(expected))]
    faults += [f"FAILED: links no object of {folder}" for folder in sorted(set(expected) - linked.keys())]
    print("\n".join(faults))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
