"""What the exceptions of Strew say beside their message."""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any, Protocol, TypeVar, runtime_checkable


@runtime_checkable
class Refusal(Protocol):
    """The attributes of every exception that an operator or a model raises; each is None where there is nothing to say.

    The exceptions are Python's own: IndexError, TypeError, ValueError and so on. `isinstance(error, strew.Refusal)`
    tells a type checker, and a program, that one carries these attributes. They survive pickling.

    Attributes
    ----------
    code : str
        What is wrong in a few words, such as "index out of range": one of eight, listed in docs/python.md.
    text : str
        The message without what stands in front of its first colon.
    operator : str or None
        The operator or function, as "scatter_nd".
    operand : str or None
        The argument of it that is wrong, as "indices" or "axis".
    axis : int or None
        The axis of `operand` whose length is wrong; of an index out of range, that of data on which it chooses.
    position : tuple of int or None
        Where in the indices the value stands.
    value : int, str or None
        The index, the number or the word that is refused.
    where : str or None
        The file, or the model and the node, in which it was found.

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


def in_name_of(error: Exc, operator: str) -> Exc:
    """The same refusal, in the name of the function that was called."""
    said = vars(error) | {"operator": operator}
    return refusal(type(error), said.pop("code"), said.pop("text"), **said)


def as_type(kind: type[Exc], error: Exception) -> Exc:
    """The same refusal as another type, with its message and attributes."""
    made = kind(*error.args)
    vars(made).update(vars(error))
    return made


def refusal(kind: type[Exc], code: str, text: str, **attributes: Any) -> Exc:
    """An exception with the attributes of Refusal; `operator` stands in front of its text."""
    about = dict.fromkeys(("operator", "operand", "axis", "position", "value", "where")) | attributes
    error = kind(f"{about['operator']}: {text}" if about["operator"] else text)
    for name, value in (about | {"code": code, "text": text}).items():
        setattr(error, name, value)  # torch.compile follows this, and no update of vars(error)
    return error


def wrong_type(operator: str, operand: str | None, text: str) -> TypeError:
    """The refusal of an argument of another type than the function takes."""
    return refusal(TypeError, "invalid type", text, operator=operator, operand=operand)


def wrong_value(operator: str, operand: str | None, text: str, value: int | str | None = None) -> ValueError:
    """The refusal of a value that the function does not take."""
    return refusal(ValueError, "invalid argument", text, operator=operator, operand=operand, value=value)


class MadeByInit:
    """A base of classes whose slots `__init__` fills: an object of `__new__` alone refuses every use."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        kind = type(self)
        if name.startswith("_") and type(getattr(kind, name, None)) is MemberDescriptorType:
            of = kind.__name__
            raise wrong_type(of, None, f"this {of} was made by __new__ and holds nothing")
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=self)
