// Writes the call as code in four languages. Each program is complete and stores the result in `output`.

import {cpp} from "./code_cpp.js";
import {NUMPY, changed, dataOf, given, isScalar, numpyHead, numpyOperands, pythonElement, quoted} from "./code_parts.js";

function isComplexWithout(tensor) {
  return tensor.dtype.startsWith("complex") && tensor.values.some((value) => /nan|inf/.test(value));
}

function python(call) {
  const names = given(call).map(({name}) => name);
  const options = changed(call).map((one) => {
    const value = call.attributes[one.name];
    if (isScalar(one)) return `${one.name}=${pythonElement(dataOf(call).dtype)(value)}`;
    if (one.type === "bool") return `${one.name}=${value === "true" ? "True" : "False"}`;
    return `${one.name}=${typeof value === "string" ? quoted(value) : value}`;
  });
  // Operands are in the order of the function's parameters; an optional last operand may be missing.
  return [...numpyHead(call, "import strew"), "", ...numpyOperands(call),
    `output = strew.${call.entry.function}(${[...names, ...options].join(", ")})`, "print(output)"].join("\n");
}

const ONNX_TYPE = {
  float32: "FLOAT", float64: "DOUBLE", float8_e4m3fn: "FLOAT8E4M3FN", float8_e4m3fnuz: "FLOAT8E4M3FNUZ",
  float8_e5m2: "FLOAT8E5M2", float8_e5m2fnuz: "FLOAT8E5M2FNUZ", float8_e8m0fnu: "FLOAT8E8M0", float4_e2m1fn: "FLOAT4E2M1",
};

function onnxType(dtype) {
  return `TensorProto.${ONNX_TYPE[dtype] ?? dtype.toUpperCase()}`;
}

function onnx(call, output) {
  const lines = [...numpyHead(call, "import onnx", "from onnx import TensorProto, helper, numpy_helper"), "", ...numpyOperands(call)];
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

// Returns descriptions of what a call has beyond ONNX: types, attributes and their values.
function beyondOnnx(call) {
  const types = given(call).filter((input) => (input.is_index ? call.entry.more_index_types : call.entry.more_types).includes(call.operands[input.name].dtype))
    .map(({name}) => `${call.operands[name].dtype} as the type of ${name}`);
  return [...types, ...changed(call).filter((one) => one.own || one.more?.includes(call.attributes[one.name]))
    .map((one) => (one.own ? one.name : `the ${one.name} '${call.attributes[one.name]}'`))];
}

function shellWord(text) {
  return /^[\w.+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function shell(call, output, newest) {
  const names = given(call).map(({name}) => name);
  const options = changed(call).map((one) => (one.type === "bool" ? ` --no-${one.name.replaceAll("_", "-")}`
    : ` --${one.name.replaceAll("_", "-")} ${shellWord(String(call.attributes[one.name]))}`));
  const type = dataOf(call).dtype;
  if (type !== "string" && !NUMPY.test(type)) options.push(` --dtype ${type}`);
  if (call.version !== newest && !call.entry.deprecated && !beyondOnnx(call).length) options.push(` --opset ${call.version}`);
  const arrays = numpyOperands(call).map((line, i) => (call.operands[names[i]].dtype === "string" ? line.replace("dtype=object", "dtype=str") : line));
  return ["python3 - <<'END'", ...numpyHead(call), ...arrays, ...names.map((name) => `np.save("${name}.npy", ${name})`), "END",
    `strew op ${call.operator} ${names.map((name) => `${name}.npy`).join(" ")}${options.join("")} -o output.npy`].join("\n");
}

export const TONGUES = {Python: python, "C++": cpp, ONNX: onnx, Shell: shell};

// Returns a note for a call of an older version, because the functions of Python and C++ follow the newest version.
function versionNote(call, newest) {
  const own = `${call.operator}-${call.version}`;
  if (call.operator === "Scatter") return `${own} is an old name: the function is that of ScatterElements.`;
  return call.version === newest ? "" : `The function is ${call.operator}-${newest}. For ${own}, see ONNX or Shell.`;
}

// Returns the code in one of TONGUES. `entry` is the operator version. `answer` is the module's answer, if it is known.
export function codeOf(tongue, call, entry, answer, newest) {
  const whole = {...call, entry};
  const comment = tongue === "C++" ? "//" : "#";
  const {error} = answer ?? {};
  const unreadable = error?.code === "invalid type" && error.position; // a text is not a value of its operand's type
  if (unreadable) return `${comment} ${error.message}, so there is no code for this call.`;
  if (given(whole).some(({name}) => isComplexWithout(call.operands[name]))) {
    return `${comment} This page writes no code for complex numbers with nan or inf.`;
  }
  const missing = tongue === "ONNX" ? beyondOnnx(whole) : [];
  if (missing.length) return `${comment} ${tongue} does not support ${missing.join(", ")}; Strew does.`;
  const note = tongue === "Python" || tongue === "C++" ? versionNote(call, newest) : "";
  return (note ? `${comment} ${note}\n` : "") + TONGUES[tongue](whole, answer?.output, newest);
}
