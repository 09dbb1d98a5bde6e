"""Tests the files of an installation of the package."""

import importlib.metadata
import itertools
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import tomllib

import pytest
import strew
from support import refuses, run_python, uses_libstdcxx

PACKAGE = pathlib.Path(strew.__file__).parent
ROOT = pathlib.Path(__file__).parents[2]
COMPILE_COMMANDS = ROOT / "build-python" / "compile_commands.json"

try:
    INSTALLED = importlib.metadata.distribution("strew")
except importlib.metadata.PackageNotFoundError:
    INSTALLED = None
needs_installation = pytest.mark.skipif(INSTALLED is None, reason="the package is not installed")
needs_library = pytest.mark.skipif(not uses_libstdcxx(), reason="the wheel was compiled with libc++")


@needs_installation
def test_the_tests_see_the_installed_package():
    assert INSTALLED.locate_file("strew/__init__.py") == pathlib.Path(strew.__file__)


@needs_installation
def test_the_version_is_that_of_the_metadata():
    assert INSTALLED.version == strew.__version__


@needs_installation
def test_numpy_is_the_only_dependency():
    needed = [requirement for requirement in INSTALLED.requires if "extra ==" not in requirement]
    assert needed == ["numpy>=2.0"]


@needs_installation
def test_the_script_is_an_entry_point():
    [script] = INSTALLED.entry_points.select(group="console_scripts")
    assert (script.name, script.value) == ("strew", "strew.__main__:main")


@needs_installation
def test_stubs_are_installed_and_sources_are_not():
    names = {str(path) for path in INSTALLED.files}
    assert {"strew/_strew.pyi", "strew/py.typed"} <= names
    assert not [name for name in names if name.endswith((".cc", "CMakeLists.txt"))]
    assert {name.split("/")[0].split("-")[0] for name in names} <= {"strew", "strew.libs", "..", "__pycache__"}


@needs_library
def test_the_headers_of_the_library_are_installed():
    folder = pathlib.Path(strew.get_include())
    installed = {path.relative_to(folder).as_posix() for path in folder.rglob("*.h")}
    assert installed == {path.relative_to(ROOT / "include").as_posix() for path in (ROOT / "include").rglob("*.h")}


