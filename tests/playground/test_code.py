"""The code that the page shows runs as it stands and gives the page's result."""

import contextlib
import importlib.util
import io
import os
import shutil
import subprocess

import numpy as np
import pytest
import strew
from calls import array_of, examples, same
from conftest import ROOT

REFUSED = {"Out of range", "Wrong updates"}
CALLS = {example["title"]: example["call"] for example in examples(ROOT) if example["title"] not in REFUSED}
CALLS |= {
    "max of half floats": "ScatterND-18?data=[1,5,nan]:float16&indices=[[0],[1],[-1]]:int64&updates=[4,inf,3]&reduction=max",
    "product": "ScatterElements-16?data=[[1.5,2],[3,4]]:float32&indices=[[0,-1]]:int64&updates=[[2,3]]&axis=0&reduction=mul",
    "tuples with rows": "ScatterND-18?data=[[[1,2],[3,4]],[[5,6],[7,8]]]:int32&indices=[[0,1],[1,0]]:int64&updates=[[9,9],[8,8]]&reduction=min",
    "batches": "GatherND-13?data=[[[1,2],[3,4]],[[5,6],[7,8]]]:float64&indices=[[1],[0]]:int64&batch_dims=1",
    "columns": "Gather-13?data=[[1,2,3],[4,5,6]]:uint8&indices=[[-1,0]]:int32&axis=1",
    "circular": "TensorScatter-24?past_cache=[[[1],[2],[3]]]:float32&update=[[[8],[9]]]&write_indices=[2]&mode=circular",
    "from the start": "TensorScatter-24?past_cache=[[[[1,2]],[[3,4]]]]:float32&update=[[[[5,6]],[[7,8]]]]",
    "strings": r'Gather-13?data=["a%20\"b\"","ü","$(x)"]:string&indices=[1,0,2]:int64',
    "bool": "ScatterElements-13?data=[true,false]:bool&indices=[1]:int64&updates=[true]",
    "complex": "Gather-13?data=[1-2j,0.5j,3]:complex64&indices=[2,0,1]:int64",
    "bfloat16": "Gather-13?data=[0.5,1.5]:bfloat16&indices=[1]:int64",
    "nothing": "Gather-13?data=[]:float32[0,2]&indices=[]:int64[0]",
    "clipped": "Gather-13?data=[1,2]:float32&indices=[5,-9]&out_of_bounds=clip",
    "filled": "Gather-13?data=[1,2]:float32&indices=[5,-1]&out_of_bounds=fill&fill_value=nan",
    "dropped": "ScatterND-18?data=[1,2]:float32&indices=[[5],[-1]]:int64&updates=[3,4]&out_of_bounds=drop&negative_indices=outside",
    "the old scatter": "Scatter-9?data=[[0,0,0],[0,0,0]]:float32&indices=[[1,0,1]]:int64&updates=[[1,2,3]]",
}

RULED = {"clipped", "filled", "dropped"}


def shown(playground, title, tongue):
    """The code, and the result of the page."""
    playground.open(CALLS[title])
    assert playground.page.is_hidden("#message"), playground.text("#message")
    playground.page.click(f"#tongues button:text-is('{tongue}')")
    result = playground.page.evaluate("""async () => {
        const {Module} = await import("./js/module.js");
        const {parseFragment} = await import("./js/state.js");
        const module = new Module();
        const catalogue = await module.call({do: "catalogue"});
        const call = await parseFragment(location.hash, catalogue);
        const entry = catalogue.versions.find((one) => one.operator === call.operator && one.version === call.version);
        const inputs = entry.inputs.map((input) => call.operands[input.name] ?? null);
        return (await module.call({do: "run", ...call, inputs})).output;
    }""")
    return playground.text("#code-text"), array_of(result)


def run_python(code):
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "page", "exec"), names)  # noqa: S102: the page's own code is what is tested
    return names["output"]


@pytest.mark.parametrize("title", CALLS)
def test_python(playground, title):
    code, result = shown(playground, title, "Python")
    assert same(run_python(code), result), code


@pytest.mark.parametrize("title", CALLS)
def test_numpy(playground, title):
    code, result = shown(playground, title, "NumPy")
    if title in RULED:
        assert code == "# NumPy has no word for the rules of indices outside their axis; Strew has."
        return
    assert same(run_python(code), result), code


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")
@pytest.mark.parametrize("title", CALLS)
def test_pytorch(playground, title):
    code, result = shown(playground, title, "PyTorch")
    if "PyTorch has no" in code:
        assert result.dtype == object or title in RULED
        return
    output = run_python(code)
    if result.dtype.name == "bfloat16":
        output, result = output.float(), result.astype(np.float32)
    output = output.numpy()
    assert output.dtype == result.dtype, code
    np.testing.assert_array_equal(output, result, err_msg=code)  # a NaN of PyTorch may have other bits


@pytest.mark.parametrize("title", CALLS)
def test_onnx(playground, title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, result = shown(playground, title, "ONNX")
    if title in RULED:
        assert code.startswith("# ONNX has no word")
        return
    exec(compile(code, "page", "exec"), {})  # noqa: S102
    outputs = strew.load("call.onnx", allow_deprecated=True).run({})
    assert same(np.asarray(outputs["output"]), result), code


@pytest.mark.parametrize("title", CALLS)
def test_shell(playground, title, tmp_path):
    code, result = shown(playground, title, "Shell")
    path = f"{ROOT / 'build'}:{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-e", "-c", code], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr + code
    output = np.load(tmp_path / "output.npy", allow_pickle=False)
    if result.dtype == object:
        output = output.astype(object)
    elif output.dtype.kind == "V":
        output = output.view(result.dtype)
    assert same(output, result), code


@pytest.mark.parametrize("title", ["Sum of rows", "KV cache", "Embedding lookup", "strings", "complex", "circular",
                                   "from the start", "max of half floats", "tuples with rows"])
def test_cpp(playground, title, tmp_path):
    code, result = shown(playground, title, "C++")
    if code.startswith("//"):
        assert result.dtype.name in ("float16", "bfloat16")
        return
    (tmp_path / "call.cc").write_text(code)
    library = ROOT / "build" / "src" / "libstrew.a"
    launcher = [shutil.which("ccache")] if shutil.which("ccache") else []
    subprocess.run([*launcher, "g++", "-std=c++20", "-O0", f"-I{ROOT / 'include'}", "-c", "call.cc"], cwd=tmp_path, check=True)
    subprocess.run(["g++", "call.o", library, "-lminizip", "-lz", "-lhwy", "-pthread", "-o", "call"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "call"], capture_output=True, text=True, check=True).stdout.strip()
    if result.dtype == object:
        assert printed == " ".join(result.ravel())
    elif result.dtype.kind == "c":
        parts = [text.strip("()").split(",") for text in printed.split()]
        assert [complex(float(real), float(imaginary)) for real, imaginary in parts] == result.ravel().tolist()
    else:
        assert np.allclose(np.array(printed.split(), dtype=float), result.ravel().astype(float), rtol=1e-5)
