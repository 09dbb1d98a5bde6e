// Converts tensors to and from text: nested lists as in Python and JSON.
//
// A tensor is {dtype, shape, values}. `values` has one string for each element in row-major order, without quotes.

const ELEMENT = /^(?:[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)){1,2}j?|^[Tt]rue|^[Ff]alse/;
const STRING = /^"(?:[^"\\]|\\.)*"/;

// An error in a text, with a message for the user who typed it.
export class TextError extends Error {}

function shown(text) {
  return text.length > 20 ? `${text.slice(0, 20)}…` : text;
}

// Reads one element at `at`. Returns its value and its end.
function readElement(text, at) {
  const rest = text.slice(at);
  const quoted = STRING.exec(rest);
  if (quoted) {
    try {
      return {value: JSON.parse(quoted[0]), end: at + quoted[0].length, quoted: true};
    } catch {
      throw new TextError(`${shown(quoted[0])} is not a valid JSON string`);
    }
  }
  const plain = ELEMENT.exec(rest);
  const end = plain && /[\s,\]]|$/.exec(rest.slice(plain[0].length));
  if (!plain || end.index !== 0) {
    const word = /^[^\s,[\]]*/.exec(rest)[0] || rest[0];
    throw new TextError(word ? `'${shown(word)}' is not an element` : "an element is missing at the end");
  }
  return {value: plain[0], end: at + plain[0].length, quoted: false};
}

// Parses nested lists as {shape, values, quoted}. Commas are optional before a list, after white space and at the end.
export function parseElements(text) {
  const values = [];
  const shape = [];
  let quoted = false;
  let leaf = -1; // the depth of elements
  let at = 0;
  const blank = () => {
    while (/\s/.test(text[at] ?? "")) at += 1;
  };
  const note = (depth, count, where) => {
    if (shape[depth] === undefined) shape[depth] = count;
    if (shape[depth] !== count) {
      const place = where.length ? ` [${where.join(", ")}]` : "";
      throw new TextError(`the list${place} has ${count} elements, but the lists before it have ${shape[depth]}`);
    }
  };
  const read = (where) => {
    blank();
    const depth = where.length;
    if (text[at] !== "[") {
      const element = readElement(text, at);
      if (leaf >= 0 && leaf !== depth) throw new TextError(`'${shown(element.value)}' is beside a list`);
      leaf = depth;
      quoted ||= element.quoted;
      values.push(element.value);
      at = element.end;
      return;
    }
    if (leaf >= 0 && depth >= leaf) throw new TextError("a list is beside an element");
    if (depth >= 64) throw new TextError("more than 64 nested lists");
    at += 1;
    let count = 0;
    for (;;) {
      blank();
      if (text[at] === "]") break;
      if (at >= text.length) throw new TextError("a ']' is missing");
      if (count > 0) {
        if (text[at] === ",") at += 1;
        else if (text[at] !== "[" && !/\s/.test(text[at - 1])) throw new TextError(`a ',' is missing before '${shown(text.slice(at))}'`);
        blank();
        if (text[at] === "]") break;
      }
      read([...where, count]);
      count += 1;
    }
    at += 1;
    note(depth, count, where);
  };
  read([]);
  blank();
  if (at < text.length) throw new TextError(`unexpected '${shown(text.slice(at))}' at the end`);
  return {shape: shape.map((n) => n ?? 0), values, quoted};
}

export function elementText(dtype, value) {
  return dtype === "string" ? JSON.stringify(value) : value;
}

export function count(shape) {
  return shape.reduce((product, n) => product * n, 1);
}

// Writes nested lists of texts: "[[1, 2], [3, 4]]". More than 64 empty lists become "[]".
export function nested({shape, values}, write, between = ", ") {
  if (count(shape) === 0 && shape.reduce((lists, n) => lists * Math.max(n, 1), 1) > 64) return "[]";
  let at = 0;
  const list = (axis) => {
    if (axis === shape.length) return write(values[at++]);
    return `[${Array.from({length: shape[axis]}, () => list(axis + 1)).join(between)}]`;
  };
  return list(0);
}

// Writes nested lists for an editor, with a line for each row and aligned columns.
export function formatTensor(tensor) {
  const {dtype, shape, values} = tensor;
  const texts = values.map((value) => elementText(dtype, value));
  if (shape.length < 2 || count(shape) === 0) return nested({shape, values: texts}, (text) => text);
  const width = Math.max(...texts.map((text) => text.length));
  let at = 0;
  const list = (axis) => {
    if (axis === shape.length - 1) {
      return `[${Array.from({length: shape[axis]}, () => texts[at++].padStart(width)).join(", ")}]`;
    }
    const between = `,${"\n".repeat(shape.length - 1 - axis)}${" ".repeat(axis + 1)}`;
    return `[${Array.from({length: shape[axis]}, () => list(axis + 1)).join(between)}]`;
  };
  return list(0);
}

// Parses a shape such as "4, 2" or "[4, 2]"; returns null if the text is not a shape.
export function parseShape(text) {
  const inner = text.trim().replace(/^[[(](.*)[\])]$/, "$1").trim().replace(/,$/, "");
  if (inner === "") return [];
  const dims = inner.split(/\s*[,x×]\s*|\s+/);
  return dims.every((dim) => /^\d{1,9}$/.test(dim)) ? dims.map(Number) : null;
}

// Returns the tensor with a different shape. Elements keep their coordinates if the rank is the same; new elements are 0.
export function reshaped({dtype, shape, values}, wanted) {
  const zero = dtype === "string" ? "" : dtype === "bool" ? "false" : "0";
  const kept = shape.length === wanted.length;
  const all = [];
  const walk = (axis, offset, inside) => {
    if (axis === wanted.length) {
      all.push(inside ? values[offset] : zero);
      return;
    }
    for (let i = 0; i < wanted[axis]; i += 1) walk(axis + 1, offset * (shape[axis] ?? 1) + i, inside && kept && i < shape[axis]);
  };
  if (kept && count(wanted) > 0) walk(0, 0, true);
  else for (let i = 0; i < count(wanted); i += 1) all.push(values[i] ?? zero);
  return {dtype, shape: wanted, values: all};
}
