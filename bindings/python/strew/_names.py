"""What was probably meant by a name that a module does not have."""

from . import _strew


def did_you_mean(name, names):
    """"; did you mean 'scatter'?", or nothing. A name may hold surrogates, which are no UTF-8."""
    return _strew._did_you_mean(name.encode(errors="replace").decode(), list(names))


def no_attribute(module, name, known, hint=""):
    """The AttributeError for it; for "scater" it names all that begin with "scatter"."""
    near = [other for other in known if did_you_mean(name, [other.split("_")[0]])]
    hint = hint or did_you_mean(name, known) or (f"; there is {', '.join(near)}" if near else "")
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
