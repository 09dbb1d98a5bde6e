"""Registers the pass that makes ``torch.compile`` use Strew's operators, and reports the results of the pass."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from typing import Any, NamedTuple

import torch

from ._library import CompiledGraph, counts, graphs, load_library

_FIRST, _LAST = (2, 9), (2, 15)  # the versions of PyTorch whose graphs the pass supports
_FIELD = "joint_custom_post_pass"
_calls_before: dict[str, Any] = {}  # counts at the last `install`
settings: dict[str, Any] = {}  # arguments of the pass; empty if the pass is off


class Compiled(NamedTuple):
    """The results of `torch.compile` since `install`.

    `graphs` has one entry for each joint graph of a forward and a backward pass. The entry lists the program's lines
    that are fused, those run by the eager kernel, and those left to Inductor, the last two with reasons. `from_cache`
    has the lines of programs that were compiled before `install` and have run since. `off` is the reason why the pass
    is off, or "". `print` shows one line of the program in each line.
    """

    graphs: tuple[CompiledGraph, ...]
    from_cache: tuple[str, ...]
    off: str

    def __str__(self) -> str:
        lines = [f"off: {self.off}"] if self.off else []
        for number, graph in enumerate(self.graphs, 1):
            lines.append(f"graph {number}")
            lines += [f"  fused         {line}" for line in graph.fused]
            lines += [f"  eager kernel  {line}: {reason}" for line, reason in graph.eager.items()]
            lines += [f"  Inductor      {line}: {reason}" for line, reason in graph.left.items()]
        lines += [f"from cache      {line}" for line in self.from_cache]
        return "\n".join(lines) or "no graph has been compiled since install"


def why_off() -> str:
    """Return the reason why the pass does not change compiled programs, or "" if it can change them."""
    version = tuple(map(int, torch.__version__.split(".")[:2]))
    if _FIRST <= version <= _LAST:
        return ""
    first, last = (".".join(map(str, each)) for each in (_FIRST, _LAST))
    return f"torch {torch.__version__} is not supported; versions {first} to {last} are"


class _AtImport(importlib.abc.MetaPathFinder):
    """Registers the pass when a program imports Inductor. The import takes 2 seconds, so `install` avoids it."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != "torch._inductor.config":
            return None
        sys.meta_path.remove(self)
        spec: Any = importlib.util.find_spec(fullname)
        execute = spec.loader.exec_module

        def execute_and_register(module: Any) -> None:
            execute(module)
            _register()

        spec.loader.exec_module = execute_and_register
        return spec


def install(min_elements: int | None) -> None:
    """Add the pass to every later compilation."""
    uninstall()
    graphs.clear()
    _calls_before.clear()
    _calls_before.update(counts())
    if why_off():
        return
    settings["min_elements"] = min_elements
    if "torch._inductor.config" in sys.modules:
        _register()
    else:
        sys.meta_path.insert(0, _AtImport())


def uninstall() -> None:
    """Restore the previous pass. Compiled programs keep Strew's operators."""
    settings.clear()
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _AtImport)]
    config: Any = sys.modules.get("torch._inductor.config")
    passes: Any = sys.modules.get(f"{__package__}._compile_pass")
    if config is None or passes is None:
        return
    config._config[_FIELD].default = None
    now = getattr(config, _FIELD)
    if isinstance(now, passes.StrewPass):
        setattr(config, _FIELD, now.before)
    elif isinstance(now, (list, tuple)):  # the user added another pass
        parts = [getattr(each, "before", None) if isinstance(each, passes.StrewPass) else each for each in now]
        setattr(config, _FIELD, type(now)(each for each in parts if each is not None))


def _register() -> None:
    from ._compile_pass import StrewPass

    config: Any = sys.modules["torch._inductor.config"]
    # Assigning an option changes it for one thread; its default applies to all threads.
    config._config[_FIELD].default = StrewPass(**settings)
    before = getattr(config, _FIELD)
    if not isinstance(before, StrewPass):
        setattr(config, _FIELD, StrewPass(**settings, before=before))


def backend(module: Any, inputs: Any, *, options: dict[str, Any] | None = None, mode: str | None = None, **_: Any) -> Any:
    """Compile one program with Inductor and the pass, for ``torch.compile(model, backend="strew")``."""
    import torch._inductor.config as config
    from torch._inductor.compile_fx import compile_fx

    load_library()
    patches = {**(torch._inductor.list_mode_options(mode) if mode else {}), **(options or {})}
    if not why_off():
        from ._compile_pass import StrewPass

        before = patches.get(_FIELD, getattr(config, _FIELD))
        patches[_FIELD] = before if isinstance(before, StrewPass) else StrewPass(None, before)
    return compile_fx(module, inputs, config_patches=patches)


def compiled() -> Compiled:
    """Return which lines of the programs compiled since `install` were fused, and why the others were not.

    `counts` has the number of calls of each line.
    """
    known = {line for graph in graphs for line in (*graph.fused, *graph.eager)}
    calls = {name: made for name, made in counts().items() if made != _calls_before.get(name)}
    ran = [name.partition(" ")[2] for name in calls if name.startswith("strew::")]
    return Compiled(tuple(graphs), tuple(sorted(set(ran) - known)), why_off())
