"""Pictures of calls: an arrow from each moved slice to its destination."""

import base64
import inspect
import json
import os
import pathlib
import re
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _strew
from ._errors import wrong_value
from ._unmade_calls import no_operator

_VERSIONS = {getattr(_strew, each["name"]): f"{each['op_type']}-{each['since_version']}" for each in _strew._operators()}

_LONGEST = 2000  # characters; longer fragments are compressed
_ESCAPED = re.compile(r'[%&#"<>`\s]|[^ -~]+')


class Picture:
    """An SVG of a call, returned by `picture`. Jupyter displays it.

    Attributes
    ----------
    svg : str
        The SVG.
    error : str or None
        The message of the exception that the call raises, or None if it raises none.
    """

    def __init__(self, title: str, svg: str, error: str | None, operands: list[Any], attributes: dict[str, Any]):
        self.svg = svg
        self.error = error
        self._title = title
        self._operands = operands
        self._attributes = attributes

    def __repr__(self) -> str:
        return f"<strew.Picture: {self._title}{', rejected: ' + self.error if self.error else ''}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the SVG to a file.

        Parameters
        ----------
        path : str or os.PathLike
            A name that ends in ``.svg``. An existing file is overwritten.

        Raises
        ------
        ValueError
            If the name has a different ending.
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import pathlib, strew, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "call.svg")
        >>> strew.picture(strew.gather, [5.0, 6.0, 7.0], [2, 0]).save(path)
        >>> path.read_text().startswith("<svg ")
        True
        """
        file = pathlib.Path(path)
        if file.suffix.lower() != ".svg":
            svg = file.with_suffix(".svg").name if file.name else "call.svg"
            how = f"for a PNG, save {svg!r} and run rsvg-convert {svg} -o {pathlib.Path(svg).stem}.png"
            raise wrong_value("save", "file", f"the name of a picture must end in .svg, not {file.name!r}; {how}", file.name)
        file.write_text(self.svg, encoding="utf-8", newline="\n")

    def url(self, page: str = "") -> str:
        """Return the address at which the playground shows this call.

        Parameters
        ----------
        page : str, default: ""
            The address of the playground. Without it, only the fragment is returned, for
            ``python -m strew playground --call '#...'``.

        Returns
        -------
        str
            ``page``, then ``#`` and the call. Calls of more than 2,000 characters are compressed.
            docs/playground.md describes the grammar of the fragment.

        Raises
        ------
        ValueError
            If the operands have more than 1,024 elements in total, or contain a string that is not UTF-8.

        Examples
        --------
        >>> import strew
        >>> strew.picture(strew.gather, [5.0, 6.0, 7.0], [2, 0]).url()
        '#Gather-13?data=[5,6,7]:float64&indices=[2,0]:int64'
        """
        if not self._operands:
            raise wrong_value("url", None, "the operands have more than 1024 elements, too many for an address")
        pairs = [f"{name}={_escape(_tensor_text(name, *tensor))}" for name, *tensor in self._operands]
        pairs += [f"{name}={_escape(_attribute_text(value))}" for name, value in self._attributes.items()]
        fragment = f"{self._title}?{'&'.join(pairs)}"
        if len(fragment) > _LONGEST:
            raw = zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = raw.compress(fragment.encode()) + raw.flush()
            fragment = "z=" + base64.urlsafe_b64encode(packed).rstrip(b"=").decode()
        return f"{page}#{fragment}"


def _escape(text: str) -> str:
    return _ESCAPED.sub(lambda part: "".join(f"%{byte:02X}" for byte in part[0].encode()), text)


def _tensor_text(name: str, dtype: str, shape: list[int], elements: list[str | bytes]) -> str:
    def element(i: int) -> str:
        value = elements[i]
        if isinstance(value, str):
            return value
        try:
            return json.dumps(value.decode(), ensure_ascii=False)
        except UnicodeDecodeError:
            raise wrong_value("url", name, f"{name} holds a string that is not UTF-8: {value!r}") from None

    def nested(axis: int, first: int, count: int) -> str:
        if axis == len(shape):
            return element(first)
        step = count // shape[axis]
        return "[" + ",".join(nested(axis + 1, first + i * step, step) for i in range(shape[axis])) + "]"

    if elements:
        return f"{nested(0, 0, len(elements))}:{dtype}"
    return f"[]:{dtype}[{','.join(map(str, shape))}]"


def _attribute_text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    element = np.asarray(value).item()
    if isinstance(element, bytes):
        return element.decode(errors="replace")
    return str(element).strip("()")  # str puts a complex number in parentheses


def _readable(operand: Any) -> Any:
    """Convert dates, records and long doubles, whose elements only NumPy can format, to text."""
    if not isinstance(operand, np.ndarray) or operand.dtype.isbuiltin == 2 or operand.dtype.char not in "mMVgG":
        return operand
    texts = np.empty(operand.size, object)
    texts[:] = [str(element) for element in operand.flat]
    return texts.reshape(operand.shape)


_NO_ATTRIBUTES = {"out", "casting", "reject_duplicates"}.union(*(each["inputs"] for each in _strew._operators()))


def picture(function: Callable[..., Any], *operands: Any, **attributes: Any) -> Picture:
    """Return a picture of a call of an operator, without running the call.

    Operands are drawn as grids. Arrows lead from each moved slice to its destination. Numbers on the arrows show the
    order of the updates. Below the grids are the operator's rule with this call's numbers, and the updates with
    duplicate destinations. A call with illegal shapes, types or index values is drawn too: the first bad index is red,
    and the error message is below the grids. For large operands, only the rows and columns with arrows are drawn.

    Parameters
    ----------
    function : function
        The operator, such as `strew.scatter_nd`.
    *operands, **attributes
        Arguments of the call.

    Returns
    -------
    Picture
        Jupyter displays it. It has ``svg``, ``save(path)``, ``url()`` and ``error``.

    Raises
    ------
    TypeError
        If `function` is not an operator.
    Exception
        The error that the call raises for an argument that cannot be read, such as an unknown reduction.

    Examples
    --------
    >>> import numpy as np, strew
    >>> cache = np.ones((4, 2))
    >>> strew.picture(strew.scatter_nd, cache, [[3], [0], [3]], np.ones((3, 2)), reduction="add")
    <strew.Picture: ScatterND-18>
    >>> strew.picture(strew.gather, cache, [4])
    <strew.Picture: Gather-13, rejected: gather: indices[0] = 4 is outside [-4, 3] for axis 0 of data with shape [4, 2]>
    """
    if not any(function is one for one in _VERSIONS):
        raise no_operator("picture", function)
    title = _VERSIONS[function]
    operands = tuple(map(_readable, operands))
    svg, error, described = _strew._picture(function, operands, attributes, title)
    signature = inspect.signature(function)
    changed = {
        name: value
        for name, value in signature.bind(*operands, **attributes).arguments.items()
        if name not in _NO_ATTRIBUTES and (np.ndim(value) > 0 or value != signature.parameters[name].default)
    }
    return Picture(title, svg, error, described, changed)
