"""A step of a language model's decoder: 4 of the 28 layers of Qwen3-0.6B, for 4 sequences.

Each sequence has a cache of keys and values with 2048 places. A step writes one place of each cache in one of three
ways: with ScatterND and tuples (sequence, head, place), with TensorScatter, or with ScatterND between two
transpositions, which is how PyTorch's exporter writes `index_copy_` along the places.
"""

import numpy as np
from case import Case, floats, generator, parsed

LAYERS, BATCH, PLACES = 4, 4, 2048
WIDTH, INNER, HEADS, GROUPS, HEAD = 1024, 3072, 8, 2, 128

SHARED = """
  epsilon = Constant<value = float {0.000001}>()
  two = Constant<value = float {2.0}>()
  scale = Constant<value = float {0.08838834764831845}>()
  minus_infinity = Constant<value = float {-3.0e38}>()
  zero = Constant<value = float {0.0}>()
  last = Constant<value = int64[1] {-1}>()
  middle = Constant<value = int64[2] {1, 2}>()
  places = Constant<value_ints = [%s]>()
  query_shape = Constant<value = int64[4] {0, %d, %d, %d}>()
  key_shape = Constant<value = int64[4] {0, %d, 1, %d}>()
  flat_shape = Constant<value = int64[3] {0, 1, -1}>()
  position_column = Unsqueeze(position, last)
  unseen = Greater(places, position_column)
  mask_2d = Where(unseen, minus_infinity, zero)
  mask = Unsqueeze(mask_2d, middle)
  cos_2d = Gather(cos_table, position)
  sin_2d = Gather(sin_table, position)
  cos = Unsqueeze(cos_2d, middle)
  sin = Unsqueeze(sin_2d, middle)
""" % (", ".join(map(str, range(PLACES))), HEADS, GROUPS, HEAD, HEADS, HEAD)

TUPLES = """
  one = Constant<value = int64[1] {1}>()
  heads_shape = Constant<value = int64[3] {%d, %d, 1}>()
  position_3d = Unsqueeze(position, middle)
  position_each = Expand(position_3d, heads_shape)
  tuples = Concat<axis=-1>(sequence_and_head, position_each)
  axis_of_places = Constant<value = int64[1] {2}>()
""" % (BATCH, HEADS)

FIRST_PLACE = """
  first = Constant<value = int64[1] {0}>()
  first_position = Gather(position, first)
  place = Unsqueeze(first_position, last)
"""


def write_tuples(past, new, present):
    return f"""
  {new}_rows = Squeeze({new}, axis_of_places)
  {present} = ScatterND({past}, tuples, {new}_rows)"""


def write_exported(past, new, present):
    return f"""
  {past}_t = Transpose<perm=[2,0,1,3]>({past})
  {new}_t = Transpose<perm=[2,0,1,3]>({new})
  {present}_t = ScatterND({past}_t, place, {new}_t)
  {present} = Transpose<perm=[1,2,0,3]>({present}_t)"""


def write_tensor(past, new, present):
    return f"\n  {present} = TensorScatter<axis=2>({past}, {new}, position)"


WRITERS = {
    "scatternd": (TUPLES, write_tuples, 18),
    "scatternd_exported": (FIRST_PLACE, write_exported, 18),
    "tensorscatter": ("", write_tensor, 24),
}


def norm(x, weight, to):
    return f"""
  {to}_square = Pow({x}, two)
  {to}_mean = ReduceMean({to}_square, last)
  {to}_more = Add({to}_mean, epsilon)
  {to}_root = Sqrt({to}_more)
  {to}_unit = Div({x}, {to}_root)
  {to} = Mul({to}_unit, {weight})"""


def rotated(x, to):
    return f"""
  {to}_low, {to}_high = Split<axis=-1, num_outputs=2>({x})
  {to}_a = Mul({to}_low, cos)
  {to}_b = Mul({to}_high, sin)
  {to}_c = Mul({to}_high, cos)
  {to}_d = Mul({to}_low, sin)
  {to}_e = Sub({to}_a, {to}_b)
  {to}_f = Add({to}_c, {to}_d)
  {to} = Concat<axis=-1>({to}_e, {to}_f)"""


