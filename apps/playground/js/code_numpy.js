// The call in NumPy.

import {NUMPY, axisOf, cacheLoop, dataOf, hasNegative, indexRules, numpyHead, numpyOperands, numpyType, outputRank, pythonElement, reduction, rulesLines} from "./code_parts.js";

export const UFUNC = {
  add: "np.add", mul: "np.multiply", max: "np.maximum", min: "np.minimum", sub: "np.subtract", div: "np.divide",
  and: "np.bitwise_and", or: "np.bitwise_or", xor: "np.bitwise_xor", mean: "np.add",
};
const NUMPY_WORDS = {
  widen: "indices = indices.astype(np.int64)",
  array: (numbers) => `np.array([${numbers.join(", ")}])`,
  clip: (low, high) => `np.clip(indices, ${low}, ${high})`,
};
// What a reduction without the value of data begins with: it changes nothing.
const NEUTRAL = {add: "0", mean: "0", xor: "0", mul: "1", max: "updates", min: "updates", and: "updates", or: "updates"};

// What is asked of the call that NumPy has no word for.
export function unsayableInNumpy(call) {
  const {include_self: self, acc_dtype} = call.attributes;
  const complexMean = reduction(call) === "mean" && dataOf(call).dtype.startsWith("complex");
  return [
    ...(complexMean ? ["the mean of complex numbers"] : []),
    ...(self === "false" && reduction(call) !== "none" && !NEUTRAL[reduction(call)] ? [`include_self with '${reduction(call)}'`] : []),
    ...((acc_dtype ?? "data") === "data" ? [] : ["acc_dtype"]),
  ];
}

function take(call, rules, axis) {
  if (rules.outside === "fill") return `np.take(data, np.where(inside, indices, 0), axis=${axis})`;
  return `np.take(data, indices, axis=${axis}${rules.mode ? `, mode="${rules.mode}"` : ""})`;
}

function elementsGrid(call) {
  const {shape} = call.operands.indices;
  return ["grid = list(np.indices(indices.shape))", ...(shape.length ? [`grid[${axisOf(call)}] = indices`] : [])];
}

// The output of a gather, which NumPy makes a number where it has rank 0; and what is filled of it.
function gathered(call, rules, value, colons) {
  if (rules.outside !== "fill") return [`output = ${value}`];
  const {dtype} = dataOf(call);
  const fill = call.attributes.fill_value || (dtype === "string" ? "" : "0");
  return [`output = ${outputRank(call) ? value : `np.array(${value})`}`,
    `output[${":, ".repeat(colons)}~inside] = ${pythonElement(dtype, "np")(fill)}`];
}

function meanLines(call, where) {
  const integer = /int/.test(dataOf(call).dtype);
  const self = call.attributes.include_self !== "false";
  return [
    `terms = np.${self ? "ones" : "zeros"}(data.shape, dtype=np.int64)`,
    `np.add.at(terms, ${where}, 1)`,
    ...(self ? [] : ["terms[terms == 0] = 1"]),
    `output = (output ${integer ? "//" : "/"} terms).astype(data.dtype)`,
  ];
}

// What updates do to the places `where`.
function written(call, where) {
  const kind = reduction(call);
  if (kind === "none") return [`output[${where}] = updates`];
  const {dtype} = dataOf(call);
  const {alpha, include_self: self} = call.attributes;
  const first = dtype === "string" ? '""' : NEUTRAL[kind];
  return [
    ...(alpha ? [`updates = ${numpyType(dtype)}(${pythonElement(dtype, "np")(alpha)}) * updates`] : []),
    ...(self === "false" ? [`output[${where}] = ${first}`] : []),
    `${UFUNC[kind]}.at(output, ${where}, updates)`,
    ...(kind === "mean" ? meanLines(call, where) : []),
  ];
}

export function numpy(call) {
  const data = dataOf(call);
  if (data.dtype !== "string" && !NUMPY.test(data.dtype) && data.dtype !== "bfloat16" && reduction(call) !== "none") {
    return `# NumPy has no arithmetic for ${data.dtype}.`;
  }
  const lines = [...numpyHead(call), "", ...numpyOperands(call)];
  const axis = axisOf(call);
  const batch = call.attributes.batch_dims ?? 0;
  const rules = indexRules(call, NUMPY_WORDS);
  // np.take has a word for these; its clip makes every negative value position 0.
  const direct = call.operator === "Gather"
    && (rules.outside === "wrap" || (rules.outside === "clip" && (rules.strict || !hasNegative(call.operands.indices))));
  if (direct) rules.mode = rules.outside;
  else lines.push(...rulesLines(call, rules, NUMPY_WORDS));
  const drops = rules.outside === "drop";
  switch (call.operator) {
    case "Gather":
      lines.push(...gathered(call, rules, take(call, rules, axis), axis));
      break;
    case "GatherElements":
      if (rules.outside === "fill") lines.push("indices = np.where(inside, indices, 0)");
      lines.push(...elementsGrid(call), ...gathered(call, rules, "data[tuple(grid)]", 0));
      break;
    case "GatherND":
      if (rules.outside === "fill") lines.push("indices = np.where(inside[..., None], indices, 0)");
      if (batch) lines.push(`batches = np.indices(indices.shape[:-1])[:${batch}]`);
      lines.push(...gathered(call, rules, `data[(${batch ? "*batches, " : ""}*np.moveaxis(indices, -1, 0),)]`, 0));
      break;
    case "Scatter":
    case "ScatterElements":
      lines.push(...elementsGrid(call), "output = data.copy()",
        ...(drops ? ["grid = [places[inside] for places in grid]", "updates = updates[inside]"] : []),
        ...written(call, "tuple(grid)"));
      break;
    case "ScatterND":
      if (drops) lines.push("indices, updates = indices[inside], updates[inside]");
      lines.push("output = data.copy()", "where = tuple(np.moveaxis(indices, -1, 0))", ...written(call, "where"));
      break;
    default:
      lines.push("output = past_cache.copy()", ...cacheLoop(call, "np.arange"));
  }
  return [...lines, "print(output)"].join("\n");
}
