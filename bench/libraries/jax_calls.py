"""Jitted calls of JAX, with int32 indices; in-place calls donate the data.

XLA has no setting for the number of threads, so a process for one thread is pinned to one processor.
"""

import os

from libraries import tuple_of

VERBS = {"none": "set", "add": "add", "mul": "multiply", "max": "max", "min": "min"}


def make_call(op, attributes, inputs, threads, mode):
    if mode == "kept":
        return None
    if threads == 1:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import jax
    import numpy as np

    arrays = [jax.numpy.asarray(x.astype(np.int32) if x.dtype == np.int64 else x) for x in inputs]
    function = function_of(op, attributes, len(arrays[0].shape))
    if mode == "fresh":
        compiled = jax.jit(function)
        return lambda: compiled(*arrays).block_until_ready()
    compiled = jax.jit(function, donate_argnums=0)

    def call():
        arrays[0] = compiled(*arrays).block_until_ready()
        return arrays[0]

    return call


def function_of(op, attributes, rank):
    import jax
    import jax.numpy as jnp

    if op == "Gather":
        return lambda data, indices: jnp.take(data, indices, axis=attributes["axis"])
    if op == "GatherElements":
        return lambda data, indices: jnp.take_along_axis(data, indices, attributes["axis"])
    if op == "GatherND" and attributes["batch_dims"] == 1:
        return jax.vmap(lambda data, indices: data[tuple_of(indices)])
    if op == "GatherND":
        return lambda data, indices: data[tuple_of(indices)]
    if op == "TensorScatter":
        return jax.vmap(lambda cache, update, start: jax.lax.dynamic_update_slice(cache, update, (0, start, 0)))
    verb = VERBS[attributes["reduction"]]
    if op == "ScatterND":
        return lambda data, indices, updates: getattr(data.at[tuple_of(indices)], verb)(updates)

    def scatter_elements(data, indices, updates):
        places = [jnp.arange(n).reshape([-1 if i == a else 1 for i in range(rank)]) for a, n in enumerate(indices.shape)]
        places[attributes["axis"]] = indices
        return getattr(data.at[tuple(places)], verb)(updates)

    return scatter_elements
