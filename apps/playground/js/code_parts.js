// Functions shared by several languages: parts of a call, and elements in Python's syntax.

import {count, nested} from "./text.js";

// Matches NumPy's own types; the others come from ml_dtypes.
export const NUMPY = /^(bool|u?int(8|16|32|64)|float(16|32|64)|complex(64|128))$/;

export const given = (call) => call.entry.inputs.filter((input) => call.operands[input.name]);
export const dataOf = (call) => call.operands[call.entry.inputs[0].name];
export const changed = (call) => call.entry.attributes.filter((one) => call.attributes[one.name] !== one.default);
export const quoted = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

// True for an attribute that is one element of the type of data.
export const isScalar = (attribute) => attribute.type === "element";

// Returns a function that writes one element in Python.
export function pythonElement(dtype) {
  return (value) => {
    if (dtype === "string") return quoted(value);
    if (dtype === "bool") return /^(1|[Tt]rue)$/.test(value) ? "True" : "False";
    if (/^[-+]?(nan|inf)$/.test(value)) return value.replace(/(nan|inf)/, "np.$1").replace("+", "");
    return value.replace(/^([-+]?)0+(?=\d)/, "$1");
  };
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
  return `np.array(${nested(tensor, pythonElement(tensor.dtype))}, dtype=${numpyType(tensor.dtype)})`;
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

export function numpyOperands(call) {
  return given(call).map(({name}) => `${name} = ${numpyArray(call.operands[name])}`);
}

export function numpyHead(call, ...more) {
  const imports = ["import numpy as np", ...more];
  if (needsMlDtypes(call)) imports.unshift("import ml_dtypes");
  return imports;
}
