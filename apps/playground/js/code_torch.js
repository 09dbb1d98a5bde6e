// The call in PyTorch.

import {axisOf, cacheLoop, dataOf, given, hasNegative, indexRules, pythonElement, pythonList, pythonShape, reduction, rulesLines} from "./code_parts.js";
import {count} from "./text.js";

const TORCH = /^(bool|u?int8|int(16|32|64)|float(16|32|64)|bfloat16|complex(64|128))$/;
const SCATTER_REDUCE = {add: "sum", mul: "prod", max: "amax", min: "amin", mean: "mean"};
const TORCH_WORDS = {
  array: (numbers) => `torch.tensor([${numbers.join(", ")}])`,
  clip: (low, high) => `indices.clamp(${low}, ${high})`,
};

// What is asked of the call that PyTorch has no word for.
export function unsayableInTorch(call) {
  const kind = reduction(call);
  const self = call.attributes.include_self !== "false";
  return [
    ...(kind === "none" || kind === "sub" || SCATTER_REDUCE[kind] ? [] : [`the reduction '${kind}'`]),
    ...(self || kind !== "sub" ? [] : ["include_self with 'sub'"]),
    ...((call.attributes.acc_dtype ?? "data") === "data" ? [] : ["acc_dtype"]),
  ];
}

function torchTensor(tensor) {
  const list = pythonList(tensor, "math");
  const text = `torch.tensor(${list}, dtype=torch.${tensor.dtype})`;
  const flat = tensor.shape.length > 1 && count(tensor.shape) === 0;
  return flat ? `torch.empty(${pythonShape(tensor.shape)}, dtype=torch.${tensor.dtype})` : text;
}

// Lines that make what PyTorch's index operations take of the indices.
function torchIndices(call, rules) {
  const lines = [];
  const {indices} = call.operands;
  if (indices.dtype !== "int64") lines.push("indices = indices.long()");
  lines.push(...rulesLines(call, rules, TORCH_WORDS));
  if (rules.outside === "fill") lines.push(`indices = torch.where(inside${rules.tuples ? "[..., None]" : ""}, indices, 0)`);
  const elements = call.operator.endsWith("Elements") || call.operator === "Scatter";
  if (!elements) return lines;
  if (rules.outside === "drop") {
    const axis = axisOf(call);
    lines.push(`indices = torch.where(inside, indices, ${rules.size})  # what is dropped goes behind the others`,
      `data = torch.cat([data, data.narrow(${axis}, 0, 1)], ${axis})`);
  }
  if (hasNegative(indices) && !rules.strict && rules.outside !== "wrap") {
    lines.push(`indices = torch.where(indices < 0, indices + ${rules.size}, indices)  # PyTorch does not count from the end here`);
  }
  return lines;
}

function torchGathered(call, rules, value, colons) {
  if (rules.outside !== "fill") return [`output = ${value}`];
  const {dtype} = dataOf(call);
  return [`output = ${value}`, `output[${":, ".repeat(colons)}~inside] = ${pythonElement(dtype, "math")(call.attributes.fill_value || "0")}`];
}

function reducedElements(call) {
  const kind = reduction(call);
  const axis = axisOf(call);
  if (kind === "none") return [`output = torch.scatter(data, ${axis}, indices, updates)  # of several updates any may win`];
  if (kind === "sub") return [`output = torch.scatter_add(data, ${axis}, indices, -updates)`];
  const self = call.attributes.include_self === "false" ? ", include_self=False" : "";
  return [`output = torch.scatter_reduce(data, ${axis}, indices, updates, "${SCATTER_REDUCE[kind]}"${self})`];
}

function reducedTuples(call) {
  const kind = reduction(call);
  const where = "tuple(indices.movedim(-1, 0))";
  const self = call.attributes.include_self !== "false";
  if (kind === "none") return ["output = data.clone()", `output[${where}] = updates  # of several updates any may win`];
  if (kind === "sub" || (kind === "add" && self)) {
    return [`output = data.index_put(${where}, ${kind === "sub" ? "-" : ""}updates, accumulate=True)`];
  }
  const k = call.operands.indices.shape.at(-1);
  const rows = dataOf(call).shape.slice(0, k);
  const length = count(dataOf(call).shape.slice(k));
  return [
    `rows = torch.arange(${count(rows)}).reshape(${pythonShape(rows)})[${where}]`,
    `rows = rows.reshape(-1, 1).expand(-1, ${length})`,
    `output = data.reshape(${count(rows)}, ${length}).scatter_reduce(`,
    `    0, rows, updates.reshape(-1, ${length}), "${SCATTER_REDUCE[kind]}"${self ? "" : ", include_self=False"}).reshape(data.shape)`,
  ];
}

export function torch(call) {
  const unknown = given(call).map(({name}) => call.operands[name].dtype).find((dtype) => !TORCH.test(dtype));
  if (unknown) return `# PyTorch has no scatter or gather for ${unknown}.`;
  const lines = [""];
  for (const {name} of given(call)) lines.push(`${name} = ${torchTensor(call.operands[name])}`);
  const axis = axisOf(call);
  const batch = call.attributes.batch_dims ?? 0;
  const rules = indexRules(call, TORCH_WORDS);
  if (call.operator !== "TensorScatter") lines.push(...torchIndices(call, rules));
  const {alpha} = call.attributes;
  if (alpha) lines.push(`updates = torch.tensor(${pythonElement(dataOf(call).dtype, "math")(alpha)}, dtype=updates.dtype) * updates`);
  switch (call.operator) {
    case "Gather":
      lines.push(...torchGathered(call, rules, `data[${":, ".repeat(axis)}indices]`, axis));
      break;
    case "GatherElements":
      lines.push(...torchGathered(call, rules, `torch.gather(data, ${axis}, indices)`, 0));
      break;
    case "GatherND":
      if (batch) lines.push(`batches = torch.meshgrid(*(torch.arange(n) for n in indices.shape[:-1]), indexing="ij")[:${batch}]`);
      lines.push(...torchGathered(call, rules, `data[(${batch ? "*batches, " : ""}*indices.movedim(-1, 0),)]`, 0));
      break;
    case "Scatter":
    case "ScatterElements":
      lines.push(...reducedElements(call));
      if (rules.outside === "drop") lines.push(`output = output.narrow(${axis}, 0, ${rules.size})`);
      break;
    case "ScatterND":
      if (rules.outside === "drop") lines.push("indices, updates = indices[inside], updates[inside]");
      lines.push(...reducedTuples(call));
      break;
    default:
      lines.push("output = past_cache.clone()", ...cacheLoop(call, "torch.arange"));
  }
  const imports = lines.some((line) => line.includes("math.")) ? ["import math", "import torch"] : ["import torch"];
  return [...imports, ...lines, "print(output)"].join("\n");
}
