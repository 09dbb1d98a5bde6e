// The call as code in six tongues. Each text runs as it stands and leaves the result in `output`.

import {count, nested} from "./text.js";

const FUNCTION = {
  Gather: "gather",
  GatherElements: "gather_elements",
  GatherND: "gather_nd",
  Scatter: "scatter_elements",
  ScatterElements: "scatter_elements",
  ScatterND: "scatter_nd",
  TensorScatter: "tensor_scatter",
};

// NumPy's own types; the others come from ml_dtypes.
const NUMPY = /^(bool|u?int(8|16|32|64)|float(16|32|64)|complex(64|128))$/;
const TORCH = /^(bool|u?int8|int(16|32|64)|float(16|32|64)|bfloat16|complex(64|128))$/;

const UFUNC = {
  add: "np.add", mul: "np.multiply", max: "np.maximum", min: "np.minimum", sub: "np.subtract", div: "np.divide",
  and: "np.bitwise_and", or: "np.bitwise_or", xor: "np.bitwise_xor",
};
const SCATTER_REDUCE = {add: "sum", mul: "prod", max: "amax", min: "amin"};

const CPP = {
  float32: "float", float64: "double", int8: "std::int8_t", int16: "std::int16_t", int32: "std::int32_t",
  int64: "std::int64_t", uint8: "std::uint8_t", uint16: "std::uint16_t", uint32: "std::uint32_t",
  uint64: "std::uint64_t", complex64: "std::complex<float>", complex128: "std::complex<double>", string: "std::string",
};

const given = (call) => call.entry.inputs.filter((input) => call.operands[input.name]);
const dataOf = (call) => call.operands[call.entry.inputs[0].name];
const reduction = (call) => call.attributes.reduction ?? "none";
const changed = (call) => call.entry.attributes.filter((one) => call.attributes[one.name] !== one.default);
const kName = (value) => `k${value.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("")}`;
const quoted = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

// An element of the type of data.
const isScalar = (attribute) => attribute.name === "fill_value" || attribute.name === "alpha";

function axisOf(call) {
  const rank = dataOf(call).shape.length;
  const axis = call.attributes.axis ?? 0;
  return axis < 0 ? axis + rank : axis;
}

function hasNegative(tensor) {
  return tensor.values.some((value) => value.startsWith("-"));
}

// One element in Python, where `module` has nan and inf.
function pythonElement(dtype, module) {
  return (value) => {
    if (dtype === "string") return quoted(value);
    if (dtype === "bool") return /^(1|[Tt]rue)$/.test(value) ? "True" : "False";
    if (/^[-+]?(nan|inf)$/.test(value)) return value.replace(/(nan|inf)/, `${module}.$1`).replace("+", "");
    return value.replace(/^([-+]?)0+(?=\d)/, "$1");
  };
}

function isComplexWithout(tensor) {
  return tensor.dtype.startsWith("complex") && tensor.values.some((value) => /nan|inf/.test(value));
}

function pythonList(tensor, module) {
  return nested(tensor, pythonElement(tensor.dtype, module));
}

function numpyType(dtype) {
  return NUMPY.test(dtype) ? `np.${dtype === "bool" ? "bool_" : dtype}` : `ml_dtypes.${dtype}`;
}

function numpyArray(tensor) {
  if (tensor.dtype === "string") {
    const list = nested(tensor, quoted);
    return count(tensor.shape) ? `np.array(${list}, dtype=object)` : `np.empty(${pythonShape(tensor.shape)}, dtype=object)`;
  }
  if (count(tensor.shape) === 0) return `np.empty(${pythonShape(tensor.shape)}, dtype=${numpyType(tensor.dtype)})`;
  return `np.array(${pythonList(tensor, "np")}, dtype=${numpyType(tensor.dtype)})`;
}

function pythonShape(shape) {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}

function needsMlDtypes(call) {
  return given(call).some(({name}) => {
    const {dtype} = call.operands[name];
    return dtype !== "string" && !NUMPY.test(dtype);
  });
}

function numpyOperands(call) {
  return given(call).map(({name}) => `${name} = ${numpyArray(call.operands[name])}`);
}

function numpyHead(call, ...more) {
  const imports = ["import numpy as np", ...more];
  if (needsMlDtypes(call)) imports.unshift("import ml_dtypes");
  return imports;
}

function python(call) {
  const names = given(call).map(({name}) => name);
  const options = changed(call).map((one) => {
    const value = call.attributes[one.name];
    if (isScalar(one)) return `${one.name}=${pythonElement(dataOf(call).dtype, "np")(value)}`;
    if (one.name === "include_self") return "include_self=False";
    return `${one.name}=${typeof value === "string" ? quoted(value) : value}`;
  });
  // TensorScatter's third operand is optional, and all are in the order of the function.
  return [...numpyHead(call, "import strew"), "", ...numpyOperands(call),
    `output = strew.${FUNCTION[call.operator]}(${[...names, ...options].join(", ")})`, "print(output)"].join("\n");
}

