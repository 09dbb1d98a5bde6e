"""Signatures and docstrings of functions for other kinds of arrays, derived from `strew`'s functions."""

import inspect
import re

from . import _strew

FOR_DASK = ("gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "tensor_scatter")
# Parameters that functions for Dask arrays lack, each with a hint for the error message.
NOT_FOR_DASK = {
    "out": "write the result with dask.array.store",
    "reject_duplicates": "chunks are computed separately, each with only some of the indices; check the indices first",
}
_SHUFFLE_METHOD = inspect.Parameter("shuffle_method", inspect.Parameter.KEYWORD_ONLY, default="auto")


def _signature(name, without, *more):
    given = inspect.signature(getattr(_strew, name.rstrip("_"))).parameters.values()
    return inspect.Signature([*(one for one in given if one.name not in without), *more])


def of_dask(name):
    """Return the signature of a function of `strew.dask`."""
    return _signature(name, NOT_FOR_DASK, *([] if name == "tensor_scatter" else [_SHUFFLE_METHOD]))


def of_torch(name):
    """Return the signature of a function of `strew.torch`."""
    return _signature(name, ("out",))


def dressed(function, name, module, signature, kinds, note, examples, more=""):
    """Return the function after setting its name, module, signature and docstring.

    The docstring is derived from that of `strew`'s function. `kinds` maps the kinds of operands in `strew`'s docstring,
    such as "array", to their replacements, and "result" to the kind of the result. `note` becomes the second paragraph,
    and `more` describes additional parameters.
    """
    lead, _, rest = inspect.getdoc(getattr(_strew, name.rstrip("_"))).partition("Parameters\n----------\n")
    parameters, *sections = re.split(r"\n(?=\w+\n-+\n)", rest)
    summary = lead.partition("\n")[0]
    text = f"{summary}\n\n{note}\n\nParameters\n----------\n"
    for each in re.split(r"(?m)^(?=\w+ : )", parameters):
        if each.partition(" ")[0] in signature.parameters:
            text += re.sub(r"(?<= : )(array.*?)(?=,|\n)", lambda found: kinds[found[1]], each, count=1)
    # `strew.dask` and `strew.torch` reject strings.
    text = re.sub(r",\s+or\s+strings|,\s+'add'\s+also\s+for\s+strings|\s+or\s+the\s+empty\s+string", "", text)
    text = text.rstrip() + f"\n{more}"
    for section in sections[:-1]:
        section = re.sub(r"\s+and\s+kind\b|,\s+of\s+the\s+kind\s+of\s+`\w+`|;\s+`out`\s+if\s+given", "", section)
        text += "\n" + re.sub(r"(?m)^array$", kinds["result"], section)
    function.__name__ = function.__qualname__ = name
    function.__module__, function.__signature__ = module, signature
    function.__doc__ = f"{text}\nExamples\n--------\n{examples}"
    return function
