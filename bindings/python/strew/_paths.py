"""Location of the C++ library in the package, for building extensions."""

import pathlib

_PACKAGE = pathlib.Path(__file__).parent


def _folder(function: str, path: str) -> str:
    folder = _PACKAGE / path
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{function}: this wheel does not contain Strew's C++ headers and libraries, because it was compiled with "
            "libc++ to run on every system; 'pip install --no-binary strew strew' compiles a package that contains them"
        )
    return str(folder)


def get_include() -> str:
    """Return the folder of the C and C++ headers, for a compiler's ``-I``.

    Returns
    -------
    str
        The path of a folder with ``strew/strew.h`` and ``strew/c.h``. `get_cmake_dir` locates the library itself.

    Raises
    ------
    FileNotFoundError
        If the package is a wheel without the C++ library, such as a wheel compiled with libc++.

    Examples
    --------
    >>> import os, strew
    >>> os.path.exists(os.path.join(strew.get_include(), "strew", "strew.h"))
    True
    """
    return _folder("get_include", "include")


def get_cmake_dir() -> str:
    """Return the folder of the CMake package, for ``strew_DIR`` or ``CMAKE_PREFIX_PATH``.

    ``find_package(strew)`` then defines the target ``strew::strew``: the headers and a static library. The components
    ``model`` and ``picture`` add libraries. A program must be built with the same C++ standard library as the package.

    Returns
    -------
    str
        The path of a folder with ``strewConfig.cmake``.

    Raises
    ------
    FileNotFoundError
        If the package is a wheel without the C++ library, such as a wheel compiled with libc++.

    Examples
    --------
    >>> import os, strew
    >>> os.path.exists(os.path.join(strew.get_cmake_dir(), "strewConfig.cmake"))
    True
    """
    return _folder("get_cmake_dir", "lib/cmake/strew")
