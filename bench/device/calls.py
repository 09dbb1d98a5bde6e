"""The calls of Strew, PyTorch, CuPy and JAX that times.py times, by name. A scatter writes in place."""

import os

ATOMIC = "torch index_add_"
WAITING = "strew, waiting"


def strews(workload, data, at, tuples, updates):
    """Return Strew's variants of the call."""
    import strew

    def call():
        if workload.kind == "gather":
            return strew.gather(data, at, out=updates)
        return strew.scatter_nd(data, tuples, updates, workload.kind, out=data)

    calls = {"strew": call, WAITING: call}
    if workload.kind == "gather":  # a gather into a new output checks indices during the copy
        calls["strew, a new result"] = lambda: strew.gather(data, at)
    if workload.kind == "add":
        edges = strew.check_indices(strew.scatter_nd, data, tuples, updates, "add")
        calls["strew, kept indices"] = lambda: strew.scatter_nd(data, edges, updates, "add", out=data)
    return calls


def deterministic(torch, call):
    def run():
        torch.use_deterministic_algorithms(True)
        try:
            call()
        finally:
            torch.use_deterministic_algorithms(False)

    return run


def torchs(torch, workload, data, at, updates):
    wide = at[:, None].expand(-1, workload.row)
    if workload.kind == "gather":
        return {
            "torch index_select": lambda: torch.index_select(data, 0, at, out=updates),
            "torch gather": lambda: torch.gather(data, 0, wide, out=updates),
        }
    if workload.kind == "none":
        put = lambda: data.index_put_((at,), updates)  # noqa: E731
        return {
            "torch index_copy_, any of equal ones": lambda: data.index_copy_(0, at, updates),
            "torch index_put_, deterministic": deterministic(torch, put),
        }
    add = lambda: data.index_add_(0, at, updates)  # noqa: E731
    return {
        ATOMIC: add,
        "torch scatter_add_": lambda: data.scatter_add_(0, wide, updates),
        "torch index_add_, deterministic": deterministic(torch, add),
        "torch index_put_": lambda: data.index_put_((at,), updates, accumulate=True),
    }


def cupys(workload, data, at, updates):
    import cupy

    if workload.dtype == "bfloat16":
        return {}
    data, at, updates = map(cupy.asarray, (data, at, updates))
    if workload.kind == "gather":
        return {"cupy take": lambda: cupy.take(data, at, 0, out=updates)}
    if workload.kind == "none":
        return {"cupy data[at] = updates, any of equal ones": lambda: data.__setitem__(at, updates)}
    return {"cupy add.at": lambda: cupy.add.at(data, at, updates)}


def jaxs(workload, data, at, updates):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    data, at, updates = (jax.dlpack.from_dlpack(array) for array in (data, at, updates))
    calls = {
        "gather": lambda data, at, updates: data.take(at, 0),
        "none": lambda data, at, updates: data.at[at].set(updates),
        "add": lambda data, at, updates: data.at[at].add(updates),
    }
    compiled = jax.jit(calls[workload.kind])
    return {f"jax {workload.kind}, a new result": lambda: compiled(data, at, updates).block_until_ready()}


def peers(torch, workload, operands):
    """Return the calls of installed peers by name, and print why a peer failed."""
    found = dict(torchs(torch, workload, *operands)) if torch else {}
    for library, make in (("cupy", cupys), ("jax", jaxs)) if torch else ():
        try:
            found |= make(workload, *operands)
        except ImportError:
            continue
        except Exception as error:
            print(f"  {library}: {type(error).__name__}: {error}"[:200], flush=True)
    return found


def launched_again(torch, data, tuples, updates):
    """Return a function that launches a graph with the captured call and waits for it."""
    import strew
    import strew.cuda

    graph = torch.cuda.CUDAGraph()
    strew.scatter_nd(data, tuples, updates, "add", out=data)  # loads the kernels
    with torch.cuda.graph(graph), strew.cuda.deferred() as later:
        strew.scatter_nd(data, tuples, updates, "add", out=data)
    return lambda: (graph.replay(), torch.cuda.synchronize(), later)
