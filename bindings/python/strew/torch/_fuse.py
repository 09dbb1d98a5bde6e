"""Runs the gather, product and sum of a PyTorch Geometric layer as one `gather_scatter`, without storing messages."""

from __future__ import annotations

import contextlib
import functools
import inspect
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd import forward_ad

from .._arguments import article
from .._errors import wrong_type
from .._names import hinting
from . import _compile, _graph
from ._arguments import are_integers
from ._edges import Edges

if TYPE_CHECKING:
    _Key = tuple[int, int, int]

_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_REDUCTIONS = {"SumAggregation": "add", "MeanAggregation": "mean", "MaxAggregation": "max", "MinAggregation": "min"}
_HOOKS = [
    f"_{part}_forward_{when}hooks"
    for part in ("propagate", "message", "aggregate", "message_and_aggregate")
    for when in ("pre_", "")
]


class Fusion(NamedTuple):
    """The result of `fuse`: the names of the fused layers, and the reasons why the others are not fused."""

    fused: tuple[str, ...]
    left: dict[str, str]


# Functions that turn the arguments of a layer's `propagate` into operands of `gather_scatter`. They return None for
# shapes that only the layer itself can handle.


def _weighted(name, layer, x, edges, given):
    weight = given.get(name)
    if weight is None:
        return {}
    return {"weight": weight.reshape(-1)} if x.dim() == 2 and weight.numel() == edges else None


def _attention(layer, x, edges, given):
    alpha = given.get("alpha")
    return {"weight": alpha} if x.dim() == 3 and alpha is not None and alpha.shape == (edges, x.shape[1]) else None


def _with_edge_features(layer, x, edges, given):
    addend = given.get("edge_attr")
    if addend is None:
        return None
    if layer.lin is not None:
        addend = layer.lin(addend)
    return {"addend": addend, "relu": True} if addend.shape == (edges, *x.shape[1:]) else None


@functools.cache
def _forms():
    """Map each message function that fuse knows to a function like those above and `propagate`'s arguments except x."""
    from torch_geometric.nn import conv

    weighted = "GCNConv GraphConv GCN2Conv GatedGraphConv LGConv APPNP MixHopConv ClusterGCNConv PDNConv SGConv SSGConv SimpleConv TAGConv"
    forms = {name: (lambda *_: {}, ()) for name in ("MessagePassing", "SAGEConv", "GINConv", "MFConv")}
    forms |= {name: (functools.partial(_weighted, "edge_weight"), ("edge_weight",)) for name in weighted.split()}
    forms |= {name: (_attention, ("alpha",)) for name in ("GATConv", "GATv2Conv")}
    forms["ChebConv"] = functools.partial(_weighted, "norm"), ("norm",)
    forms["GINEConv"] = _with_edge_features, ("edge_attr",)
    of_relation = lambda layer, x, edges, given: {} if given.get("edge_type_ptr") is None else None
    forms["RGCNConv"] = of_relation, ("edge_type_ptr",)
    return {getattr(conv, name).message: form for name, form in forms.items() if hasattr(conv, name)}


def _form_of(layer):
    """Return the entry of `_forms` for a layer's message, or the reason why the layer is not fused."""
    from torch_geometric.nn.conv import MessagePassing

    for name in ("aggregate", "update"):
        if getattr(type(layer), name) is not getattr(MessagePassing, name) or name in vars(layer):
            return f"it has its own {name}"
    form = None if "message" in vars(layer) else _forms().get(type(layer).message)
    if form is None:
        of_targets = [name for name in layer.inspector.get_param_names("message") if name.endswith("_i")]
        if of_targets:
            return f"its message depends on the target: it reads {', '.join(of_targets)}"
        remedy = "call strew.torch.gather_scatter in its forward"
        return f"its message is not one that fuse knows from PyTorch Geometric, and fuse does not read custom code; {remedy}"
    if type(layer.aggr_module).__name__ not in _REDUCTIONS or not isinstance(layer.aggr, str):
        return f"its aggregation is {layer.aggr_module}; it must be sum, mean, max or min"
    return form


