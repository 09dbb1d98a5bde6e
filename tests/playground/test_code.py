"""The code that the page shows runs unchanged and gives the page's result."""

import contextlib
import io
import os
import shutil
import subprocess

import numpy as np
import pytest
import strew
from calls import array_of, examples, same
from conftest import ROOT, Playground

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
    "clipped as NumPy does": "Gather-13?data=[[1,2,3]]:float32&indices=[5,-2]:int32&axis=1&out_of_bounds=clip&negative_indices=out_of_bounds",
    "wrapped": "Gather-13?data=[1,2,3]:float32&indices=[5,-9]&out_of_bounds=wrap",
    "clipped tuples": "GatherND-13?data=[[1,2,3],[4,5,6]]:int64&indices=[[5,-4],[-1,-1]]:int64&out_of_bounds=clip",
    "wrapped tuples": "ScatterND-18?data=[[1,2,3],[4,5,6]]:int64&indices=[[5,-4],[-1,-1]]:int64&updates=[7,8]&out_of_bounds=wrap",
    "clipped elements": "ScatterElements-18?data=[[1,2],[3,4]]:float64&indices=[[-9,1],[7,0]]&updates=[[5,6],[7,8]]&reduction=max&out_of_bounds=clip",
    "small indices": "GatherElements-13?data=[1,2,3]:float32&indices=[200,1]:uint8&out_of_bounds=wrap",
    "filled": "Gather-13?data=[1,2]:float32&indices=[5,-1]&out_of_bounds=fill&fill_value=nan",
    "a filled number": "Gather-13?data=[1,2]:float32&indices=5&out_of_bounds=fill&fill_value=-1.5",
    "filled columns": "Gather-13?data=[[1,2],[3,4]]:int64&indices=[[-3,1],[0,2]]&axis=1&out_of_bounds=fill",
    "filled elements": "GatherElements-13?data=[[1,2],[3,4]]:float32&indices=[[0,-3],[2,-1]]&axis=1&out_of_bounds=fill&fill_value=0.5",
    "filled tuples": "GatherND-13?data=[[1,2],[3,4]]:complex64&indices=[[0,-3],[1,-1]]&out_of_bounds=fill&fill_value=1-2j",
    "filled batches": "GatherND-13?data=[[1,2],[3,4]]:int32&indices=[[2],[-1]]&batch_dims=1&out_of_bounds=fill&fill_value=9",
    "filled text": 'Gather-13?data=["a","b"]:string&indices=[1,2]&out_of_bounds=fill&fill_value=c',
    "dropped": "ScatterND-18?data=[1,2]:float32&indices=[[5],[-1],[0]]:int64&updates=[3,4,5]&out_of_bounds=drop&negative_indices=out_of_bounds",
    "dropped elements": "ScatterElements-18?data=[[1,2],[3,4]]:float32&indices=[[-2,2],[0,-3]]&updates=[[5,6],[7,8]]&axis=1&reduction=add&out_of_bounds=drop",
    "no negatives": "ScatterElements-18?data=[1,2]:float32&indices=[1]&updates=[5]&negative_indices=out_of_bounds",
    "difference": "ScatterND-18?data=[9,9]:int32&indices=[[0],[0]]:int64&updates=[3,4]&reduction=sub",
    "difference of elements": "ScatterElements-18?data=[9,9]:float32&indices=[0,-2]:int64&updates=[3,4]&reduction=sub",
    "difference without data": "ScatterElements-18?data=[9,9]:int32&indices=[0,0]:int64&updates=[3,4]&reduction=sub&include_self=false",
    "quotient": "ScatterND-18?data=[9,9]:float32&indices=[[0],[0]]:int64&updates=[3,4]&reduction=div",
    "bits": "ScatterElements-18?data=[9,9,5]:uint8&indices=[0,0,1]:int64&updates=[3,4,7]&reduction=xor&include_self=false",
    "mean": "ScatterElements-18?data=[[9,1],[2,3]]:float16&indices=[[0,1],[0,1]]:int64&updates=[[3,4],[5,6]]&reduction=mean",
    "mean of integers": "ScatterND-18?data=[9,-9]:int32&indices=[[0],[1],[1]]:int64&updates=[4,4,4]&reduction=mean",
    "mean of rows": "ScatterND-18?data=[[9,9],[1,1]]:float32&indices=[[0],[0],[0]]:int64&updates=[[1,2],[3,5],[6,7]]&reduction=mean&include_self=false",
    "sum without data": "ScatterND-18?data=[9,9]:float32&indices=[[0],[0]]:int64&updates=[3,4]&reduction=add&include_self=false",
    "product without data": "ScatterElements-18?data=[9,9]:float32&indices=[0,0]:int64&updates=[3,4]&reduction=mul&include_self=false",
    "largest without data": "ScatterElements-18?data=[9,9]:float32&indices=[0,0]:int64&updates=[3,4]&reduction=max&include_self=false",
    "scaled": "ScatterND-18?data=[9,9]:float16&indices=[[0],[0]]:int64&updates=[3,4]&reduction=add&alpha=0.1",
    "in float32": "ScatterND-18?data=[9,9]:float16&indices=[[0],[0]]:int64&updates=[3,4]&reduction=mean&include_self=false&acc_dtype=float32&alpha=0.5",
    "mean of complex numbers": "ScatterND-18?data=[8,9]:complex64&indices=[[0],[0]]:int64&updates=[3,4]&reduction=mean",
    "indices of a type that ONNX lacks": "ScatterND-18?data=[9,9]:float32&indices=[[0],[0]]:int32&updates=[3,4]",
    "the old scatter": "Scatter-9?data=[[0,0,0],[0,0,0]]:float32&indices=[[1,0,1]]:int64&updates=[[1,2,3]]",
}