def layer(n, write, before, after):
    p = f"l{n}_"
    return f"""{norm(before, p + "norm_1", p + "x")}
  {p}q_flat = MatMul({p}x, {p}wq)
  {p}k_flat = MatMul({p}x, {p}wk)
  {p}v_flat = MatMul({p}x, {p}wv)
  {p}q_raw = Reshape({p}q_flat, query_shape)
  {p}k_raw = Reshape({p}k_flat, key_shape)
  {p}v = Reshape({p}v_flat, key_shape)
{rotated(p + "q_raw", p + "q")}{rotated(p + "k_raw", p + "k")}
{write(f"past_key_{n}", p + "k", f"key_{n}")}{write(f"past_value_{n}", p + "v", f"value_{n}")}
  {p}keys = Transpose<perm=[0,1,3,2]>(key_{n})
  {p}dots = MatMul({p}q, {p}keys)
  {p}scaled = Mul({p}dots, scale)
  {p}masked = Add({p}scaled, mask)
  {p}shares = Softmax<axis=-1>({p}masked)
  {p}mixed = MatMul({p}shares, value_{n})
  {p}joined = Reshape({p}mixed, flat_shape)
  {p}attended = MatMul({p}joined, {p}wo)
  {p}h = Add({before}, {p}attended)
{norm(p + "h", p + "norm_2", p + "y")}
  {p}gate = MatMul({p}y, {p}wg)
  {p}up = MatMul({p}y, {p}wu)
  {p}sigmoid = Sigmoid({p}gate)
  {p}silu = Mul({p}gate, {p}sigmoid)
  {p}inner = Mul({p}silu, {p}up)
  {p}down = MatMul({p}inner, {p}wd)
  {after} = Add({p}h, {p}down)"""


def weights(tuples):
    random = generator()
    shapes = {"wq": (WIDTH, HEADS * GROUPS * HEAD), "wk": (WIDTH, HEADS * HEAD), "wv": (WIDTH, HEADS * HEAD),
              "wo": (HEADS * GROUPS * HEAD, WIDTH), "wg": (WIDTH, INNER), "wu": (WIDTH, INNER), "wd": (INNER, WIDTH)}
    made = {}
    for n in range(LAYERS):
        for name, shape in shapes.items():
            made[f"l{n}_{name}"] = (floats(random, *shape) - np.float32(1)) / np.float32(32)
        made |= {f"l{n}_norm_{i}": floats(random, WIDTH) for i in (1, 2)}
    angles = np.outer(np.arange(PLACES), 1e6 ** (-np.arange(HEAD // 2) / (HEAD // 2)))
    made |= {"cos_table": np.cos(angles).astype(np.float32), "sin_table": np.sin(angles).astype(np.float32)}
    if tuples:
        made["sequence_and_head"] = np.stack(np.indices((BATCH, HEADS)), -1)
    return made


def decoder_model(writer):
    preparation, write, opset = WRITERS[writer]
    cache = f"float[{BATCH},{HEADS},{PLACES},{HEAD}]"
    past = ", ".join(f"{cache} past_key_{n}, {cache} past_value_{n}" for n in range(LAYERS))
    present = ", ".join(f"{cache} key_{n}, {cache} value_{n}" for n in range(LAYERS))
    values = ["hidden", *(f"hidden_{n}" for n in range(1, LAYERS)), "result"]
    body = "".join(layer(n, write, values[n], values[n + 1]) for n in range(LAYERS))
    state = f"float[{BATCH},1,{WIDTH}]"
    inputs = f"{state} hidden, int64[{BATCH}] position, {past}"
    text = f"step ({inputs}) => ({state} result, {present}) {{{SHARED}{preparation}{body}\n}}"
    return parsed(text, weights(writer == "scatternd"), opset)


def decoder_feeds(writer):
    random = generator()
    position = random.integers(PLACES // 2, PLACES, BATCH)
    if writer == "scatternd_exported":
        position[:] = position[0]
    feeds = {"hidden": floats(random, BATCH, 1, WIDTH), "position": position}
    for n in range(LAYERS):
        for kind in ("key", "value"):
            feeds[f"past_{kind}_{n}"] = floats(random, BATCH, HEADS, PLACES, HEAD) - np.float32(1)
    return feeds


CACHES = {f"{kind}_{n}": f"past_{kind}_{n}" for n in range(LAYERS) for kind in ("key", "value")}
CASES = {}
for writer in WRITERS:
    model, feeds = lambda w=writer: decoder_model(w), lambda w=writer: decoder_feeds(w)
    CASES[f"decoder_{writer}"] = Case(model, feeds, kept_outputs=True)
    if writer != "scatternd_exported":
        CASES[f"decoder_{writer}_in_place"] = Case(model, feeds, CACHES, kept_outputs=True)
