"""Adapters, one class for each runtime. A subclass of Runtime in another module is given as "module:Class".

`load` reads a model file and returns `run(feeds, memory)`, which maps inputs by name to a list of outputs in graph
order. `memory` has an array for each output, by name. If the runtime can write its outputs there, the arrays show
whether it wrote before it rejected the input. An exception is a rejection; `unsupported` tells whether its message
reports a missing feature. `SCRIPT` has the same code as text, for the scripts that show a finding.
"""

import ctypes
import functools
import importlib
import importlib.util
import importlib.metadata
import urllib.parse

import ml_dtypes
import numpy as np
from onnx import TensorProto, parser

from .arrays import DTYPES, element_type, from_tensor, to_tensor


def packed(array):
    """Return whether elements have four bits. ONNX stores two of them per byte, NumPy one."""
    return array.dtype.name in ("int4", "uint4", "float4_e2m1fn")


class Runtime:
    packages = ()
    not_there = ("not implemented", "not supported", "unsupported", "not_implemented")

    def versions(self):
        """Return the versions of the runtime's packages, by name."""
        return {name: importlib.metadata.version(name) for name in self.packages}

    def script(self):
        """Return SCRIPT, in which @THREADS@ stands for the number of threads."""
        return self.SCRIPT

    LEND = None  # SCRIPT's last line, and its replacement that writes the output to `memory`

    def unsupported(self, error):
        """Return whether the error reports a missing feature rather than bad input."""
        said = str(error).lower()
        return isinstance(error, NotImplementedError) or any(text.lower() in said for text in self.not_there)