# Features that ONNX lacks.
BEYOND_ONNX = {
    **dict.fromkeys(["clipped", "wrapped", "clipped tuples", "wrapped tuples", "clipped elements", "filled columns",
                     "dropped elements", "Outside indices dropped"], "out_of_bounds"),
    **dict.fromkeys(["clipped as NumPy does", "dropped", "Clipped at the edge"], "out_of_bounds, negative_indices"),
    **dict.fromkeys(["filled", "a filled number", "filled elements", "filled tuples", "filled batches", "filled text"],
                    "out_of_bounds, fill_value"),
    "Padding is filled": "out_of_bounds, fill_value, negative_indices",
    "small indices": "uint8 as the type of indices, out_of_bounds",
    "no negatives": "negative_indices",
    **dict.fromkeys(["difference", "difference of elements"], "the reduction 'sub'"),
    "difference without data": "the reduction 'sub', include_self",
    "quotient": "the reduction 'div'",
    "bits": "the reduction 'xor', include_self",
    **dict.fromkeys(["mean", "mean of integers", "mean of complex numbers"], "the reduction 'mean'"),
    **dict.fromkeys(["mean of rows", "Mean of rows"], "the reduction 'mean', include_self"),
    **dict.fromkeys(["sum without data", "product without data", "largest without data"], "include_self"),
    "scaled": "alpha",
    "in float32": "the reduction 'mean', include_self, acc_dtype, alpha",
    "indices of a type that ONNX lacks": "int32 as the type of indices",
}


@pytest.fixture(scope="session")
def shown(browser, address):
    """Return the code in each language, and the page's result: {title: ({language: text}, array)}."""
    with browser.new_context() as context:
        tab = Playground(context.new_page(), address)
        tab.open()
        all_shown = tab.page.evaluate("""async (calls) => {
            const {catalogue, codeOf, module, parseFragment} = playground;
            const answers = {};
            for (const [title, fragment] of Object.entries(calls)) {
                const call = await parseFragment(fragment, catalogue);
                const versions = catalogue.versions.filter((one) => one.operator === call.operator);
                const entry = versions.find((one) => one.version === call.version);
                const inputs = entry.inputs.map((input) => call.operands[input.name] ?? null);
                const answer = await module.call({do: "run", ...call, inputs});
                const codes = {};
                for (const tongue of ["Python", "ONNX", "Shell", "C++"]) {
                    codes[tongue] = codeOf(tongue, call, entry, answer, versions.at(-1).version);
                }
                answers[title] = [codes, answer.output];
            }
            return answers;
        }""", CALLS)
        assert tab.faults == []
    return {title: (codes, array_of(output)) for title, (codes, output) in all_shown.items()}


def code_of(shown, title, tongue):
    """Return the code and the result; None if the code says why there is none."""
    codes, result = shown[title]
    missing = BEYOND_ONNX.get(title) if tongue == "ONNX" else None
    if missing is None:
        return codes[tongue], result
    assert codes[tongue] == f"# {tongue} does not support {missing}; Strew does."
    return None, result


