"""The pass that replaces gathers and scatters in joint graphs with Strew's operators."""

from __future__ import annotations

import hashlib
import itertools
import math
import pathlib
import re
from operator import getitem
from typing import Any, NamedTuple

import torch
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch.fx import Graph

from .. import __version__
from . import _compile_operators as _compile_operators
from ._compile_match import FLOATS, SCATTERS, Gradient, Left, Message, Scatter, are_equal, are_shapes_equal, aten
from ._compile_match import gathered, gradient_of_extreme, gradient_of_relu, is_index, is_on_cpu, is_zeros, made_of
from ._compile_match import message_of, peeled, scattered, users_of, value
from ._library import CompiledGraph, graphs

_operators = torch.ops.strew_torch
# With fewer elements than this on one thread, Inductor's own loops are faster: their operands fit in the caches.
MIN_ELEMENTS = 5_000_000
# Rows of at most 16 columns are gathered into memory before Inductor's loop over them. If the loop gathered them, it
# would not be vectorized, and neither would the operators that Inductor fuses into it.
_SHORT_ROW, _MIN_SHORT_ROWS = 16, 100_000
# Scatters that no rewrite matches, with the reasons. For them, Inductor calls PyTorch's kernels, which `install` replaces.
_LEFT = dict.fromkeys((aten.scatter.src, aten.scatter.value, aten.masked_scatter.default), "it assigns")
_KERNELS = aten.index_add.default, aten.index_reduce.default, aten.scatter.reduce, aten.scatter.value_reduce
_LEFT |= dict.fromkeys(_KERNELS, "Inductor calls PyTorch's kernel")
_KEPT = ("stack_trace", "nn_module_stack", "partitioner_tag", "seq_nr", "autograd_backward", "original_aten")


def hint(size: Any) -> Any:
    """Return the value that the compiler expects for a size, or None if it has no expectation."""
    if isinstance(size, int):
        return size
    return int(size.node.hint) if size.node.has_hint() else None


def line_of(node: Any) -> str:
    """Return the program's innermost line that is outside installed packages, and the name of the node's operator."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    own = [frame for frame in frames if "site-packages" not in frame[0]] or frames
    place = f"{pathlib.PurePath(own[-1][0]).name}:{own[-1][1]} " if own else ""
    name = str(node.meta.get("original_aten") or node.target).removeprefix("aten.").partition(".")[0]
    return f"{place}{name}{' (gradient)' if node.meta.get('partitioner_tag') == 'is_backward' else ''}"


class _FusedCall(NamedTuple):
    """A call over edges, the position of the gather index in its arguments, and its numbers of sources and targets."""

    node: Any
    place: int
    sources: Any
    targets: Any

    def key(self) -> Any:
        indices = map(made_of, self.node.args[self.place : self.place + 2])
        return (*indices, str(self.sources), str(self.targets))


def passes_of(setting: Any) -> tuple[Any, ...]:
    """Return the passes in an option of Inductor's configuration: none, one or, since torch 2.13, several."""
    if setting is None:
        return ()
    return tuple(setting) if isinstance(setting, (list, tuple)) else (setting,)


class StrewPass(CustomGraphPass):
    """The `joint_custom_post_pass` of Inductor. `before` is the user's own pass, which runs first."""

    def __init__(self, min_elements: int | None = None, before: Any = None) -> None:
        self.min_elements = MIN_ELEMENTS if min_elements is None else min_elements
        self.before = before

    def uuid(self) -> Any:
        others = [getattr(each, "uuid", lambda: None)() for each in passes_of(self.before)]
        if None in others:
            return None  # Inductor then does not cache the graph, because a pass without a uuid may have changed
        texts = [pathlib.Path(__file__).with_name(f"_compile_{name}.py").read_bytes() for name in ("match", "pass")]
        settings = __version__, torch.__version__, self.min_elements, torch.get_num_threads() > 1
        return hashlib.sha256(b"".join(texts) + repr(settings).encode()).hexdigest(), *others

    def __call__(self, graph: Graph) -> None:
        for each in passes_of(self.before):
            each(graph)
        from torch._inductor.virtualized import V

        if getattr(V, "aot_compilation", False) is not True:  # an AOT-compiled program may run without Strew
            graphs.append(Rewrite(graph, self.min_elements).run())


