"""Path and names of the shared library, for users of ONNX Runtime's own functions."""

import pathlib


def get_library_path() -> str:
    """Return the path of the shared library, for ``onnxruntime.register_execution_provider_library``.

    Returns
    -------
    str
        An absolute path: ONNX Runtime looks for a relative one in its own folder.
    """
    return str(pathlib.Path(__file__).resolve().parent / "libstrew_onnxruntime.so")


def get_ep_name() -> str:
    """Return the name of the execution provider.

    Returns
    -------
    str
        ``"StrewExecutionProvider"``.
    """
    return "StrewExecutionProvider"


def get_ep_names() -> list[str]:
    """Return the names of all execution providers in the library.

    Returns
    -------
    list of str
        A list with one element, the name that `get_ep_name` returns.
    """
    return [get_ep_name()]
