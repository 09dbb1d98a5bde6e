"""Writes the type stubs of the compiled module, and of the functions that come from the table of operators.

Usage: make_stubs.py MODULE FOLDER. MODULE is the compiled module, which must run on this machine.
"""

import importlib
import importlib.util
import inspect
import pathlib
import re
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY


def load(path):
    """Return the compiled module and `strew._derived`, without importing the package around them."""
    spec = importlib.util.spec_from_file_location("strew._strew", path)
    package = types.ModuleType("strew")
    package.__path__ = [str(HERE.parent / "strew")]
    package._strew = sys.modules["strew._strew"] = importlib.util.module_from_spec(spec)
    sys.modules["strew"] = package
    spec.loader.exec_module(package._strew)
    return package._strew, importlib.import_module("strew._derived")


def aliases(operators):
    """For each parameter that accepts one of several strings, map its name and these strings to a type alias.

    A parameter has two aliases if gathers and scatters accept different strings.
    """
    lists = {}
    for operator in operators:
        for name, words in operator["choices"].items():
            lists.setdefault(name, {}).setdefault(tuple(words), operator["name"].partition("_")[0])
    named = {}
    for name, kinds in lists.items():
        for words, kind in kinds.items():
            alias = "".join(part.title() for part in name.split("_")) + (kind.title() if len(kinds) > 1 else "")
            named[name, words] = f"_{alias}"
    return named


def stub(operator, named, parameters, types, result, needed=0):
    """Return the stub of one function. `types` maps roles and names. The first `needed` parameters get no default."""
    lines, by_name = [], False
    for number, parameter in enumerate(parameters):
        name, default = parameter.name, parameter.default
        if parameter.kind is KEYWORD_ONLY and not by_name:
            lines.append("*")
            by_name = True
        kind = {bool: "bool", int: "int", str: "str"}.get(type(default), types["scalar"])
        if name in operator["choices"]:
            kind = named[name, tuple(operator["choices"][name])]
        if role := operator["inputs"].get(name):
            kind = types.get(name, types[role]) + (" | None" if default is None else "")
        has_default = default is not parameter.empty and number >= needed
        lines.append(f"{name}: {types.get(name, kind)}" + (f" = {default!r}".replace("'", '"') if has_default else ""))
    return f"def {operator['name']}(\n" + "".join(f"    {line},\n" for line in lines) + f") -> {result}: ...\n"


def overloads(module, operator, named):
    parameters = list(inspect.signature(getattr(module, operator["name"])).parameters.values())
    out = [parameter.name for parameter in parameters].index("out")
    by_name = [*parameters]
    by_name[out] = parameters[out].replace(kind=KEYWORD_ONLY, default=inspect.Parameter.empty)
    # The overloads take `out` by name, or by position (then no argument before it has a default), or not at all.
    kinds = [("_Operand", "_OutT", by_name, 0), ("_Operand", "_OutT", parameters, out + 1)]
    kinds += [("_Typed[_DTypeT]", "None", parameters, 0)] if operator["name"].startswith("gather") else []
    kinds += [("_ArrayT", "None", parameters, 0), ("ArrayLike", "None", parameters, 0)]
    for data, into, given, needed in kinds:
        types = {"indices": "_Indices", "updates": "_Operand", "scalar": "_Operand | None", "out": into}
        types |= {"data": data, parameters[0].name: data}
        result = {"_Operand": into, "ArrayLike": "NDArray[Any]"}.get(data, data)
        yield "@overload\n" + stub(operator, named, given, types, result, needed)


def written(text):
    """Return a signature of nanobind in the syntax of a stub."""
    return f"def {re.sub(r'object(?!:)', 'Any', text.replace('strew._strew.', ''))}: ..."


def members(value, declared):
    """Return the lines for members of a module or class that the stub does not declare."""
    for name, member in vars(value).items():
        if name in declared or (name.startswith("__") and name not in ("__init__", "__version__", "__commit__")):
            continue
        if isinstance(member, property):
            yield "@property"
            yield written(name + member.fget.__nb_signature__[0][0].removeprefix("def "))
        elif isinstance(member, type):
            yield f"class {name}:"
            yield from (f"    {line}" for line in members(member, ()))
        elif type(member).__name__ in ("nb_func", "nb_method"):
            yield written(member.__doc__.splitlines()[0])
        elif isinstance(member, str | int):
            yield f"{name}: {type(member).__name__}"


def all_of(operators):
    return f"__all__ = {[each['name'] for each in operators]}\n".replace("'", '"')


def of_module(module, operators, named):
    text = (HERE / "_strew.pyi").read_text("utf-8") + all_of(operators)
    for (_, words), alias in named.items():
        choices = ", ".join(f'"{word}"' for word in words)
        text += f"{alias}: TypeAlias = Literal[{choices}]\n"
    for operator in operators:
        text += "".join(overloads(module, operator, named))
    declared = re.findall(r"^(?:class|def) (\w+)", text, re.M)
    return text + "\n".join(members(module, declared)) + "\n"


def of_functions(operators, named, signature, header, types, result):
    """Return the stub of the functions that `_derived` makes from operators. `signature` returns their signatures."""
    text = f"{header}\n{all_of(operators)}from .._strew import {', '.join(sorted({*named.values(), '_Indices', '_Operand'}))}\n\n"
    for operator in operators:
        text += stub(operator, named, signature(operator["name"]).parameters.values(), types, result)
    return text


def in_place(operators):
    return [each | {"name": f"{each['name']}_"} for each in operators if "updates" in each["inputs"].values()]


# The first lines of a stub, types by role, and the type of the results.
DASK = ("from typing import Any\n\nimport dask.array", dict.fromkeys(("data", "indices", "updates", "scalar"), "Any"), "dask.array.Array")
TORCH = (
    "from torch import Tensor\n",
    {"data": "Tensor", "indices": "Tensor | _Indices", "updates": "Tensor | _Operand", "update": "Tensor", "scalar": "complex | None"},
    "Tensor",
)


def main(path, folder):
    module, derived = load(path)
    operators = module._operators()
    named = aliases(operators)
    files = {
        "_strew.pyi": of_module(module, operators, named),
        "dask/_functions.pyi": of_functions([one for one in operators if one["name"] in derived.FOR_DASK], named, derived.of_dask, *DASK),
        "torch/_functions.pyi": of_functions(operators + in_place(operators), named, derived.of_torch, *TORCH),
    }
    for name, text in files.items():
        target = pathlib.Path(folder) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
