"""Writes the operators' part of the type stubs from the table of operators that the installed package has.

Usage: make_stubs.py [--write]; without it, the exit code says whether the stubs are as they should be.
"""

import inspect
import pathlib
import sys

from strew import _strew

STUBS = pathlib.Path(__file__).parents[1] / "bindings/python/strew/_strew.pyi"
BEGIN = "# From here on scripts/make_stubs.py writes.\n"
END = "# To here.\n"


def aliases(operators):
    """Return the name of the type of each choice by its words; two if gathers and scatters differ."""
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


def annotation(operator, name, default, named):
    role = operator["inputs"].get(name)
    if role is not None:
        kind = "_Indices" if role == "indices" else "_Operand"
        return kind + (" | None" if default is None else "")
    if name in operator["choices"]:
        return named[name, tuple(operator["choices"][name])]
    return {bool: "bool", int: "int"}.get(type(default), "_Operand | None")


def overload(operator, named, data, out, result, *, out_by_name):
    """One overload. `out_by_name` ends the arguments that can be positional before `out`, which then has no default."""
    lines, by_name = [], False
    for parameter in inspect.signature(getattr(_strew, operator["name"])).parameters.values():
        name, default = parameter.name, parameter.default
        if not by_name and (parameter.kind is inspect.Parameter.KEYWORD_ONLY or (name == "out" and out_by_name)):
            lines.append("*")
            by_name = True
        if name == "out":
            lines.append(f"out: {out}" + (" = None" if out == "None" else ""))
        elif not lines:
            lines.append(f"{name}: {data}")
        else:
            text = f"{name}: {annotation(operator, name, default, named)}"
            # Arguments before a required `out` have no default.
            needed = default is inspect.Parameter.empty or (out != "None" and not out_by_name and not by_name)
            lines.append(text if needed else f'{text} = {default!r}'.replace("'", '"'))
    return f"@overload\ndef {operator['name']}(\n" + "".join(f"    {line},\n" for line in lines) + f") -> {result}: ...\n"


def stubs():
    operators = _strew._operators()
    named = aliases(operators)
    parts = []
    for (_, words), alias in named.items():
        parts.append(f"{alias}: TypeAlias = Literal[{', '.join(f'{chr(34)}{word}{chr(34)}' for word in words)}]\n")
    for operator in operators:
        kinds = [("_ArrayT", "None", "_ArrayT"), ("ArrayLike", "None", "NDArray[Any]")]
        if operator["name"].startswith("gather"):
            kinds.insert(0, ("_Typed[_DTypeT]", "None", "_Typed[_DTypeT]"))
        parts.append(overload(operator, named, "_Operand", "_OutT", "_OutT", out_by_name=True))
        parts.append(overload(operator, named, "_Operand", "_OutT", "_OutT", out_by_name=False))
        parts += [overload(operator, named, *kind, out_by_name=False) for kind in kinds]
    return "".join(parts)


def written():
    text = STUBS.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + stubs() + END + rest.partition(END)[2]


def main(arguments):
    if arguments == ["--write"]:
        STUBS.write_text(written(), "utf-8")
    elif STUBS.read_text("utf-8") != written():
        sys.exit(f"{STUBS.name} is not what make_stubs.py writes; run it with --write")


if __name__ == "__main__":
    main(sys.argv[1:])
