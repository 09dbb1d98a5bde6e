// What code in several languages is made of: the call's parts, and its elements as Python writes them.

import {count, nested} from "./text.js";

// The function of Python and C++.
export const FUNCTION = {
  Gather: "gather",
  GatherElements: "gather_elements",
  GatherND: "gather_nd",
  Scatter: "scatter_elements",
  ScatterElements: "scatter_elements",
  ScatterND: "scatter_nd",
  TensorScatter: "tensor_scatter",
};

// NumPy's own types; the others come from ml_dtypes.
export const NUMPY = /^(bool|u?int(8|16|32|64)|float(16|32|64)|complex(64|128))$/;

export const given = (call) => call.entry.inputs.filter((input) => call.operands[input.name]);
export const dataOf = (call) => call.operands[call.entry.inputs[0].name];
export const reduction = (call) => call.attributes.reduction ?? "none";
export const changed = (call) => call.entry.attributes.filter((one) => call.attributes[one.name] !== one.default);
export const quoted = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

// An element of the type of data.
export const isScalar = (attribute) => attribute.name === "fill_value" || attribute.name === "alpha";

export function axisOf(call) {
  const rank = dataOf(call).shape.length;
  const axis = call.attributes.axis ?? 0;
  return axis < 0 ? axis + rank : axis;
}

export function hasNegative(tensor) {
  return tensor.values.some((value) => value.startsWith("-"));
}

// One element in Python, where `module` has nan and inf.
export function pythonElement(dtype, module) {
  return (value) => {
    if (dtype === "string") return quoted(value);
    if (dtype === "bool") return /^(1|[Tt]rue)$/.test(value) ? "True" : "False";
    if (/^[-+]?(nan|inf)$/.test(value)) return value.replace(/(nan|inf)/, `${module}.$1`).replace("+", "");
    return value.replace(/^([-+]?)0+(?=\d)/, "$1");
  };
}

export function pythonList(tensor, module) {
  return nested(tensor, pythonElement(tensor.dtype, module));
}

export function numpyType(dtype) {
  return NUMPY.test(dtype) ? `np.${dtype === "bool" ? "bool_" : dtype}` : `ml_dtypes.${dtype}`;
}

export function numpyArray(tensor) {
  if (tensor.dtype === "string") {
    const list = nested(tensor, quoted);
    return count(tensor.shape) ? `np.array(${list}, dtype=object)` : `np.empty(${pythonShape(tensor.shape)}, dtype=object)`;
  }
  if (count(tensor.shape) === 0) return `np.empty(${pythonShape(tensor.shape)}, dtype=${numpyType(tensor.dtype)})`;
  return `np.array(${pythonList(tensor, "np")}, dtype=${numpyType(tensor.dtype)})`;
}

export function pythonShape(shape) {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}

export function needsMlDtypes(call) {
  return given(call).some(({name}) => {
    const {dtype} = call.operands[name];
    return dtype !== "string" && !NUMPY.test(dtype);
  });
}

export function numpyOperands(call) {
  return given(call).map(({name}) => `${name} = ${numpyArray(call.operands[name])}`);
}

export function numpyHead(call, ...more) {
  const imports = ["import numpy as np", ...more];
  if (needsMlDtypes(call)) imports.unshift("import ml_dtypes");
  return imports;
}


// How index values are read, with the numbers of the call. `words` writes a list of numbers in the language.
export function indexRules(call, words) {
  const {out_of_bounds: outside = "error", negative_indices: negative = "from_end"} = call.attributes;
  if (call.operator === "TensorScatter") return {outside};
  const tuples = call.operator.endsWith("ND");
  const {indices} = call.operands;
  const first = call.attributes.batch_dims ?? 0;
  const {shape} = dataOf(call);
  const sizes = tuples ? shape.slice(first, first + indices.shape.at(-1)) : [shape[axisOf(call)]];
  const asked = negative === "out_of_bounds";
  const strict = asked || indices.dtype.startsWith("uint");
  const one = sizes.every((size) => size === sizes[0]);
  const text = (numbers) => (one ? String(numbers[0] ?? 0) : words.array(numbers));
  return {outside, asked, strict, tuples, size: text(sizes), low: text(sizes.map((size) => (strict ? 0 : -size))),
    high: text(sizes.map((size) => size - 1))};
}

// Lines that do what the rules say; of those that leave something out, `inside` says which indices stay.
export function rulesLines(call, {outside, asked, tuples, size, low, high}, words) {
  if (outside === "error") return asked ? ["assert (indices >= 0).all()"] : [];
  const wide = call.operands.indices.dtype === "int64" || !words.widen ? [] : [words.widen];
  if (outside === "clip") return [...wide, `indices = ${words.clip(low, high)}`];
  if (outside === "wrap") return [...wide, `indices = indices % ${size}`];
  return [...wide, `inside = (indices >= ${low}) & (indices < ${size})`, ...(tuples ? ["inside = inside.all(-1)"] : [])];
}

// Of a gather.
export function outputRank(call) {
  const data = dataOf(call).shape.length;
  const indices = call.operands.indices.shape.length;
  if (call.operator === "Gather") return data - 1 + indices;
  if (call.operator === "GatherElements") return indices;
  return indices - 1 + data - call.operands.indices.shape.at(-1) - (call.attributes.batch_dims ?? 0);
}

// TensorScatter, batch by batch.
export function cacheLoop(call, arange) {
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