function elementsGrid(call, library) {
  const shape = call.operands.indices.shape.length;
  const grid = library === "np"
    ? ["grid = list(np.indices(indices.shape))"]
    : [`grid = list(torch.meshgrid(*(torch.arange(n) for n in indices.shape), indexing="ij"))`];
  return shape ? [...grid, `grid[${axisOf(call)}] = indices`] : [];
}

function writes(call, where, kind) {
  if (reduction(call) === "none") return [`output[${where}] = updates`];
  return [`${UFUNC[reduction(call)]}.at(output, ${where}, updates)`];
}

function cacheLoop(call, arange) {
  const axis = axisOf(call);
  const {shape} = call.operands.past_cache;
  const starts = call.operands.write_indices ? "write_indices" : `[0] * ${shape[0]}`;
  const wrap = call.attributes.mode === "circular" ? ` % ${shape[axis]}` : "";
  const colons = ":, ".repeat(axis - 1);
  return [
    `for batch, start in enumerate(${starts}):`,
    `    positions = (start + ${arange}(update.shape[${axis}]))${wrap}`,
    `    output[batch][${colons}positions] = update[batch]`,
  ];
}

function numpy(call) {
  const data = dataOf(call);
  if (data.dtype !== "string" && !NUMPY.test(data.dtype) && data.dtype !== "bfloat16" && reduction(call) !== "none") {
    return `# NumPy has no arithmetic for ${data.dtype}.`;
  }
  const lines = [...numpyHead(call), "", ...numpyOperands(call)];
  const axis = axisOf(call);
  const batch = call.attributes.batch_dims ?? 0;
  switch (call.operator) {
    case "Gather":
      lines.push(`output = np.take(data, indices, axis=${axis})`);
      break;
    case "GatherElements":
      lines.push(...elementsGrid(call, "np"), "output = data[tuple(grid)]");
      break;
    case "GatherND":
      if (batch) lines.push(`batches = np.indices(indices.shape[:-1])[:${batch}]`);
      lines.push(`output = data[(${batch ? "*batches, " : ""}*np.moveaxis(indices, -1, 0),)]`);
      break;
    case "Scatter":
    case "ScatterElements":
      lines.push(...elementsGrid(call, "np"), "output = data.copy()", ...writes(call, "tuple(grid)"));
      break;
    case "ScatterND":
      lines.push("output = data.copy()", "where = tuple(np.moveaxis(indices, -1, 0))", ...writes(call, "where"));
      break;
    default:
      lines.push("output = past_cache.copy()", ...cacheLoop(call, "np.arange"));
  }
  return [...lines, "print(output)"].join("\n");
}

function torchTensor(tensor) {
  const list = pythonList(tensor, "math");
  const text = `torch.tensor(${list}, dtype=torch.${tensor.dtype})`;
  const flat = tensor.shape.length > 1 && count(tensor.shape) === 0;
  return flat ? `torch.empty(${pythonShape(tensor.shape)}, dtype=torch.${tensor.dtype})` : text;
}

function torch(call) {
  const unknown = given(call).map(({name}) => call.operands[name].dtype).find((dtype) => !TORCH.test(dtype));
  if (unknown) return `# PyTorch has no scatter or gather for ${unknown}.`;
  const lines = ["import torch", ""];
  for (const {name} of given(call)) lines.push(`${name} = ${torchTensor(call.operands[name])}`);
  if (lines.some((line) => line.includes("math."))) lines.unshift("import math");
  const axis = axisOf(call);
  const batch = call.attributes.batch_dims ?? 0;
  const positive = () => {
    if (call.operands.indices.dtype !== "int64") lines.push("indices = indices.long()");
    if (hasNegative(call.operands.indices)) {
      const size = dataOf(call).shape[axis];
      lines.push(`indices = torch.where(indices < 0, indices + ${size}, indices)  # PyTorch does not count from the end here`);
    }
  };
  switch (call.operator) {
    case "Gather":
      lines.push(`output = data[${":, ".repeat(axis)}indices.long()]`);
      break;
    case "GatherElements":
      positive();
      lines.push(`output = torch.gather(data, ${axis}, indices)`);
      break;
    case "GatherND":
      if (batch) lines.push(`batches = torch.meshgrid(*(torch.arange(n) for n in indices.shape[:-1]), indexing="ij")[:${batch}]`);
      lines.push(`output = data[(${batch ? "*batches, " : ""}*indices.long().movedim(-1, 0),)]`);
      break;
    case "Scatter":
    case "ScatterElements":
      positive();
      lines.push(reduction(call) === "none"
        ? `output = torch.scatter(data, ${axis}, indices, updates)  # of several updates any may win`
        : `output = torch.scatter_reduce(data, ${axis}, indices, updates, "${SCATTER_REDUCE[reduction(call)]}")`);
      break;
    case "ScatterND": {
      const where = "tuple(indices.long().movedim(-1, 0))";
      if (reduction(call) === "none") {
        lines.push("output = data.clone()", `output[${where}] = updates  # of several updates any may win`);
      } else if (reduction(call) === "add") {
        lines.push(`output = data.index_put(${where}, updates, accumulate=True)`);
      } else {
        const k = call.operands.indices.shape.at(-1);
        const rows = dataOf(call).shape.slice(0, k);
        const length = count(dataOf(call).shape.slice(k));
        lines.push(
          `rows = torch.arange(${count(rows)}).reshape(${pythonShape(rows)})[${where}]`,
          `rows = rows.reshape(-1, 1).expand(-1, ${length})`,
          `output = data.reshape(${count(rows)}, ${length}).scatter_reduce(`,
          `    0, rows, updates.reshape(-1, ${length}), "${SCATTER_REDUCE[reduction(call)]}").reshape(data.shape)`,
        );
      }
      break;
    }
    default:
      lines.push("output = past_cache.clone()", ...cacheLoop(call, "torch.arange"));
  }
  return [...lines, "print(output)"].join("\n");
}