class Rewrite:
    """Rewrites one graph. Each change is complete, so an exception between two changes leaves a correct graph."""

    def __init__(self, graph: Graph, min_elements: int) -> None:
        self.graph, self.min_elements = graph, min_elements
        self.calls: list[_FusedCall] = []
        self.seen = CompiledGraph((), {}, {})

    def run(self) -> CompiledGraph:
        for node in self.each(*SCATTERS):
            # Inductor generates loops for sums only; for other reductions it calls PyTorch's kernel.
            is_sum = node.target is not aten.scatter_reduce.two or node.args[4] == "sum"
            self.attempt(self.scatter, node, node.args[SCATTERS[node.target]] if is_sum else None)
        for node in self.each(aten._unsafe_masked_index_put_accumulate.default):
            self.attempt(self.embedding, node, node.args[3])
        for node in self.each(aten.sum.dim_IntList):
            product = node.args[0]
            if product.target is aten.mul.Tensor and all(map(gathered, product.args)):
                self.attempt(self.dot, node, product)
        self.graph.eliminate_dead_code()
        self.seen.left.update((line_of(node), _LEFT[node.target]) for node in self.each(*_LEFT))
        for node in self.each(aten.index.Tensor, aten.gather.default):
            self.attempt(self.short_rows, node)
        self.share_edges()
        return self.seen

    def each(self, *targets: Any) -> Any:
        """Yield the nodes of these operators that no rewrite has erased so far."""
        for node in list(self.graph.nodes):
            if node.op == "call_function" and node.target in targets and not node._erased and is_on_cpu(node):
                yield node

    def attempt(self, rewrite: Any, node: Any, moved: Any = None, *more: Any) -> None:
        """Rewrite a node unless `moved` has too few elements to benefit. Record why a node is not rewritten."""
        try:
            hints = [] if moved is None else list(map(hint, value(moved).shape))
            if hints and None not in hints and torch.get_num_threads() == 1 and math.prod(hints) < self.min_elements:
                raise Left("too few elements to benefit on one thread")
            rewrite(node, *more)
        except Left as reason:
            self.seen.left[line_of(node)] = str(reason)
        except Exception as error:  # an error in the pass must not stop a program
            if must_succeed:
                raise
            self.seen.left[line_of(node)] = f"failed: {error!r}"

    def put(self, old: Any, operator: Any, *args: Any, at: Any = None, like: Any = None) -> Any:
        """Insert a call before `at`, with the program's line as its last argument. The first result replaces `old`.

        `like` is the fake result of the call, by default the fake result of `old`.
        """
        found = value(old)
        with self.graph.inserting_before(at or old):
            new = self.called(operator, (*args, line_of(old)), old, like=found if like is None else like)
            result = self.called(getitem, (new, 0), old, like=found) if isinstance(like, tuple) else new
            if not are_shapes_equal(value(result).shape, found.shape):
                shape = [size if isinstance(size, int) else -1 for size in found.shape]
                result = self.called(aten.view.default, (result, shape), old, like=found)
        old.replace_all_uses_with(result)
        self.graph.erase_node(old)
        return new

    def called(self, operator: Any, args: Any, old: Any, *, like: Any, **options: Any) -> Any:
        node = self.graph.call_function(getattr(operator, "default", operator), args, options)
        node.meta.update({key: old.meta[key] for key in _KEPT if key in old.meta}, val=like)
        return node

    def fuse(self, old: Any, operator: Any, place: int, sources: Any, targets: Any, *args: Any, **how: Any) -> Any:
        new = self.put(old, operator, *args, **how)
        self.calls.append(_FusedCall(new, place, value(sources).shape[0], targets))
        self.seen = self.seen._replace(fused=(*self.seen.fused, new.args[-1]))
        return new

    def hand_over(self, old: Any, why: str, operator: Any, *args: Any) -> None:
        self.seen.eager[line_of(old)] = why
        self.put(old, operator, *args)

    def scatter(self, node: Any) -> None:
        found: Scatter | None = None
        try:
            found = scattered(node)
            message = message_of(found.values)
            is_sum = found.reduction == "sum"
            gradient = gradient_of_relu(found, message) if is_sum else gradient_of_extreme(node, found, message)
            if message.relu and gradient is None and len(peeled(found.values).users) > 1:
                raise Left("a gradient, or something else, reads the messages")
        except Left as why:
            return self.eager(node, found, str(why))
        new = self.fold(node, message, found)
        if gradient:
            self.differentiate(gradient, message, found, new, None if is_sum else new)
        return None

    def fold(self, node: Any, message: Message, scatter: Scatter) -> Any:
        data, source, *terms = message
        how = data, source, scatter.index, None, scatter.zeros.args[0][0], *terms, scatter.reduction
        return self.fuse(node, _operators.gather_scatter, 1, data, value(node).shape[0], *how)

    def eager(self, node: Any, rows: Scatter | None, why: str) -> None:
        args, dtype = node.args, value(node).dtype
        is_kept = rows is not None and rows.reduction != "sum"
        # Graphs of torch 2.10 may add integer updates to floats.
        if is_kept or not dtype.is_floating_point or value(args[SCATTERS[node.target]]).dtype != dtype:
            raise Left(why)
        if node.target is aten.index_put.default:
            masks = [index for index in args[1] if index is not None and value(index).dtype in (torch.bool, torch.uint8)]
            if len(args) < 4 or args[3] is not True or masks:
                raise Left("a mask" if masks else why)
        *axes, index = args[1] if node.target is aten.index_put.default else [None]
        is_index_add = is_index(index) and str(node.meta.get("original_aten")).startswith("aten.index_add")
        if is_index_add and dtype == torch.float16:  # PyTorch's index_add of float16 adds in float32
            self.hand_over(node, why, _operators.index_add, args[0], len(axes), index, args[2])
        elif rows is not None and (node.target is aten.index_put.default or value(node).dtype in FLOATS):
            self.hand_over(node, why, _operators.add_rows, rows.values, rows.index, rows.zeros.args[0][0])
        elif node.target is aten.index_put.default:
            self.hand_over(node, why, _operators.add_at, *args[:3])
        elif node.target is aten.scatter_add.default:
            self.hand_over(node, why, _operators.scatter_add, *args)
        else:
            raise Left(why)

    def differentiate(self, gradient: Gradient, message: Message, scatter: Scatter, new: Any, result: Any) -> None:
        """Replace the gradient of the data and, if it is used, the gradient of the addend."""
        data, source, _, addend, _ = message
        masked = gradient.of_addend
        needs_addend = masked is not None and set(users_of(masked)) != {gradient.end}
        args = gradient.incoming, data, source, scatter.index, None, addend, needs_addend, result, scatter.reduction
        at, end = masked if needs_addend else gradient.end, value(gradient.end)
        like = end, value(masked) if needs_addend else end.new_empty((0, *end.shape[1:]))
        both = self.fuse(gradient.end, _operators.message_gradients, 2, data, value(new).shape[0], *args, at=at, like=like)
        if needs_addend:
            with self.graph.inserting_after(both):
                masked.replace_all_uses_with(self.called(getitem, (both, 1), masked, like=like[1]))
        self.graph.eliminate_dead_code()

    def dot(self, node: Any) -> None:
        """Replace the gradient of a weight: the product of two gathers, summed along its last axes."""
        product, axes = node.args[:2]
        whole = value(product)
        one, other = map(gathered, product.args)
        if whole.dtype not in FLOATS or any(value(each).dtype != whole.dtype for each in (one.data, other.data, node)):
            raise Left(f"rows of {whole.dtype}, added up in {value(node).dtype}")
        kept = min(axis % whole.dim() for axis in axes) if axes else 0
        if kept == 0 or {axis % whole.dim() for axis in axes} != set(range(kept, whole.dim())):
            raise Left("it does not sum along the last axes only, or keeps no axis")
        if len(product.users) != 1:
            raise Left("the product is also used elsewhere")
        heads = math.prod(whole.shape[1:kept])
        if not isinstance(heads, int) or not all(are_shapes_equal(value(each).shape, whole.shape) for each in product.args):
            raise Left("rows of another shape, or of an unknown number of heads")
        args = one.data, other.data, one.index, other.index, None, heads
        like = whole.new_empty((whole.shape[0],) if heads == 1 else (whole.shape[0], heads))
        self.fuse(node, _operators.edge_dot, 2, one.data, value(other.data).shape[0], *args, like=like)

    def embedding(self, node: Any) -> None:
        """Replace the gradient of an embedding. Its mask leaves out the index `padding_idx`."""
        zeros, mask, (index, *others), values = node.args
        if others or not is_zeros(zeros) or not value(node).dtype.is_floating_point:
            raise Left("it is not the gradient of an embedding")
        with self.graph.inserting_before(node):
            zero = value(values).new_empty(())
            nothing = self.called(aten.full, ([], 0.0), node, like=zero, dtype=zero.dtype)
            masked = self.called(aten.where.self, (mask, values, nothing), node, like=value(values))
        self.hand_over(node, "an embedding", _operators.add_rows, masked, index, zeros.args[0][0])

    def short_rows(self, node: Any) -> None:
        found, rows = value(node), gathered(node)
        sizes = list(map(hint, found.shape))
        if rows is None or found.dtype not in FLOATS or None in sizes:
            return
        if sizes[0] >= _MIN_SHORT_ROWS and math.prod(sizes[1:]) <= _SHORT_ROW:
            self.hand_over(node, "short rows", _operators.rows, *rows)

    def share_edges(self) -> None:
        """Insert a node that sorts edges once, before the first of several calls with equal edges."""
        calls_of = {call.node: call for call in self.calls}
        alike: dict[Any, list[_FusedCall]] = {}
        for call in (calls_of[node] for node in self.graph.nodes if node in calls_of):
            alike.setdefault(call.key(), []).append(call)
        for calls in alike.values():
            if len(calls) > 1:
                self.attempt(self.sort, calls[0].node, None, calls)

    def sort(self, first: Any, calls: list[_FusedCall]) -> None:
        _, place, *sizes = calls[0]
        with self.graph.inserting_before(first):
            args = *first.args[place : place + 2], *(self.size(each, first) for each in sizes)
            edges = self.called(_operators.sort_edges, args, first, like=value(args[0]).new_empty(1, dtype=torch.uint8))
        for call in calls:
            call.node.update_arg(call.place + 2, edges)

    def size(self, size: Any, before: Any) -> Any:
        """Return a size as an argument: a number, or a node before `before` that returns the size."""
        if isinstance(size, int):
            return size
        for node in itertools.takewhile(lambda node: node is not before, self.graph.nodes):
            found = value(node)
            if isinstance(found, torch.SymInt) and are_equal(found, size):
                return node
            for axis, length in enumerate(found.shape if isinstance(found, torch.Tensor) else ()):
                if not isinstance(length, int) and are_equal(length, size):
                    made = self.graph.call_function(aten.sym_size.int, (node, axis))
                    made.meta["val"] = length
                    return made
        raise Left(f"no earlier node has the size {size}")


# Tests set this to True, so that a rewrite that fails raises its error.
must_succeed = False