class OnnxRuntime(Runtime):
    """ONNX Runtime's CPU provider; if `plugin` names a package, its plug-in provider comes first."""

    module = "onnxruntime"
    not_there = (*Runtime.not_there, "Could not find an implementation", "guarantees", "not currently registered")
    packages = ("onnxruntime",)

    def __init__(self, plugin=None, **options):
        import onnxruntime

        self.plugin, self.options, self.onnxruntime = plugin and importlib.import_module(plugin), options, onnxruntime
        if self.plugin:
            self.packages = ("onnxruntime", *importlib.metadata.packages_distributions()[plugin][:1])
            onnxruntime.register_execution_provider_library(self.plugin.get_ep_name(), self.plugin.get_library_path())
            # Creates the provider here, so that a rejected option is an error now, and not the answer to every case.
            self._session(parser.parse_model(self.PLAIN).SerializeToString(), 1)

    PLAIN = '<ir_version: 7, opset_import: ["": 13]> plain (float[1] x) => (float[1] y) { y = Identity(x) }'

    def _session(self, model, threads):
        options = self.onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = threads, 4
        if self.plugin:
            name = self.plugin.get_ep_name()
            devices = [device for device in self.onnxruntime.get_ep_devices() if device.ep_name == name]
            options.add_provider_for_devices(devices[:1], self.options)
        options.add_provider("CPUExecutionProvider", {})
        return self.onnxruntime.InferenceSession(model, options, enable_fallback=0)

    def load(self, path, threads):
        session = self._session(str(path), threads)
        names = [output.name for output in session.get_outputs()]

        def run(feeds, memory):
            if any(array.dtype == object for array in feeds.values()):
                return session.run(None, feeds)
            binding = session.io_binding()
            for name, array in feeds.items():
                binding.bind_ortvalue_input(name, self._value(array))
            for name in names:
                # ONNX Runtime cannot write to packed or empty arrays of NumPy.
                if name in memory and memory[name].size and not packed(memory[name]):
                    binding.bind_ortvalue_output(name, self._value(memory[name]))
                else:
                    binding.bind_output(name)
            session.run_with_iobinding(binding)
            results = zip(names, binding.get_outputs(), strict=True)
            return [self._result(memory.get(name), value) for name, value in results]

        return run

    def _value(self, array):
        value = self.onnxruntime.OrtValue
        if array.dtype.name not in DTYPES:
            return value.ortvalue_from_numpy(array)
        if not packed(array):
            return value.ortvalue_from_numpy_with_onnx_type(array.view(f"u{array.dtype.itemsize}"), element_type(array))
        made = value.ortvalue_from_shape_and_type(array.shape, element_type(array))
        ctypes.memmove(made.data_ptr(), raw := to_tensor(array, "").raw_data, len(raw))
        return made

    @staticmethod
    def _result(memory, value):
        if memory is None:
            return value.numpy()
        shape = tuple(value.shape())
        if not packed(memory):
            return memory if memory.size else np.empty(shape, memory.dtype)
        raw = ctypes.string_at(value.data_ptr(), (int(np.prod(shape)) + 1) // 2)
        return from_tensor(TensorProto(dims=shape, data_type=element_type(memory), raw_data=raw))

    SCRIPT = """
import onnxruntime
PLUGIN
def run(model, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = @THREADS@, 4
    TAKE
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return session.run(None, feeds)[0]
"""
    LEND = (
        "    return session.run(None, feeds)[0]",
        """    binding = session.io_binding()
    for key, array in feeds.items():
        binding.bind_cpu_input(key, array)
    binding.bind_ortvalue_output("output", onnxruntime.OrtValue.ortvalue_from_numpy(memory))
    session.run_with_iobinding(binding)
    return memory""",
    )
    PLUGIN = """import PACKAGE

name = PACKAGE.get_ep_name()
onnxruntime.register_execution_provider_library(name, PACKAGE.get_library_path())
"""
    TAKE = """devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == name]
    options.add_provider_for_devices(devices[:1], OPTIONS)"""

    def script(self):
        take, plugin = (self.TAKE, self.PLUGIN) if self.plugin else ("", "")
        text = self.SCRIPT.replace("PLUGIN", plugin).replace("    TAKE\n", f"    {take}\n" if take else "")
        text = text.replace("PACKAGE", self.plugin.__name__ if self.plugin else "")
        return text.replace("OPTIONS", repr(self.options))


class OpenVino(Runtime):
    """OpenVINO's CPU device, with sums in the element type."""

    module = "openvino"
    packages = ("openvino",)
    not_there = (*Runtime.not_there, "unsupported 'data' input precision", "doesn't support", "OpConversionFailure")

    def __init__(self):
        import openvino

        self.openvino, self.core = openvino, openvino.Core()

    def load(self, path, threads):
        settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
        compiled = self.core.compile_model(self.core.read_model(str(path)), "CPU", settings)
        names = {name for port in compiled.inputs for name in port.get_names()}

        def run(feeds, memory):
            request = compiled.create_infer_request()
            for name, array in memory.items():
                if array.size and array.ndim and array.dtype.name not in DTYPES:
                    request.set_tensor(name, self._tensor(array, shared_memory=True))
            # The compiled model omits unused inputs, such as indices if nothing is scattered.
            request.infer({name: self._tensor(array) for name, array in feeds.items() if name in names})
            return [self._array(request.get_output_tensor(number)) for number in range(len(compiled.outputs))]

        return run

    def _tensor(self, array, **options):
        if array.dtype == object:
            return array
        if array.dtype == ml_dtypes.bfloat16:
            return self.openvino.Tensor(array.view(np.float16), array.shape, self.openvino.Type.bf16)
        return self.openvino.Tensor(array, **options)

    def _array(self, tensor):
        if tensor.element_type == self.openvino.Type.bf16:
            return tensor.data.view(ml_dtypes.bfloat16).copy()
        return np.array(tensor.str_data if tensor.element_type == self.openvino.Type.string else tensor.data)

    SCRIPT = """
import openvino

def run(model, feeds):
    core = openvino.Core()
    settings = {"INFERENCE_NUM_THREADS": @THREADS@, "INFERENCE_PRECISION_HINT": "f32"}
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", settings)
    return compiled(feeds)[0]
"""
    LEND = (
        "    return compiled(feeds)[0]",
        """    request = compiled.create_infer_request()
    request.set_tensor("output", openvino.Tensor(memory, shared_memory=True))
    request.infer(feeds)
    return memory""",
    )


class Reference(Runtime):
    """The reference evaluator of the package onnx."""

    module = "onnx"
    packages = ("onnx", "numpy")
    not_there = (*Runtime.not_there, "No implementation", "RuntimeImplementationError")

    def load(self, path, threads):
        from onnx.reference import ReferenceEvaluator

        evaluator = ReferenceEvaluator(str(path))
        return lambda feeds, memory: evaluator.run(None, feeds)

    def unsupported(self, error):
        return type(error).__name__ == "RuntimeImplementationError" or super().unsupported(error)

    SCRIPT = """
from onnx.reference import ReferenceEvaluator

def run(model, feeds):
    return ReferenceEvaluator(model).run(None, feeds)[0]
"""


class Backend(Runtime):
    """A module or class with the interface of onnx.backend.base.Backend, by its dotted name."""

    def __init__(self, name):
        self.name = name
        try:
            self.backend = importlib.import_module(name)
        except ModuleNotFoundError as error:
            module, _, attribute = name.rpartition(".")
            if error.name != name or not module:
                raise
            self.backend = getattr(importlib.import_module(module), attribute)
        if not hasattr(self.backend, "prepare"):
            raise TypeError(f"{name} has no function prepare, so it is not a back end for ONNX")
        self.packages = importlib.metadata.packages_distributions().get(name.split(".")[0], ())[:1]
        self.SCRIPT = f"""
import importlib
import importlib.util

def run(model, feeds):
    return importlib.import_module({name!r}).prepare(model, "CPU").run(list(feeds.values()))[0]
"""

    def load(self, path, threads):
        import onnx

        prepared = self.backend.prepare(onnx.load(path), "CPU")
        return lambda feeds, memory: list(prepared.run(list(feeds.values())))

    def unsupported(self, error):
        names = [kind.__name__ for kind in type(error).__mro__]
        return "BackendIsNotSupposedToImplementIt" in names or super().unsupported(error)


class Tvm(Runtime):
    """Apache TVM's virtual machine on the CPU, with TVM's ONNX importer."""

    module = "tvm"
    packages = ("apache-tvm",)

    def load(self, path, threads):
        import onnx
        import tvm
        from tvm import relax
        from tvm.relax.frontend.onnx import from_onnx

        module = from_onnx(onnx.load(path), keep_params_in_input=False)
        machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())

        def run(feeds, memory):
            result = machine["main"](*[tvm.runtime.tensor(array) for array in feeds.values()])
            results = [result] if hasattr(result, "numpy") else list(result)
            return [one.numpy() for one in results]

        return run

    SCRIPT = """
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

def run(model, feeds):
    module = from_onnx(model, keep_params_in_input=False)
    machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    return machine["main"](*[tvm.runtime.tensor(array) for array in feeds.values()]).numpy()
"""


