// Converts a call to and from the fragment of the address:
//   #ScatterND-18?data=[[1,2],[3,4]]:float32&indices=[[0]]&updates=[[5,6]]&reduction=add
// docs/playground.md has the grammar.
//
// A call is {operator, version, attributes: {name: value}, operands: {name: tensor}}.

import {TextError, count, elementText, nested, parseElements, parseShape} from "./text.js";

const LONGEST = 2000; // characters of a fragment that is not packed
const LONGEST_UNPACKED = 1 << 20;
const INDEX_OPERANDS = ["indices", "write_indices"];

// Returns the newest version of an operator, or the version with this number.
export function findVersion(catalogue, operator, version) {
  const all = catalogue.versions.filter((entry) => entry.operator === operator);
  if (all.length === 0) {
    const names = [...new Set(catalogue.versions.map((entry) => entry.operator))];
    throw new TextError(`no operator '${operator}'; choose from ${names.join(", ")}`);
  }
  if (version === undefined) return all.at(-1);
  const found = all.find((entry) => entry.version === version);
  if (!found) throw new TextError(`no ${operator}-${version}; choose from ${all.map((entry) => entry.version).join(", ")}`);
  return found;
}

// Returns the lowest version with the types of all operands; undefined if the call's version has them or no version does.
export function versionWithTypes(call, entry, catalogue) {
  const has = (one) => one.inputs.every((input) => {
    const tensor = call.operands[input.name];
    return !tensor || (input.is_index ? one.index_types : one.types).includes(tensor.dtype);
  });
  if (has(entry)) return undefined;
  return catalogue.versions.find((one) => one.operator === call.operator && !one.deprecated && has(one));
}

function parseTensor(text, usual) {
  const type = /:([a-z][a-z0-9_]*)(\[[\d,\s]*\])?$/.exec(text);
  const parsed = parseElements(type ? text.slice(0, type.index) : text);
  const dtype = type?.[1] ?? (parsed.quoted ? "string" : usual);
  if (type?.[2] === undefined) return {dtype, shape: parsed.shape, values: parsed.values};
  const shape = parseShape(type[2]);
  const wanted = count(shape);
  if (wanted > LONGEST_UNPACKED) throw new TextError(`the shape ${type[2]} has ${wanted} elements; at most ${LONGEST_UNPACKED} are allowed`);
  if (parsed.values.length === 1) return {dtype, shape, values: Array(wanted).fill(parsed.values[0])};
  if (parsed.values.length !== wanted) {
    throw new TextError(`${parsed.values.length} elements for the shape ${type[2]}`);
  }
  return {dtype, shape, values: parsed.values};
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TextError("a '%' does not begin a character encoded as UTF-8, such as %C3%A9");
  }
}

function parsePlain(text, catalogue) {
  const head = /^([A-Za-z]+)(?:-(\d{1,4}))?\?/.exec(text);
  if (!head) throw new TextError("the address must begin with an operator, as in #ScatterND-18?data=...");
  const entry = findVersion(catalogue, head[1], head[2] === undefined ? undefined : Number(head[2]));
  const call = {operator: entry.operator, version: entry.version, attributes: {}, operands: {}};
  const values = {};
  for (const pair of text.slice(head[0].length).split("&")) {
    const cut = pair.indexOf("=");
    const name = cut < 0 ? pair : pair.slice(0, cut);
    if (cut < 0) throw new TextError(`'${name}' has no value`);
    if (name in values) throw new TextError(`'${name}' occurs twice`);
    values[name] = decoded(pair.slice(cut + 1));
  }
  const known = [...entry.inputs, ...entry.attributes].map((one) => one.name);
  for (const name of Object.keys(values)) {
    if (!known.includes(name)) {
      throw new TextError(`${entry.operator}-${entry.version} has no '${name}'; it has ${known.join(", ")}`);
    }
  }
  let usual = "float32";
  entry.inputs.forEach((input, i) => {
    if (!(input.name in values)) {
      if (!input.optional) throw new TextError(`'${input.name}' is missing`);
      return;
    }
    try {
      const tensor = parseTensor(values[input.name], INDEX_OPERANDS.includes(input.name) ? "int64" : usual);
      if (i === 0) usual = tensor.dtype;
      call.operands[input.name] = tensor;
    } catch (error) {
      throw error instanceof TextError ? new TextError(`${input.name}: ${error.message}`) : error;
    }
  });
  for (const attribute of entry.attributes) {
    const value = values[attribute.name] ?? attribute.default;
    if (typeof attribute.default === "number" && !/^-?\d{1,9}$/.test(value)) {
      throw new TextError(`${attribute.name}: '${value}' is not an integer`);
    }
    if (attribute.own && attribute.legal.length && !attribute.legal.includes(value)) {
      throw new TextError(`${attribute.name}: '${value}' is not one of ${attribute.legal.join(", ")}`);
    }
    call.attributes[attribute.name] = typeof attribute.default === "number" ? Number(value) : value;
  }
  return call;
}

const ESCAPED = /[%&#"<>`\s]|[^\x20-\x7e]+/gu;

function encoded(text) {
  return text.replace(ESCAPED, (part) => encodeURIComponent(part));
}

function tensorText(tensor) {
  const list = nested(tensor, (value) => elementText(tensor.dtype, value), ",");
  const nests = count(tensor.shape) > 0;
  return `${list}:${tensor.dtype}${nests ? "" : `[${tensor.shape.join(",")}]`}`;
}

export function writePlain(call, catalogue) {
  const entry = findVersion(catalogue, call.operator, call.version);
  const pairs = [];
  for (const input of entry.inputs) {
    const tensor = call.operands[input.name];
    if (tensor) pairs.push(`${input.name}=${encoded(tensorText(tensor))}`);
  }
  for (const attribute of entry.attributes) {
    const value = call.attributes[attribute.name] ?? attribute.default;
    if (value !== attribute.default) pairs.push(`${attribute.name}=${encoded(String(value))}`);
  }
  return `${call.operator}-${call.version}?${pairs.join("&")}`;
}

async function through(bytes, stream) {
  const parts = [];
  let length = 0;
  for await (const part of readAll(new Blob([bytes]).stream().pipeThrough(stream))) {
    length += part.length;
    if (length > LONGEST_UNPACKED) throw new TextError("the address is too long when unpacked");
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function* readAll(stream) {
  const reader = stream.getReader();
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    yield value;
  }
}

async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function unpacked(text) {
  let bytes;
  try {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    bytes = await through(bytes, new DecompressionStream("deflate-raw"));
  } catch (error) {
    throw error instanceof TextError ? error : new TextError("the text after z= is damaged");
  }
  return new TextDecoder().decode(bytes);
}

// Returns the fragment of a call, without "#".
export async function writeFragment(call, catalogue) {
  const text = writePlain(call, catalogue);
  return text.length > LONGEST ? `z=${await packed(text)}` : text;
}

// Returns the call of a fragment. Throws a TextError that names the fault.
export async function parseFragment(fragment, catalogue) {
  const text = fragment.replace(/^#/, "");
  return parsePlain(text.startsWith("z=") ? await unpacked(text.slice(2)) : text, catalogue);
}
