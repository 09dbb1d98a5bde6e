"""Tests arrays of JAX, objects with __dlpack__, buffers and array-likes as operands."""

import array
import ctypes

from device_support import Lender, Lent, new_capsule
import jax
import numpy as np
import pytest
import strew
from support import INDEX_TYPES, ML_TYPES, assert_same, dtype_of, random_bits, refuses

jnp = jax.numpy

JAX_TYPES = ["bool", "int8", "int32", "uint16", "uint32", "float16", "float32", "complex64", *ML_TYPES]


def assert_same_jax(result, wanted):
    assert isinstance(result, jax.Array)
    assert_same(np.asarray(result), wanted)


@pytest.mark.parametrize("name", JAX_TYPES)
def test_jax_in_jax_out(name):
    bits = random_bits(np.random.default_rng(4), (5, 3), dtype_of(name))
    data, rows = jnp.asarray(bits), jnp.asarray(bits[:2])
    assert_same_jax(strew.gather(data, jnp.array([4, 0])), bits[[4, 0]])
    assert_same_jax(strew.gather(data, [1], axis=-1), bits[:, 1:2])
    assert_same_jax(strew.gather_elements(data, jnp.array([[4, 0, 1]])), bits[[4, 0, 1], [0, 1, 2]][None])
    assert_same_jax(strew.gather_nd(data, np.array([[4, 0]])), bits[[4], [0]])
    wanted = np.concatenate([bits[:2][::-1], bits[2:]])
    assert_same_jax(strew.scatter_nd(data, jnp.array([[1], [0]]), rows), wanted)
    assert_same_jax(strew.scatter_elements(data, jnp.array([[1] * 3, [0] * 3]), rows), wanted)
    assert_same_jax(strew.tensor_scatter(data[None], rows[None, ::-1], axis=1), wanted[None])
    assert_same(np.asarray(data), bits)


@pytest.mark.parametrize("index_type", [name for name in INDEX_TYPES if "64" not in name])
def test_jax_indices_of_every_type(index_type):
    data = np.arange(5.0)
    assert_same(strew.gather(data, jnp.array([1, 4], index_type)), data[[1, 4]])


def test_a_jitted_result_is_an_operand():
    twice = jax.jit(lambda x: 2 * x.T)
    data = twice(jnp.arange(6.0).reshape(2, 3))
    result = strew.scatter_nd(data, jnp.array([[0]]), jnp.ones((1, 2)), "add")
    assert_same_jax(result, np.array([[1, 7], [2, 8], [4, 10]], np.float32))
    assert_same_jax(twice(result), np.array([[2, 4, 8], [14, 16, 20]], np.float32))


def test_the_kind_of_the_data_is_that_of_the_result():
    numbers = np.arange(4, dtype=np.float32)
    assert type(strew.gather(numbers, jnp.array([1]))) is np.ndarray
    assert isinstance(strew.gather(jnp.asarray(numbers), np.array([1])), jax.Array)
    assert isinstance(strew.scatter_nd(jnp.asarray(numbers), [[0]], numbers[:1]), jax.Array)
    assert type(strew.scatter_nd(numbers, [[0]], jnp.asarray(numbers[:1]))) is np.ndarray


def test_a_jax_array_is_no_out():
    data, out = jnp.arange(4.0), jnp.zeros(4)
    for call in (
        lambda: strew.gather(data, [0, 1, 2, 3], out=out),
        lambda: strew.scatter_nd(data, [[0]], [5.0], out=data),
        lambda: strew.scatter_nd(np.zeros(4, np.float32), [[0]], [5.0], out=out),
    ):
        words = "is immutable or not in CPU memory; pass an ndarray or a tensor"
        refuses(ValueError, f"^(gather|scatter_nd): out of type <class '.*'> {words}$", call)
    assert data.tolist() == [0, 1, 2, 3] and out.tolist() == [0, 0, 0, 0]
    given = np.zeros(2, np.float32)
    assert strew.gather(data, [2, 3], out=given) is given
    assert given.tolist() == [2, 3]


def test_jax_arrays_are_not_kept_and_not_lost():
    data = jnp.arange(5.0)
    result = strew.gather(data, [1])
    data.delete()
    assert result.tolist() == [1]
    refuses(RuntimeError, "deleted", strew.gather, data, [1])


def test_a_traced_array_is_refused_with_the_way_to_call_strew_all_the_same():
    for call in (lambda x: strew.gather(x, [0]), lambda x: strew.scatter_nd(np.zeros(3), [[0]], x)):
        with pytest.raises(TypeError, match=r"(data is|updates are) a JAX tracer, .* through jax\.pure_callback"):
            jax.jit(call)(jnp.arange(1.0))


class OldLender(Lender):
    def __dlpack__(self, stream=None):
        return super().__dlpack__()