def test_the_page_shows_the_code_of_its_call(playground, shown):
    playground.open(CALLS["KV cache"])
    for tongue, code in shown["KV cache"][0].items():
        playground.page.click(f"#tongues button:text-is('{tongue}')")
        assert playground.text("#code-text") == code


@pytest.mark.parametrize(("fragment", "note"), [
    ("ScatterND-13?data=[1]&indices=[[0]]&updates=[2]",
     "The function is ScatterND-18. For ScatterND-13, see ONNX or Shell."),
    ("Scatter-9?data=[1]&indices=[0]&updates=[2]", "Scatter-9 is an old name: the function is that of ScatterElements."),
])
def test_code_of_an_older_version_says_that_the_function_is_the_newest(playground, fragment, note):
    playground.open(fragment)
    assert playground.text("#code-text").startswith(f"# {note}\nimport numpy")
    playground.page.click("#tongues button:text-is('C++')")
    assert playground.text("#code-text").startswith(f"// {note}\n#include")
    playground.page.click("#tongues button:text-is('ONNX')")
    assert note not in playground.text("#code-text")


def test_an_invalid_element_appears_in_no_code(playground):
    playground.open("Gather-13?data=[1,2]&indices=[0,1.5]")
    for tongue, comment in (("Python", "#"), ("C++", "//"), ("Shell", "#")):
        playground.page.click(f"#tongues button:text-is('{tongue}')")
        text = playground.text("#code-text")
        assert text == f"{comment} indices[1]: '1.5' is not a value of int64, so there is no code for this call."


@pytest.mark.parametrize("title", CALLS)
def test_python(shown, title):
    code, result = code_of(shown, title, "Python")
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "page", "exec"), names)  # noqa: S102: this test runs the page's code
    assert same(names["output"], result), code


@pytest.mark.parametrize("title", CALLS)
def test_onnx(shown, title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, result = code_of(shown, title, "ONNX")
    if code is None:
        return
    exec(compile(code, "page", "exec"), {})  # noqa: S102
    outputs = strew.load_model("call.onnx", allow_deprecated=True).run({})
    assert same(np.asarray(outputs["output"]), result), code


@pytest.mark.parametrize("title", CALLS)
def test_shell(shown, title, tmp_path):
    code, result = code_of(shown, title, "Shell")
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


def is_printed(printed, result):
    if result.dtype == object:
        return printed == " ".join(result.ravel())
    if result.dtype.kind == "c":
        parts = [text.strip("()").split(",") for text in printed.split()]
        return [complex(float(real), float(imaginary)) for real, imaginary in parts] == result.ravel().tolist()
    return np.allclose(np.array(printed.split(), dtype=float), result.ravel().astype(float), rtol=1e-5, equal_nan=True)


def test_cpp(shown, tmp_path):
    """Compile all code as one program with a namespace for each call, because the headers take most of the time."""
    titles = [title for title, (codes, _) in shown.items() if not codes["C++"].startswith("// ") or "#include" in codes["C++"]]
    others = {result.dtype.name for title, (_, result) in shown.items() if title not in titles}
    assert others == {"float16", "bfloat16", "bool"}
    includes, bodies = {}, []
    for i, title in enumerate(titles):
        lines = shown[title][0]["C++"].splitlines()
        includes |= dict.fromkeys(line for line in lines if line.startswith("#include"))
        body = "\n".join(line for line in lines if not line.startswith("#include"))
        bodies.append(f"namespace call_{i} {{\n{body.replace('int main()', 'int run()')}\nreturn 0; }}\n}}".replace("\n}\nreturn 0; }", "\nreturn 0; }"))
    calls = "".join(f'  if (call_{i}::run() != 0) return 1;\n  std::cout << "\\n";\n' for i in range(len(titles)))
    (tmp_path / "calls.cc").write_text("\n".join([*includes, *bodies, f"int main() {{\n{calls}}}\n"]))
    library = ROOT / "build" / "src" / "libstrew.a"
    launcher = [shutil.which("ccache")] if shutil.which("ccache") else []
    subprocess.run([*launcher, "g++", "-std=c++20", "-O0", f"-I{ROOT / 'include'}", "-c", "calls.cc"], cwd=tmp_path, check=True)
    subprocess.run(["g++", "calls.o", library, "-lhwy", "-pthread", "-o", "calls"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "calls"], capture_output=True, text=True, check=True).stdout.splitlines()
    for title, line in zip(titles, printed, strict=True):
        codes, result = shown[title]
        assert is_printed(line.strip(), result), codes["C++"]
