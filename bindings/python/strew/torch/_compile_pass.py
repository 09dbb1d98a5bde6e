"""The pass over joint graphs that replaces gathers and scatters by Strew's operators."""

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
from torch.fx import Graph, map_arg

from .. import __version__
from . import _compile_operators as _compile_operators
from ._compile_match import FLOATS, Gradient, Left, Message, Sum, are_equal, are_shapes_equal, aten, gathered
from ._compile_match import gradient_of_extreme, gradient_of_relu, hint, is_of_dot, is_on_cpu, is_sum, is_zeros, made_of
from ._compile_match import message_of, peeled, rows_of, summed, users_of, value
from ._library import CompiledGraph, graphs

_operators = torch.ops.strew_torch
# On one thread Inductor's own loops are faster while their operands fit into the cache.
MIN_ELEMENTS = 5_000_000
# Rows of at most 16 columns are gathered into memory first: Inductor's loop over them is scalar, with all that it
# computes from them.
_SHORT_ROW, _MIN_SHORT_ROWS = 16, 100_000
_KEPT = ("stack_trace", "nn_module_stack", "partitioner_tag", "seq_nr", "autograd_backward", "original_aten")


def line_of(node: Any) -> str:
    """Return the innermost line of the program outside installed packages, and the name of PyTorch's operator there."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    own = [frame for frame in frames if "site-packages" not in frame[0]] or frames
    place = f"{pathlib.PurePath(own[-1][0]).name}:{own[-1][1]} " if own else ""
    name = str(node.meta.get("original_aten") or node.target).removeprefix("aten.").partition(".")[0]
    return f"{place}{name}{' (gradient)' if node.meta.get('partitioner_tag') == 'is_backward' else ''}"


class _FusedCall(NamedTuple):
    """A call along edges, the position of its gather index among the arguments, and the row counts of both sides."""

    node: Any
    place: int
    sources: Any
    targets: Any

    def key(self) -> Any:
        indices = map(made_of, self.node.args[self.place : self.place + 2])
        return (*indices, str(self.sources), str(self.targets))


def passes_of(setting: Any) -> tuple[Any, ...]:
    """Return the passes in an option of Inductor's configuration: none, one, or since torch 2.13 several."""
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
            return None  # Inductor does not cache the graph: a pass without uuid may do anything
        texts = [pathlib.Path(__file__).with_name(f"_compile_{name}.py").read_bytes() for name in ("match", "pass")]
        settings = __version__, torch.__version__, self.min_elements, torch.get_num_threads() > 1
        return hashlib.sha256(b"".join(texts) + repr(settings).encode()).hexdigest(), *others

    def __call__(self, graph: Graph) -> None:
        for each in passes_of(self.before):
            each(graph)
        from torch._inductor.virtualized import V

        if getattr(V, "aot_compilation", False) is not True:  # such a program may run on a machine without Strew
            graphs.append(Rewrite(graph, self.min_elements).run())