function cppElement(dtype) {
  return (value) => {
    const name = CPP[dtype];
    if (dtype === "string") return quoted(value);
    if (dtype.startsWith("complex")) {
      const parts = /^([-+]?[^j]*?)(?:([-+][^-+]*(?:e[-+]\d+)?)j)?$/.exec(value);
      if (value.endsWith("j") && parts?.[2] === undefined) return `{0, ${value.slice(0, -1)}}`;
      return `{${parts[1]}, ${parts[2] ?? 0}}`;
    }
    if (/nan|inf/.test(value)) {
      const sign = value.startsWith("-") ? "-" : "";
      return `${sign}std::numeric_limits<${name}>::${/nan/.test(value) ? "quiet_NaN" : "infinity"}()`;
    }
    return value.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1").replace(/^-9223372036854775808$/, "INT64_MIN");
  };
}

const CPP_ENUM = {reduction: "Reduction", mode: "WriteMode", accumulate: "Accumulate"};
const isRule = (attribute) => attribute.name === "out_of_bounds" || attribute.name === "negative_indices";

function cpp(call) {
  const unknown = given(call).map(({name}) => call.operands[name].dtype).find((dtype) => !CPP[dtype]);
  if (unknown) return `// ${unknown} has no type of its own in C++; docs/cpp.md says how its elements lie in memory.`;
  const lines = ["#include <complex>", "#include <iostream>", "#include <limits>", "#include <string>", "#include <vector>", "",
    "#include <strew/strew.h>", "", "int main() {"];
  for (const {name} of given(call)) {
    const {dtype, shape, values} = call.operands[name];
    lines.push(`  const std::vector<${CPP[dtype]}> ${name}_values{${values.map(cppElement(dtype)).join(", ")}};`);
    lines.push(`  const strew::TensorView ${name}(${name}_values, {${shape.join(", ")}});`);
  }
  const options = changed(call).filter((one) => !isRule(one)).map((one) => {
    const value = call.attributes[one.name];
    if (isScalar(one)) {
      const {dtype} = dataOf(call);
      lines.push(`  const std::vector<${CPP[dtype]}> ${one.name}_values{${cppElement(dtype)(value)}};`);
      lines.push(`  const strew::TensorView ${one.name}(${one.name}_values, strew::Shape{});`);
      return `.${one.name} = ${one.name}`;
    }
    if (one.name in CPP_ENUM) return `.${one.name} = strew::${CPP_ENUM[one.name]}::${kName(value)}`;
    return `.${one.name} = ${value}`;
  });
  if (changed(call).some(isRule)) {
    const {out_of_bounds: outside, negative_indices: negative} = call.attributes;
    const rules = `.rules = {strew::OutOfBounds::${kName(outside)}, strew::NegativeIndices::${kName(negative)}}`;
    const own = options.findIndex((option) => /^\.(include_self|accumulate|alpha|fill_value) /.test(option));
    options.splice(own < 0 ? options.length : own, 0, rules); // in the order of the struct
  }
  const names = given(call).map(({name}) => name);
  if (call.operator === "TensorScatter" && names.length === 2 && options.length) names.push("std::nullopt");
  const all = [...names, ...(options.length ? [`{${options.join(", ")}}`] : [])];
  lines.push(
    `  const auto output = strew::${FUNCTION[call.operator]}(${all.join(", ")});`,
    "  if (!output) return std::cerr << output.error().message << '\\n', 1;",
    `  for (const auto& x : output->values<${CPP[dataOf(call).dtype]}>()) std::cout << ${/^u?int8$/.test(dataOf(call).dtype) ? "+x" : "x"} << ' ';`,
    "}");
  return lines.join("\n");
}

