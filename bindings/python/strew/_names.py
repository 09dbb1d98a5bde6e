"""What was probably meant by a name that a module does not have."""

from . import _strew


def no_attribute(module, name, known, hint=""):
    """The AttributeError for it; for "scater" it names all that begin with "scatter"."""
    near = [other for other in known if _strew._did_you_mean(name, [other.split("_")[0]])]
    hint = hint or _strew._did_you_mean(name, list(known)) or (f"; there is {', '.join(near)}" if near else "")
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
