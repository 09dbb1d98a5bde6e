"""The recipe for Conan 2: `conan create .` in an unpacked sdist, or in a checkout where git reaches other repositories."""

import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Strew(ConanFile):
    name = "strew"
    description = "The ONNX gather and scatter operators: exact, deterministic, fast"
    license = "Apache-2.0"
    topics = ("onnx", "gather", "scatter")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "third_party/*"

    def set_version(self):
        text = load(self, pathlib.Path(self.recipe_folder, "CMakeLists.txt"))
        self.version = re.search(r"project\(strew VERSION ([0-9.]+)", text).group(1)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("strew is for Linux")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        # Nothing of the machine's gets into the package.
        bundled = pathlib.Path(self.source_folder, "third_party").exists()
        toolchain.cache_variables["STREW_DEPENDENCIES"] = "bundled" if bundled else "fetch"
        toolchain.cache_variables["STREW_BUILD_APPS"] = False
        toolchain.cache_variables["STREW_BUILD_TESTS"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE*", self.source_folder, pathlib.Path(self.package_folder, "licenses"), excludes="src/*")

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # it has a CMake package of its own
        self.cpp_info.builddirs = ["lib/cmake/strew"]
        self.cpp_info.includedirs = ["include", "include/strew/third_party"]
        self.cpp_info.libs = ["strew"]
        self.cpp_info.system_libs = ["pthread"]