@pytest.mark.parametrize("lender", [Lender, OldLender])
def test_an_own_class_lends_its_elements(lender):
    values = np.arange(12.0).reshape(3, 4)
    for view in (values, values.T, values[::-1, ::2], np.broadcast_to(values[0], (3, 4)), values[:, :0]):
        if view.flags.writeable or lender is Lender:
            assert_same(strew.gather(lender(view), lender(np.array([2, 0]))), view[[2, 0]])
            assert_same(strew.scatter_nd(lender(view), [[0]], lender(view[1:2])), view[[1, 1, *range(2, len(view))]])
    out = np.zeros((1, 4))
    lent = lender(out)
    assert strew.gather(values, [1], out=lent) is lent
    assert_same(out, values[1:2])
    out.flags.writeable = False
    kind, words = (ValueError, "is immutable|cannot be read") if lender is Lender else ((TypeError, ValueError), "out")
    refuses(kind, words, strew.gather, values, [1], out=lent)


def test_a_class_that_does_not_lend_is_refused_with_its_reason():
    lender, words = Lender(np.arange(3), error=RuntimeError("lent already")), "cannot be read through DLPack"
    refusal = refuses(TypeError, f"^gather: data of type <class '.*Lender'> {words}$", strew.gather, lender, [0])
    assert repr(refusal.__cause__) == "RuntimeError('lent already')"
    with pytest.raises(KeyboardInterrupt):
        strew.gather(Lender(np.arange(3), error=KeyboardInterrupt()), [0])
    elsewhere = r"^gather: indices are on device \(8, 0\); strew works in CPU memory and on CUDA devices$"
    refuses(ValueError, elsewhere, strew.gather, np.arange(3), Lender(np.arange(3), (8, 0), BufferError("elsewhere")))
    with pytest.raises(TypeError, match="^gather: indices of type .* cannot be read on a CUDA device$") as refusal:
        strew.gather(np.arange(3), Lender(np.arange(3), (2, 0), BufferError("elsewhere")))
    assert repr(refusal.value.__cause__) == "BufferError('elsewhere')"


@pytest.mark.parametrize("device", [None, (), ("cpu", 0), 5, (1,), (1.5, None)], ids=repr)
def test_an_odd_device_is_not_believed(device):
    assert strew.gather(Lender(np.arange(3), device), [1]).tolist() == [1]
    with pytest.raises(TypeError, match="^gather: data of type .* cannot be read through DLPack$"):
        strew.gather(Lender(np.arange(3), device, BufferError("no")), [1])


@pytest.mark.parametrize("odd", [{"lanes": 4}, {"bits": 7}, {"code": 99}])
def test_elements_that_no_type_of_onnx_has_are_described(odd):
    memory, sizes = np.zeros(4), (ctypes.c_int64 * 1)(1)
    described = {"ndim": 1, "code": 2, "bits": 32, "lanes": 1, **odd}
    tensor = Lent(data=memory.ctypes.data, device=(1, 0), shape=sizes, **described)

    class Odd:
        def __dlpack__(self, **how):
            return new_capsule(ctypes.addressof(tensor), b"dltensor", None)

    code, bits, lanes = (described[name] for name in ("code", "bits", "lanes"))
    with pytest.raises(TypeError) as refusal:
        strew.gather(Odd(), [0])
    assert str(refusal.value).endswith(
        "cannot be read through DLPack: it exports a tensor of rank 1 "
        f"with type code {code}, {bits} bits and {lanes} lanes, on a device of kind 1"
    )


def test_a_lender_of_rubbish_is_refused():
    class Rubbish:
        def __dlpack__(self, **how):
            return 5

    for odd in (Rubbish(), Rubbish):
        refuses(TypeError, "^gather: data of type .* cannot be read through DLPack$", strew.gather, odd, [1])


def test_buffers_are_arrays():
    assert_same(strew.gather(array.array("d", [1, 2, 3]), array.array("q", [2, -3])), np.array([3.0, 1.0]))
    assert_same(strew.gather(memoryview(np.arange(6).reshape(2, 3)[:, ::-1]), [1]), np.array([[5, 4, 3]]))
    assert_same(strew.gather(bytearray(b"abc"), b"\2"[0]), np.array(ord("c"), np.uint8))
    assert_same(strew.scatter_nd(np.zeros(3, "f4"), [[1]], array.array("f", [2.5])), np.array([0, 2.5, 0], "f4"))


def test_one_element_through_dlpack_is_what_it_is_elsewhere():
    scalar = jnp.float32(3)
    assert strew.scatter_nd(
        np.zeros(2, np.float32), [[0], [1]], np.asarray(scalar).reshape(1).repeat(2)
    ).tolist() == [3, 3]
    assert strew.gather(np.arange(5), jnp.int32(3)).tolist() == 3
    refuses(ValueError, "^gather: data has shape .. of rank 0", strew.gather, scalar, 0)