class Tract(Runtime):
    """tract, through its Python package."""

    module = "tract"
    packages = ("tract",)
    not_there = (*Runtime.not_there, "unimplemented(")

    def load(self, path, threads):
        import tract

        runnable = tract.onnx().load(str(path)).into_model().into_runnable()
        return lambda feeds, memory: [value.to_numpy() for value in runnable.run(list(feeds.values()))]

    SCRIPT = """
import tempfile
import tract

def run(model, feeds):
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        return tract.onnx().load(file.name).into_model().into_runnable().run(list(feeds.values()))[0].to_numpy()
"""


BY_NAME = {"onnxruntime": OnnxRuntime, "openvino": OpenVino, "reference": Reference, "tvm": Tvm, "tract": Tract}


def missing(name):
    """Return the first missing module of the runtime called `name`, or None if all are installed."""
    plugin = name.removeprefix("onnxruntime+").partition("?")[0]
    if name in BY_NAME:
        needed = [BY_NAME[name].module]
    else:
        needed = [*(["onnxruntime"] if plugin != name else []), plugin.partition(":")[0].partition(".")[0]]
    return next((module for module in needed if importlib.util.find_spec(module) is None), None)


@functools.cache
def find(name):
    """Return the adapter called `name`.

    A name is one of BY_NAME; "onnxruntime+PACKAGE" for a plug-in provider, with options as in "?threads=2&other=x";
    "module:Class" for an adapter in another module; or the name of a back end's module.
    """
    if name in BY_NAME:
        return BY_NAME[name]()
    if name.startswith("onnxruntime+"):
        package, _, options = name.partition("+")[2].partition("?")
        return OnnxRuntime(package, **dict(urllib.parse.parse_qsl(options)))
    module, colon, attribute = name.partition(":")
    if colon:
        if not isinstance(made := getattr(importlib.import_module(module), attribute)(), Runtime):
            raise TypeError(f"{name} is not a subclass of {Runtime.__module__}.Runtime")
        return made
    return Backend(name)