const ONNX_TYPE = {
  float32: "FLOAT", float64: "DOUBLE", float8_e4m3fn: "FLOAT8E4M3FN", float8_e4m3fnuz: "FLOAT8E4M3FNUZ",
  float8_e5m2: "FLOAT8E5M2", float8_e5m2fnuz: "FLOAT8E5M2FNUZ", float8_e8m0fnu: "FLOAT8E8M0", float4_e2m1fn: "FLOAT4E2M1",
};

function onnxType(dtype) {
  return `TensorProto.${ONNX_TYPE[dtype] ?? dtype.toUpperCase()}`;
}

function onnx(call, output) {
  const lines = ["import numpy as np", "import onnx", "from onnx import TensorProto, helper, numpy_helper", ""];
  if (needsMlDtypes(call)) lines.unshift("import ml_dtypes");
  lines.push(...numpyOperands(call));
  const names = given(call).map(({name}) => quoted(name));
  const attributes = changed(call).map((one) => {
    const value = call.attributes[one.name];
    return `, ${one.name}=${typeof value === "string" ? quoted(value) : value}`;
  });
  lines.push("",
    `node = helper.make_node("${call.operator}", [${names.join(", ")}], ["output"]${attributes.join("")})`,
    `result = helper.make_tensor_value_info("output", ${onnxType(dataOf(call).dtype)}, ${output ? `[${output.shape.join(", ")}]` : "None"})`,
    "weights = [",
    ...given(call).map(({name}) => `    numpy_helper.from_array(${name}, "${name}"),`),
    "]",
    'graph = helper.make_graph([node], "call", [], [result], initializer=weights)',
    `model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", ${call.version})])`,
    'onnx.save(model, "call.onnx")');
  return lines.join("\n");
}

function shellWord(text) {
  return /^[\w.+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function shell(call, output, newest) {
  const names = given(call).map(({name}) => name);
  const options = changed(call).map((one) => (one.name === "include_self" ? " --no-include-self"
    : ` --${one.name.replaceAll("_", "-")} ${shellWord(String(call.attributes[one.name]))}`));
  const type = dataOf(call).dtype;
  if (type !== "string" && !NUMPY.test(type)) options.push(` --dtype ${type}`);
  if (call.version !== newest && !call.entry.deprecated) options.push(` --opset ${call.version}`);
  const arrays = numpyOperands(call).map((line, i) => (call.operands[names[i]].dtype === "string" ? line.replace("dtype=object", "dtype=str") : line));
  return ["python3 - <<'END'", ...numpyHead(call), ...arrays, ...names.map((name) => `np.save("${name}.npy", ${name})`), "END",
    `strew op ${call.operator} ${names.map((name) => `${name}.npy`).join(" ")}${options.join("")} -o output.npy`].join("\n");
}

export const TONGUES = {Python: python, NumPy: numpy, PyTorch: torch, "C++": cpp, ONNX: onnx, Shell: shell};

// What is asked of the call that the language has no word for.
function unsayable(call, tongue) {
  if (!["NumPy", "PyTorch", "ONNX"].includes(tongue)) return [];
  return changed(call).filter((one) => one.own || (one.more?.includes(call.attributes[one.name])
    && !(tongue === "NumPy" && UFUNC[call.attributes[one.name]])))
    .map((one) => (one.own ? one.name : `the ${one.name} '${call.attributes[one.name]}'`));
}

// The functions of Python and C++ are always those of the newest version.
function versionNote(call, newest) {
  const own = `${call.operator}-${call.version}`;
  if (call.operator === "Scatter") return `${own} is an old name: the function is that of ScatterElements.`;
  return call.version === newest ? "" : `The function is ${call.operator}-${newest}. ${own} itself: see ONNX or Shell.`;
}

// The text in one of TONGUES. `entry` is the operator version, `output` the result's tensor where there is one.
export function codeOf(tongue, call, entry, output, newest) {
  const whole = {...call, entry};
  const comment = tongue === "C++" ? "//" : "#";
  if (given(whole).some(({name}) => isComplexWithout(call.operands[name]))) {
    return `${comment} Complex numbers with nan or inf cannot be written down in a line.`;
  }
  const missing = unsayable(whole, tongue);
  if (missing.length) return `${comment} ${tongue} has no word for ${missing.join(", ")}; Strew has.`;
  const note = tongue === "Python" || tongue === "C++" ? versionNote(call, newest) : "";
  return (note ? `${comment} ${note}\n` : "") + TONGUES[tongue](whole, output, newest);
}