class _Propagate:
    """Replaces a layer's `propagate` and decides on each call whether to fuse it."""

    def __init__(self, layer: Any, form: Any = None) -> None:
        self.layer = layer
        self.form = form
        self.seen: Any = lambda: None  # a weak reference to the edge_index of the last call
        self.version: int | None = 0
        self.prepared: Edges | None = None

    def __reduce__(self) -> Any:
        return _Propagate, (self.layer,)

    def __call__(self, edge_index: Any, *rest: Any, size: Any = None, **given: Any) -> Any:
        fused = None if rest else self.fused(edge_index, size, given)
        return self.unfused(edge_index, *rest, size=size, **given) if fused is None else fused

    def unfused(self, *given: Any, **named: Any) -> Any:
        layer = self.layer
        own = "propagate" if not layer.explain and layer.decomposed_layers == 1 else "_orig_propagate"
        return getattr(type(layer), own)(layer, *given, **named)

    def fused(self, edge_index: Any, size: Any, given: dict[str, Any]) -> Tensor | None:
        """Return the reduced messages of the layer, or None if the layer itself must compute them."""
        layer = self.layer
        if self.form is None:
            self.form = _form_of(layer)
        if not _may_fuse(layer, edge_index) or not {"x", *self.form[1]} >= set(given) >= {"x"}:
            return None
        to, of = (1, 0) if layer.flow == "source_to_target" else (0, 1)
        sizes = layer._check_input(edge_index, size)
        x = given["x"]
        if isinstance(x, (tuple, list)):
            if of == 1 and x[0] is not x[1]:
                return None  # releases of PyTorch Geometric differ in which of the two sends the messages
            if isinstance(x[to], Tensor):
                layer._set_size(sizes, to, x[to])
            x = x[of]
        if not isinstance(x, Tensor) or x.dtype not in _FLOATS or x.device.type != "cpu" or x.layout != torch.strided:
            return None
        if x.dim() < 2 or layer.node_dim not in (0, -x.dim()):
            return None
        if torch.compiler.is_compiling() and _compile.settings and x.dtype in _FLOATS[2:]:
            return None  # the pass of `install` fuses the layer, and sorts edges once for all layers
        layer._set_size(sizes, of, x)
        terms = self.form[0](layer, x, edge_index.shape[1], given)
        if terms is None or not all(t.dtype == x.dtype and t.device == x.device for t in terms.values() if t is not True):
            return None
        target_size = sizes[of] if sizes[to] is None else sizes[to]
        source, target = edge_index[of], edge_index[to]
        along: Any = {"edges": source, "scatter_index": target, "size": target_size}
        if not torch.compiler.is_compiling():
            _keep_fused(type(layer))
            key = source.shape[0], x.shape[0], target_size
            prepared = self.find(key, source, target)
            if prepared is None and edge_index.numel() > 0 and int(edge_index.min()) < 0:
                return None  # the layer rejects the negative index
            prepared = prepared or self.prepare(key, edge_index, source, target)
            along = along if prepared is None else {"edges": prepared}
        how: Any = {"reduction": _REDUCTIONS[type(layer.aggr_module).__name__], "ties": "share_with_zero"}
        how["acc_dtype"] = "float32" if x.dtype in _FLOATS[:2] else "data"
        try:
            return _graph.gather_scatter(x, **along, **terms, **how)
        except IndexError:
            return None  # the layer raises its own error

    def find(self, key: _Key, source: Tensor, target: Tensor) -> Edges | None:
        """Return prepared edges with these indices, from this layer or another layer, or None."""
        found = (edges for edges in (self.prepared, _last.get(key)) if edges is not None)
        of = lambda edges: (len(edges), edges.source_size, edges.target_size)
        self.prepared = next((each for each in found if of(each) == key and each._are_between(source, target)), None)
        return self.prepared

    def prepare(self, key: _Key, edge_index: Tensor, source: Tensor, target: Tensor) -> Edges | None:
        """Prepare edges that are passed a second time. Return None for other edges, or if an index is too large."""
        # The identity of the tensor only decides whether to prepare edges. `find` compares the index values.
        version = None if edge_index.is_inference() else edge_index._version
        comes_again = self.seen() is edge_index and self.version == version
        self.seen, self.version = weakref.ref(edge_index), version
        if comes_again:
            with contextlib.suppress(IndexError):
                self.prepared = _last[key] = Edges(source, target, *key[1:])
        return self.prepared


