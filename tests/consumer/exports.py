#!/usr/bin/env python3
"""Fails unless the shared libraries export exactly the functions that public headers declare but do not define, and the
functions of libstrew that the libraries on top of it use.

Usage: exports.py INCLUDE_FOLDER LIBSTREW LIBRARY_ON_TOP... (needs clang++, nm and c++filt)
"""

import json
import pathlib
import subprocess
import sys

FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl"}
TEMPLATES = ("TemplateDecl", "SpecializationDecl")
DEFINED = {"inline", "constexpr", "pure", "isImplicit", "explicitlyDefaulted", "explicitlyDeleted"}


def output_of(*command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def declared_functions(include):
    """Yield the mangled names of the functions that the public headers declare without a definition."""
    headers = sorted(pathlib.Path(include, "strew").glob("*.h"))
    text = "".join(f"#include <strew/{header.name}>\n" for header in headers)
    dump = output_of("clang++", "-std=c++20", f"-I{include}", "-fsyntax-only", "-x", "c++", "-", "-Xclang",
                     "-ast-dump=json", "-Xclang", "-ast-dump-filter=strew", text=text)
    nodes, at = [], 0
    while at < len(dump):
        node, at = json.JSONDecoder().raw_decode(dump, at)
        nodes.append(node)
        at += 1  # skip the end of the line
    while nodes:
        node = nodes.pop()
        kind, inner = node.get("kind", ""), node.get("inner", [])
        if kind in FUNCTIONS and not DEFINED & node.keys() and all(one.get("kind") != "CompoundStmt" for one in inner):
            yield node["mangledName"]
        if not kind.endswith(TEMPLATES):
            nodes += inner


def demangled(names):
    return set(output_of("c++filt", text="\n".join(names)).splitlines())


def symbols(library, choice):
    """Return the kinds and names of the dynamic symbols."""
    return [line.split()[-2:] for line in output_of("nm", "-D", choice, library).splitlines()]


def main(include, core, *on_top):
    defined = [one for library in (core, *on_top) for one in symbols(library, "--defined-only")]
    functions = [name for kind, name in defined if kind not in "VWu"]
    exported = demangled(functions)
    elsewhere_too = demangled(name for kind, name in defined if kind in "VWu")  # inline functions
    used = demangled(name for library in on_top for _, name in symbols(library, "--undefined-only"))
    declared = demangled(declared_functions(include))
    for_others = exported & used - declared
    faults = [f"not exported: {name}" for name in sorted(declared - exported)]
    faults += [f"not in a public header, nor used: {name}" for name in sorted(exported - declared - for_others)]
    faults += [f"exported twice: {name}" for name in sorted({name for name in functions if functions.count(name) > 1})]
    faults += [f"not Strew's: {name}" for name in sorted(elsewhere_too)
               if not name.removeprefix("typeinfo ").removeprefix("name ").removeprefix("vtable ")
                          .removeprefix("for ").startswith("strew::")]
    print(*faults, f"{len(declared)} functions declared, {len(exported)} exported, {len(for_others)} of these for the others",
          sep="\n")
    return bool(faults) or not declared


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