class Rewrite:
    """Rewrites one graph. Each change is complete, so an exception between two changes leaves a correct graph."""

    def __init__(self, graph: Graph, min_elements: int) -> None:
        self.graph, self.min_elements = graph, min_elements
        self.calls: list[_FusedCall] = []
        self.seen = CompiledGraph((), {}, {})

    def run(self) -> CompiledGraph:
        scatters = {aten.index_put.default: 2, aten.scatter_add.default: 3, aten.scatter_reduce.two: 3}
        for node in self.each(*scatters):
            self.attempt(self.scatter, node, node.args[scatters[node.target]])
        for node in self.each(aten._unsafe_masked_index_put_accumulate.default):
            self.attempt(self.embedding, node, node.args[3])
        for node in self.each(aten.sum.dim_IntList):
            product = node.args[0]
            if product.target is aten.mul.Tensor and all(map(gathered, product.args)):
                self.attempt(self.dot, node, product)
        self.graph.eliminate_dead_code()
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
        """Rewrites a node if the number of elements of `moved` makes it faster; else reports why the node stays."""
        try:
            hints = [] if moved is None else list(map(hint, value(moved).shape))
            if hints and None not in hints and torch.get_num_threads() == 1 and math.prod(hints) < self.min_elements:
                raise Left("too few elements to gain on one thread")
            rewrite(node, *more)
        except Left as reason:
            self.seen.left[line_of(node)] = str(reason)
        except Exception as error:  # an error of the pass must not stop a program
            if must_succeed:
                raise
            self.seen.left[line_of(node)] = f"failed: {error!r}"

    def put(self, old: Any, operator: Any, *args: Any, at: Any = None) -> Any:
        """Replaces a node by the first result of a call before `at`, whose last argument is the line of the program."""
        found = value(old)
        args = (*args, line_of(old))
        with self.graph.inserting_before(at or old):
            new = self.called(operator, args, old)
            result = self.called(getitem, (new, 0), old) if isinstance(value(new), tuple) else new
            if not are_shapes_equal(value(result).shape, found.shape):
                shape = [size if isinstance(size, int) else -1 for size in found.shape]
                result = self.called(aten.view.default, (result, shape), old)
        assert value(result).dtype == found.dtype
        result.meta["val"] = found
        old.replace_all_uses_with(result)
        self.graph.erase_node(old)
        return new

    def called(self, operator: Any, args: Any, like: Any, **options: Any) -> Any:
        function = getattr(operator, "default", operator)
        node = self.graph.call_function(function, args, options)
        node.meta.update({key: like.meta[key] for key in _KEPT if key in like.meta})
        with value(like).fake_mode:
            node.meta["val"] = function(*map_arg(args, value), **options)
        return node

    def fuse(self, old: Any, operator: Any, place: int, sources: Any, targets: Any, *args: Any, at: Any = None) -> Any:
        new = self.put(old, operator, *args, at=at)
        self.calls.append(_FusedCall(new, place, value(sources).shape[0], targets))
        self.seen = self.seen._replace(fused=(*self.seen.fused, new.args[-1]))
        return new

    def hand_over(self, old: Any, why: str, operator: Any, *args: Any) -> None:
        self.seen.eager[line_of(old)] = why
        self.put(old, operator, *args)

    def scatter(self, node: Any) -> None:
        if node.target is aten.scatter_reduce.two and node.args[4] in ("amax", "amin"):
            return self.extreme(node)
        rows: Sum | None = None
        try:
            rows = summed(node)
            message = message_of(rows.values)
            gradient = gradient_of_relu(rows.values, message, rows.index) if message.relu else None
            self.check_use(message, rows.values, {node})
        except Left as why:
            return self.eager(node, rows, str(why))
        new = self.fold(node, message, rows.index, rows.zeros, "sum")
        if gradient:
            self.differentiate(gradient, message, rows.index, new, None, "sum")
        return None

    def check_use(self, message: Message, values: Any, users: set[Any]) -> None:
        """Raises `Left` if another node also needs the rows in memory: fusion would read them a second time."""
        alone = message.weight is None and message.addend is None and not message.relu
        if alone and any(not (user in users or is_sum(user) or is_of_dot(user)) for user in users_of(peeled(values))):
            raise Left("the gathered rows have another use")

    def fold(self, node: Any, message: Message, index: Any, zeros: Any, reduction: str) -> Any:
        data, source, *terms = message
        how = data, source, index, None, zeros.args[0][0], *terms, reduction
        return self.fuse(node, _operators.gather_scatter, 1, data, value(node).shape[0], *how)

    def eager(self, node: Any, rows: Sum | None, why: str) -> None:
        args, dtype = node.args, value(node).dtype
        values = args[2 if node.target is aten.index_put.default else 3]
        if not dtype.is_floating_point or value(values).dtype != dtype:  # graphs of torch 2.10 add integers to floats
            raise Left(why)
        if node.target is aten.index_put.default:
            masks = [index for index in args[1] if index is not None and value(index).dtype in (torch.bool, torch.uint8)]
            if len(args) < 4 or args[3] is not True or masks:
                raise Left("a mask" if masks else why)
        if rows is not None and (node.target is aten.index_put.default or value(node).dtype in FLOATS):
            self.hand_over(node, why, _operators.add_rows, rows.values, rows.index, rows.zeros.args[0][0])
        elif node.target is aten.index_put.default:
            self.hand_over(node, why, _operators.add_at, *args[:3])
        elif node.target is aten.scatter_add.default:
            self.hand_over(node, why, _operators.scatter_add, *args)
        else:
            raise Left(why)

    def extreme(self, node: Any) -> None:
        zeros, axis, elements, values, how = node.args
        index, rows = rows_of(elements), peeled(values)
        if axis != 0 or index is None or node.kwargs.get("include_self", True) or not is_zeros(zeros):
            raise Left("a maximum of another form")
        if not are_shapes_equal(value(values).shape, (value(index).shape[0], *value(node).shape[1:])):
            raise Left("an index of elements")
        message = message_of(values)
        if message != Message(message.data, message.index):
            raise Left("a maximum of messages that are not rows")
        gradient = gradient_of_extreme(rows, node, index)
        self.check_use(message, values, {node, *(gradient.readers if gradient else ())})
        new = self.fold(node, message, index, zeros, how)
        if gradient:
            self.differentiate(gradient, message, index, new, new, how)

    def differentiate(self, gradient: Gradient, message: Message, index: Any, new: Any, result: Any, how: str) -> None:
        """Replaces the gradients of the data and, if it has a use, of the addend."""
        data, source, _, addend, _ = message
        masked = gradient.of_messages
        needs_addend = masked is not None and set(users_of(masked)) != {gradient.end}
        args = gradient.incoming, data, source, index, None, addend, needs_addend, result, how
        at = masked if needs_addend else gradient.end
        both = self.fuse(gradient.end, _operators.message_gradients, 2, data, value(new).shape[0], *args, at=at)
        if needs_addend:
            with self.graph.inserting_after(both):
                masked.replace_all_uses_with(self.called(getitem, (both, 1), masked))
        self.graph.eliminate_dead_code()

    def dot(self, node: Any) -> None:
        """Replaces the sum along rows of a product of two gathers: the gradient of a weight."""
        product, axes = node.args[:2]
        whole = value(product)
        one, other = map(gathered, product.args)
        if len(product.users) != 1:
            raise Left("the product has another use")
        if whole.dtype not in FLOATS or any(value(each).dtype != whole.dtype for each in (one.data, other.data, node)):
            raise Left(f"rows of {whole.dtype}, added up in {value(node).dtype}")
        kept = min(axis % whole.dim() for axis in axes) if axes else 0
        if kept == 0 or {axis % whole.dim() for axis in axes} != set(range(kept, whole.dim())):
            raise Left("axes that are not the last")
        heads = math.prod(whole.shape[1:kept])
        if not isinstance(heads, int) or not all(are_shapes_equal(value(each).shape, whole.shape) for each in product.args):
            raise Left("rows of another shape, or of an unknown number of heads")
        args = one.data, other.data, one.index, other.index, None, heads
        self.fuse(node, _operators.edge_dot, 2, one.data, value(other.data).shape[0], *args)

    def embedding(self, node: Any) -> None:
        """Replaces the gradient of an embedding, which masks rows of `padding_idx`."""
        zeros, mask, (index, *others), values = node.args
        if others or not is_zeros(zeros) or not value(node).dtype.is_floating_point:
            raise Left("it is not the gradient of an embedding")
        with self.graph.inserting_before(node):
            nothing = self.called(aten.full, ([], 0.0), node, dtype=value(values).dtype)
            masked = self.called(aten.where.self, (mask, values, nothing), node)
        self.hand_over(node, "an embedding", _operators.add_rows, masked, index, zeros.args[0][0])

    def short_rows(self, node: Any) -> None:
        found, rows = value(node), gathered(node)
        sizes = list(map(hint, found.shape))
        if rows is None or found.dtype not in FLOATS or None in sizes:
            return
        if sizes[0] >= _MIN_SHORT_ROWS and math.prod(sizes[1:]) <= _SHORT_ROW:
            self.hand_over(node, "short rows", _operators.rows, *rows)

    def share_edges(self) -> None:
        """Inserts a node before the first of several calls with equal edges: it sorts the edges once for all calls."""
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
            edges = self.called(_operators.sort_edges, args, first)
        for call in calls:
            call.node.update_arg(call.place + 2, edges)

    def size(self, size: Any, before: Any) -> Any:
        """Return a size as an argument: a number, the node of a symbol, or the size of a tensor before this node."""
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
        raise Left(f"no node before it has the size {size}")


# For tests: a rewrite that fails is an error.
must_succeed = False
