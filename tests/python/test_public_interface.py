"""Public names and signatures match the recorded ones, and defaults are values that a caller can write."""

import importlib
import inspect
import pathlib
import subprocess
import sys

import numpy as np
import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/public_interface.py"


def test_names_and_signatures_are_those_that_are_written_down():
    pytest.importorskip("dask")
    done = subprocess.run([sys.executable, "-P", SCRIPT, "python", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


PLAIN = (type(None), bool, int, float, str, tuple, type(np._NoValue))


def functions(module):
    """Yield (name, function) of the public functions, and of the public methods of classes and instances."""
    for name in getattr(module, "__all__", dir(module)):
        found = getattr(module, name)
        if callable(found) and not inspect.isclass(found):
            yield name, found
        if inspect.isclass(found) or type(found).__module__.startswith("strew"):
            for method in dir(found):
                if (not method.startswith("_") or method == "__init__") and callable(getattr(found, method)):
                    yield f"{name}.{method}", getattr(found, method)


@pytest.mark.parametrize("name", ["strew", "strew.numpy", "strew.dask", "strew.torch", "strew.torch_scatter", "strew.conformance", "strew.cuda"])
def test_every_default_is_a_value_that_a_caller_may_write(name):
    pytest.importorskip(name.replace("strew.", "").split("_")[0]) if name in ("strew.dask", "strew.torch", "strew.torch_scatter") else None
    module = importlib.import_module(name)
    seen = 0
    for function_name, function in functions(module):
        try:
            parameters = inspect.signature(function).parameters.values()
        except ValueError:  # a built-in without a signature
            continue
        seen += 1
        for parameter in parameters:
            default = parameter.default
            plain = default is inspect.Parameter.empty or (isinstance(default, PLAIN) and " at 0x" not in repr(default))
            assert plain, f"{name}.{function_name}: {parameter}"
    assert seen or name in ("strew.conformance", "strew.cuda")


def test_a_name_of_numpys_is_shown_as_it_is_written():
    import strew.numpy as snp

    assert repr(snp.add) == "strew.numpy.add" and repr(snp.bitwise_xor) == "strew.numpy.bitwise_xor"
    assert list(inspect.signature(snp.add.at).parameters) == ["a", "indices", "b"]


def test_an_operand_that_is_missing_is_missed_in_numpys_words():
    import strew.numpy as snp

    with pytest.raises(ValueError, match="second operand needed"):
        snp.add.at(np.zeros(1), [0])
