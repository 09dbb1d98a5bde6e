"""Errors not caused by operands: unknown names, memory limits, environment variables, and copies of checked indices."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from support import refuses, says

import strew

D = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("scater", "; there are scatter_elements, scatter_nd"),
        ("Gather", "; did you mean 'gather'?"),
        ("load_modl", "; did you mean 'load_model'?"),
        ("install", "; see strew.torch.install"),
        ("take", "; see strew.numpy.take"),
        ("add", "; see strew.numpy.add"),
        ("nonsense", ""),
    ],
)
def test_a_name_that_the_module_lacks_is_guessed(name, hint):
    says(AttributeError, f"module 'strew' has no attribute {name!r}{hint}", getattr, strew, name)


@pytest.mark.parametrize(
    ("module", "name", "hint"),
    [("strew.numpy", "tkae", "; did you mean 'take'?"), ("strew.dask", "scater", "; there are scatter_elements, scatter_nd"), ("strew.dask", "take", "; did you mean 'gather'?")],
)
def test_a_name_that_another_module_lacks_is_guessed_too(module, name, hint):
    pytest.importorskip(module)
    says(AttributeError, f"module {module!r} has no attribute {name!r}{hint}", getattr, sys.modules[module], name)


@pytest.mark.parametrize("setter", [strew.set_memory_cache_limit, strew.set_scratch_limit])
def test_a_limit_of_memory_names_its_function_and_value(setter):
    for value in ("1G", 1.5, [1]):
        with pytest.raises(TypeError) as refusal:
            setter(value)
        assert str(refusal.value) == f"{setter.__name__}: n_bytes is {value!r}; an integer is wanted, such as 2**30 for 1 GiB"
    for value in (-1, 2**63):
        refuses(ValueError, f"^{setter.__name__}: {value} bytes; 0 to ", setter, value)


def test_none_is_the_limit_at_first():
    memory, scratch = strew.get_memory_cache_limit(), strew.get_scratch_limit()
    strew.set_memory_cache_limit(1)
    strew.set_scratch_limit(1)
    strew.set_memory_cache_limit(None)
    strew.set_scratch_limit(None)
    assert (strew.get_memory_cache_limit(), strew.get_scratch_limit()) == (memory, scratch)


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_checked_indices_say_why_they_are_not_copied(act):
    with pytest.raises(TypeError, match="^CheckedIndices are neither copied nor pickled: .* strew.check_indices there$"):
        act(strew.check_indices(strew.gather, D, [0]))


def test_a_number_of_threads_in_the_environment_that_is_none_is_said_once():
    code = "import strew; strew.get_num_threads(); strew.gather([1.0], [0]); print(strew.get_num_threads() >= 1)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "STREW_NUM_THREADS": "many"}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "True\n")
    assert done.stderr == "strew: STREW_NUM_THREADS is 'many'; a number from 1 to 1024 is wanted, and all processors are used\n"