# The edges that layers prepared last, by the numbers of edges, sources and targets.
_last: weakref.WeakValueDictionary[_Key, Edges] = weakref.WeakValueDictionary()


def _may_fuse(layer, edge_index):
    if type(edge_index) is not Tensor or edge_index.layout != torch.strided or edge_index.device.type != "cpu":
        return False
    own = vars(layer)
    if "message" in own or "aggregate" in own or "update" in own or type(layer.aggr_module).__name__ not in _REDUCTIONS:
        return False
    if layer.explain or layer.decomposed_layers > 1 or any(getattr(layer, hooks) for hooks in _HOOKS):
        return False
    if edge_index.dim() != 2 or edge_index.shape[0] != 2 or not are_integers(edge_index):
        return False
    if torch.compiler.is_compiling():
        return True
    transformed = torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0
    return not (torch.jit.is_tracing() or torch.onnx.is_in_onnx_export() or transformed)


class _Template:
    """Replaces `_jinja_propagate`, from which a layer restores its `propagate` after an explanation."""

    def __init__(self, template: Any) -> None:
        self.template = template

    def __get__(self, layer: Any, owner: Any = None) -> Any:
        if layer is None:
            return self
        return layer._strew_propagate if "_strew_propagate" in vars(layer) else self.template.__get__(layer, owner)


def _keep_fused(kind):
    template = inspect.getattr_static(kind, "_jinja_propagate", None)
    if template is not None and not isinstance(template, _Template):
        kind._jinja_propagate = _Template(template)


def _check_model(op, model):
    if not isinstance(model, torch.nn.Module):
        raise wrong_type(op, "model", f"model is {article(model)}; it must be a torch.nn.Module")


@hinting
def fuse(model: torch.nn.Module) -> Fusion:
    """Make the layers of a PyTorch Geometric model use `gather_scatter`, without storing messages.

    The model keeps its names, parameters, ``state_dict`` and hooks, and can be copied and pickled. Results of float32
    and float64, and gradients of the features, have the same bits as without `fuse`. A call runs as before if its layer
    has message-passing hooks or is being explained, or if an argument is not a tensor in CPU memory. Edges are prepared
    when they are passed a second time.

    Parameters
    ----------
    model : torch.nn.Module
        A layer, or a module that contains layers.

    Returns
    -------
    Fusion
        The names of the fused layers, and the reasons why the others are not fused.

    Raises
    ------
    ImportError
        If PyTorch Geometric is not installed.
    TypeError
        If `model` is not a module.

    Examples
    --------
    >>> import strew.torch
    >>> from torch_geometric.nn import EdgeConv, GCNConv, Sequential
    >>> model = Sequential("x, edges", [(GCNConv(8, 16), "x, edges -> x"), (EdgeConv(None), "x, edges -> x")])
    >>> strew.torch.fuse(model).fused
    ('module_0',)
    >>> strew.torch.fuse(model).left
    {'module_1': 'its message depends on the target: it reads x_i'}
    """
    _check_model("fuse", model)
    from torch_geometric.nn.conv import MessagePassing

    fused, left = [], {}
    for name, layer in [each for each in model.named_modules() if isinstance(each[1], MessagePassing)]:
        form = _form_of(layer)
        if isinstance(form, str):
            left[name] = form
            continue
        layer._strew_propagate = layer.propagate = _Propagate(layer, form)  # type: ignore
        fused.append(name)
    return Fusion(tuple(fused), left)


def unfuse(model: torch.nn.Module) -> None:
    """Undo `fuse`. Call this before scripting a model with `torch.jit.script`.

    Parameters
    ----------
    model : torch.nn.Module

    Examples
    --------
    >>> import strew.torch
    >>> from torch_geometric.nn import GCNConv
    >>> layer = GCNConv(8, 16)
    >>> strew.torch.fuse(layer).fused
    ('',)
    >>> strew.torch.unfuse(layer)
    """
    _check_model("unfuse", model)
    for layer in model.modules():
        if vars(layer).pop("_strew_propagate", None) is not None and isinstance(vars(layer).get("propagate"), _Propagate):
            del layer.propagate
