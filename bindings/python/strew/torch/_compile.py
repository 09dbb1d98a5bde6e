"""Programs compiled by ``torch.compile`` on Strew's operators: how the pass is switched on, and what it did."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from typing import Any, NamedTuple

import torch

from . import _install

_FIRST, _LAST = (2, 9), (2, 15)  # versions of PyTorch whose graphs are known
_FIELD = "joint_custom_post_pass"


class CompiledGraph(NamedTuple):
    """What became of one graph: lines of the program, and the reasons why they are not fused."""

    fused: tuple[str, ...]
    eager: dict[str, str]
    left: dict[str, str]


class Compiled(NamedTuple):
    """What `torch.compile` made of programs since `install`.

    `graphs` has one entry for each graph, forward and backward together: the lines that are fused, those that PyTorch's
    own operator runs, with the reason, and those that are left to Inductor. `from_cache` has the lines of programs that
    were compiled before and ran since. `off` says why nothing is done, if so.
    """

    graphs: tuple[CompiledGraph, ...]
    from_cache: tuple[str, ...]
    off: str


graphs: list[CompiledGraph] = []


def why_off() -> str:
    """Why compiled programs are left alone; "" if they are not."""
    version = tuple(map(int, torch.__version__.split(".")[:2]))
    if _FIRST <= version <= _LAST:
        return ""
    first, last = (".".join(map(str, each)) for each in (_FIRST, _LAST))
    return f"torch {torch.__version__} is not known: {first} to {last} are"


class _AtImport(importlib.abc.MetaPathFinder):
    """Registers the pass when Inductor is imported, which takes 2 seconds: only for programs that compile."""

    def __init__(self, min_elements: int | None) -> None:
        self.min_elements = min_elements

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != "torch._inductor.config":
            return None
        sys.meta_path.remove(self)
        spec: Any = importlib.util.find_spec(fullname)
        execute = spec.loader.exec_module

        def execute_and_register(module: Any) -> None:
            execute(module)
            _register(self.min_elements)

        spec.loader.exec_module = execute_and_register
        return spec


def install(min_elements: int | None) -> None:
    """Adds the pass to all that is compiled from here on."""
    uninstall()
    graphs.clear()
    if why_off():
        return
    if "torch._inductor.config" in sys.modules:
        _register(min_elements)
    else:
        sys.meta_path.insert(0, _AtImport(min_elements))


def uninstall() -> None:
    """Puts back what was there. Programs that are compiled keep the operators."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _AtImport)]
    config: Any = sys.modules.get("torch._inductor.config")
    passes: Any = sys.modules.get(f"{__package__}._compile_pass")
    if config is None or passes is None:
        return
    config._config[_FIELD].default = None
    now = getattr(config, _FIELD)
    if isinstance(now, passes.StrewPass):
        setattr(config, _FIELD, now.before)
    elif isinstance(now, (list, tuple)):  # beside another
        parts = [getattr(each, "before", None) if isinstance(each, passes.StrewPass) else each for each in now]
        setattr(config, _FIELD, type(now)(each for each in parts if each is not None))


def _register(min_elements: int | None) -> None:
    from ._compile_pass import StrewPass

    config: Any = sys.modules["torch._inductor.config"]
    # What is set holds for one thread, the default for all.
    config._config[_FIELD].default = StrewPass(min_elements)
    before = getattr(config, _FIELD)
    if not isinstance(before, StrewPass):
        setattr(config, _FIELD, StrewPass(min_elements, before))


def backend(module: Any, inputs: Any, *, options: dict[str, Any] | None = None, mode: str | None = None, **_: Any) -> Any:
    """``torch.compile(model, backend="strew")``: Inductor with the pass for this program alone, without `install`."""
    import torch._inductor.config as config
    from torch._inductor.compile_fx import compile_fx

    _install._library()
    patches = {**(torch._inductor.list_mode_options(mode) if mode else {}), **(options or {})}
    if not why_off():
        from ._compile_pass import StrewPass

        before = patches.get(_FIELD, getattr(config, _FIELD))
        patches[_FIELD] = before if isinstance(before, StrewPass) else StrewPass(None, before)
    return compile_fx(module, inputs, config_patches=patches)


def compiled() -> Compiled:
    """What was fused in the programs that `torch.compile` compiled since `install`, and what was not, and why.

    Lines are those of the program. `counts` has how often each ran.
    """
    known = {line for graph in graphs for line in (*graph.fused, *graph.eager)}
    ran = [name.partition(" ")[2] for name in _install.counts() if name.startswith("strew::")]
    return Compiled(tuple(graphs), tuple(sorted(set(ran) - known)), why_off())
