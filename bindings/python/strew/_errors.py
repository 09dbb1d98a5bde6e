"""Exceptions of Strew, and their attributes."""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any, Protocol, TypeVar, runtime_checkable


@runtime_checkable
class Refusal(Protocol):
    """Attributes of every exception that an operator or a model raises. An attribute that does not apply is None.

    The exceptions are Python's own: IndexError, TypeError, ValueError and so on. Pickling keeps these attributes. The
    test `isinstance(error, strew.Refusal)` tells a program and a type checker whether an exception has them.

    Attributes
    ----------
    code : str
        The kind of error, such as "index out of range": one of eight, listed in docs/python.md.
    text : str
        The message without `where` and `operator`.
    operator : str or None
        The operator or function, such as "scatter_nd".
    operand : str or None
        The argument with the error, such as "indices" or "axis".
    axis : int or None
        The axis of `operand` whose length is wrong; for an index out of range, the indexed axis of data.
    position : tuple of int or None
        Position of `value` in the indices.
    value : int, str or None
        The rejected index, number or string.
    where : str or None
        The file, or the model and the node, with the error.

    Examples
    --------
    >>> import numpy as np
    >>> import strew
    >>> try:
    ...     strew.gather(np.zeros((4, 2)), np.array([[0, 1], [9, 3]]))
    ... except IndexError as error:
    ...     print(error.operand, error.position, error.value, error.axis)
    indices (1, 0) 9 0
    """

    code: str
    text: str
    operator: str | None
    operand: str | None
    axis: int | None
    position: tuple[int, ...] | None
    value: int | str | None
    where: str | None


Exc = TypeVar("Exc", bound=Exception)


def in_name_of(error: Exc, operator: str, old: str = "", new: str = "") -> Exc:
    """Return the error with this operator, and `old` replaced by `new` in its text. Return NumPy's errors unchanged."""
    said = vars(error) | {"operator": operator}
    return refusal(type(error), said.pop("code"), said.pop("text").replace(old, new), **said) if "code" in said else error


def as_type(kind: type[Exc], error: Exception) -> Exc:
    """Return an exception of another type with the error's message and attributes."""
    made = kind(*error.args)
    vars(made).update(vars(error))
    return made


def refusal(kind: type[Exc], code: str, text: str, **attributes: Any) -> Exc:
    """Return an exception with the attributes of Refusal. Its message starts with `operator`, if given."""
    about = dict.fromkeys(("operator", "operand", "axis", "position", "value", "where")) | attributes
    error = kind(f"{about['operator']}: {text}" if about["operator"] else text)
    for name, value in (about | {"code": code, "text": text}).items():
        setattr(error, name, value)  # torch.compile can trace setattr, but not an update of vars(error)
    return error


def wrong_type(operator: str, operand: str | None, text: str) -> TypeError:
    """Return the error for an argument whose type the function does not accept."""
    return refusal(TypeError, "invalid type", text, operator=operator, operand=operand)


def wrong_value(operator: str, operand: str | None, text: str, value: int | str | None = None) -> ValueError:
    """Return the error for a value that the function does not accept."""
    return refusal(ValueError, "invalid argument", text, operator=operator, operand=operand, value=value)


class MadeByInit:
    """Base of classes whose slots `__init__` fills. An object made by `__new__` alone raises an error on every use."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        kind = type(self)
        if name.startswith("_") and type(getattr(kind, name, None)) is MemberDescriptorType:
            of = kind.__name__
            raise wrong_type(of, None, f"this {of} was made by __new__ without __init__")
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=self)