@needs_library
@pytest.mark.skipif(not shutil.which("cmake"), reason="there is no cmake")
def test_a_cmake_project_finds_the_library_in_the_package(tmp_path):
    def run(*words):
        done = subprocess.run(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout

    run("cmake", "-S", ROOT / "tests/consumer", "-B", tmp_path, f"-Dstrew_DIR={strew.get_cmake_dir()}")
    run("cmake", "--build", tmp_path)
    run(tmp_path / "consumer")


@pytest.mark.parametrize("function", [strew.get_include, strew.get_cmake_dir])
def test_a_wheel_without_the_library_says_so(function, monkeypatch, tmp_path):
    monkeypatch.setattr(strew._paths, "_PACKAGE", tmp_path)
    refuses(FileNotFoundError, f"^{function.__name__}: this wheel does not contain Strew's C\\+\\+ headers", function)


def test_the_debian_package_has_the_version_of_the_project():
    version = re.search(r"project\(strew VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert (ROOT / "debian/changelog").read_text().startswith(f"strew ({version}) ")
    for name in ("libstrew", "libstrew-model", "libstrew-picture"):
        library = name + ".".join(version.split(".")[:2])  # the package is named after the soname
        assert f"\nPackage: {library}\n" in (ROOT / "debian/control").read_text()
        files = f"usr/lib/*/{name.replace('-', '_')}.so.*\n"
        assert (ROOT / f"debian/{library}.install").read_text() == files


@needs_installation
def test_the_licence_is_named_and_its_text_is_a_file():
    assert INSTALLED.metadata["License-Expression"] == "Apache-2.0"
    assert INSTALLED.metadata.get("License") is None
    assert INSTALLED.metadata.get_all("License-File") == ["LICENSE"]
    assert "Apache License" in INSTALLED.read_text("licenses/LICENSE")
    assert INSTALLED.metadata["Keywords"]
    assert not [name for name in INSTALLED.metadata.get_all("Classifier") if name.startswith("License")]


@pytest.mark.parametrize("folder", ["bindings/cuda", "bindings/onnxruntime", "bindings/torch", "conformance"])
def test_the_wheels_beside_it_take_the_licence_of_the_repository(folder):
    settings = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())
    assert settings["project"]["license"] == "Apache-2.0"
    taken = settings["tool"]["scikit-build"]["wheel"]["force-include"]
    assert {(ROOT / folder / source).resolve(): target for source, target in taken.items()} == {
        ROOT / "LICENSE": "${SKBUILD_METADATA_DIR}/licenses/LICENSE"
    }


# Phrases of each library's licence.
THIRD_PARTY = {
    "cli11": "Redistribution and use in source and binary forms",
    "expected": "CC0",
    "fmt": "Permission is hereby granted",
    "highway": "Apache-2.0",
    "minizip": "Altered source versions must be plainly marked",
    "nanobind": "Redistribution and use in source and binary forms",
    "nlohmann_json": "Permission is hereby granted",
    "robin_map": "Permission is hereby granted",
}
if (PACKAGE / "playground").exists():  # its module contains parts of emscripten and of the C and C++ libraries
    THIRD_PARTY["emscripten"] = "Permission is hereby granted"
if INSTALLED is not None and INSTALLED.read_text("licenses/third_party/zig.txt"):  # a published wheel
    THIRD_PARTY |= {"libcxx": "LLVM Exceptions", "zig": "The MIT License (Expat)"}
TABLE = json.loads((ROOT / "cmake" / "third_party.json").read_text())


@needs_installation
def test_the_licences_of_the_libraries_inside_are_there():
    folder = pathlib.Path(INSTALLED.locate_file("strew")).parent
    texts = {path.stem: pathlib.Path(folder, path).read_text() for path in INSTALLED.files
             if "licenses/third_party/" in str(path)}
    assert texts.keys() == THIRD_PARTY.keys()
    assert [name for name, words in THIRD_PARTY.items() if words not in " ".join(texts[name].split())] == []


@needs_installation
def test_the_bill_of_materials_names_them():
    bill = json.loads(INSTALLED.read_text("sboms/strew.cdx.json"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    strew_itself = bill["metadata"]["component"]
    assert (strew_itself["name"], strew_itself["version"]) == ("strew", INSTALLED.version)
    inside = {library["bom-ref"]: library for library in bill["components"]}
    assert inside.keys() == THIRD_PARTY.keys()
    assert bill["dependencies"] == [{"ref": strew_itself["bom-ref"], "dependsOn": list(inside)}]
    pinned = {library["title"]: library for library in TABLE.values()}
    for library in inside.values():
        if library["name"] in pinned and "version" in library:  # built from the pinned sources, not the system's
            known = pinned[library["name"]]
            assert library["version"] == known["version"]
            assert library["licenses"] == [{"expression": known["license"]}]
            assert library["purl"].endswith(f"@{known['commit']}")
    assert not [name for name in ("libcxx", "nanobind", "zig") if name in inside and not inside[name]["version"]]


def test_the_security_page_names_the_libraries_inside():
    rows = (ROOT / "SECURITY.md").read_text().partition("## Bundled libraries")[2].partition("\n## ")[0]
    named = [row.split("|")[1].strip() for row in rows.splitlines() if row.startswith("| ")][2:]
    assert [library["title"] for library in TABLE.values() if library["title"] not in named] == []


@pytest.mark.skipif(not COMPILE_COMMANDS.exists(), reason="the module was not built in this checkout")
def test_numpys_headers_come_before_pythons_where_debian_puts_those_of_numpy_1():
    words = [shlex.split(entry["command"]) for entry in json.loads(COMPILE_COMMANDS.read_text())
             if "bindings/python/src/" in entry["file"]]
    assert words
    for command in words:
        folders = [folder for option, folder in itertools.pairwise(command) if option == "-isystem"]
        first = {header: next(at for at, folder in enumerate(folders) if pathlib.Path(folder, header).exists())
                 for header in ("numpy/arrayobject.h", "Python.h")}
        assert first["numpy/arrayobject.h"] < first["Python.h"], folders


@pytest.mark.skipif(not COMPILE_COMMANDS.exists(), reason="the module was not built in this checkout")
def test_the_module_takes_the_librarys_objects_of_the_checkout():
    compiled = {entry["file"].removeprefix(f"{ROOT}/").removeprefix("build-python/")
                for entry in json.loads(COMPILE_COMMANDS.read_text())}
    assert any(file.startswith("bindings/python/src/") for file in compiled)
    assert {file for file in compiled if file.startswith(("src/", "apps/"))} <= {"apps/strew/main.cc"}


def test_the_module_shows_none_of_the_library_to_the_process():
    shown = subprocess.run(["nm", "-D", "-C", "--defined-only", strew._strew.__file__], stdout=subprocess.PIPE,
                           text=True, check=True).stdout
    names = [line.split(maxsplit=2)[2] for line in shown.splitlines()]
    assert "PyInit__strew" in names
    assert not [name for name in names if name.startswith("strew::")]


def test_import_loads_nothing_that_is_not_needed():
    code = "import sys, numpy; before = set(sys.modules); import strew; print(*(set(sys.modules) - before))"
    loaded = {name.split(".")[0] for name in run_python(code).split()}
    assert "strew" in loaded
    assert not loaded & {"onnx", "torch", "jax", "ml_dtypes", "scipy", "subprocess", "asyncio"}


def test_every_public_name_is_there():
    assert len(set(strew.__all__)) == len(strew.__all__)
    assert set(strew.__all__) <= set(dir(strew))
