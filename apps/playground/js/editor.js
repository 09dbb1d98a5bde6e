// Editors of a call: version, attributes, and a text for each operand.

import {element} from "./dom.js";
import {TextError, count, formatTensor, parseElements, parseShape, reshaped} from "./text.js";

const MOST_ELEMENTS = 4096;

// Returns a menu of values. `more`: values that ONNX lacks. An illegal `value` becomes the last entry.
function choice(label, values, value, change, {texts = values, more = []} = {}) {
  const select = element("select", {"aria-label": label, onchange: () => change(select.value)});
  const option = (one, text = one) => element("option", {value: one, selected: String(one) === String(value)}, text);
  select.append(...values.map((one, i) => option(one, texts[i])));
  if (more.length) select.append(element("optgroup", {label: "not in ONNX"}, ...more.map((one) => option(one))));
  if (![...values, ...more].map(String).includes(String(value))) select.append(option(value, `${value} (not allowed)`));
  return select;
}

// Returns the editor of one operand. It calls `changed(tensor)` for a legal text, and `broken()` for an illegal text.
function tensorEditor(input, tensor, {types, more}, {changed, broken}) {
  let current = tensor;
  const id = `operand-${input.name}`;
  const problem = element("p", {class: "problem", role: "alert", hidden: true});
  const area = element("textarea", {id, spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-label": input.name});
  const shape = element("input", {type: "text", "aria-label": `shape of ${input.name}`, title: "shape"});
  const type = choice(`type of ${input.name}`, types, tensor.dtype, (dtype) => {
    read({...current, dtype});
    changed(current);
  }, {more});
  const box = element("fieldset", {class: "tensor"},
    element("div", {class: "head"}, element("label", {for: id}, input.name), type, shape), area, problem);

  const say = (text) => {
    problem.textContent = text;
    problem.hidden = text === "";
    box.classList.toggle("bad", text !== "");
  };
  const fit = () => {
    const lines = area.value.split("\n").length;
    area.rows = Math.min(Math.max(lines, 1), 12);
  };
  const showShape = () => {
    shape.value = `[${current.shape.join(", ")}]`;
  };
  function read(next) {
    if (next.dtype === "string" !== (current.dtype === "string")) {
      current = next;
      area.value = formatTensor(current);
    }
    current = next;
    say("");
  }

  area.value = formatTensor(tensor);
  showShape();
  fit();
  area.addEventListener("input", () => {
    fit();
    try {
      const parsed = parseElements(area.value);
      if (parsed.values.length > MOST_ELEMENTS) throw new TextError(`at most ${MOST_ELEMENTS} elements can be edited here`);
      if (parsed.quoted && current.dtype !== "string") throw new TextError(`a quoted text is not a value of ${current.dtype}; choose the type string`);
      if (!parsed.quoted && parsed.values.length && current.dtype === "string") throw new TextError('strings are written in quotes: "text"');
      current = {...current, shape: parsed.shape, values: parsed.values};
      showShape();
      say("");
      changed(current);
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      say(error.message);
      broken();
    }
  });
  shape.addEventListener("change", () => {
    const wanted = parseShape(shape.value);
    if (wanted === null || count(wanted) > MOST_ELEMENTS) {
      showShape();
      return;
    }
    current = reshaped(current, wanted);
    area.value = formatTensor(current);
    showShape();
    fit();
    say("");
    changed(current);
  });
  return {
    box,
    // Shows whether this operand causes the error.
    mark(wrong) {
      if (problem.hidden || !wrong) box.classList.toggle("bad", wrong);
    },
    // Sets the type to that of another operand.
    follow(dtype) {
      if (current.dtype === dtype) return current;
      type.value = dtype;
      read({...current, dtype});
      return current;
    },
  };
}

// Values that empty fields stand for.
const USUAL = {fill_value: "0", alpha: "1"};

function attributeField(attribute, call, rank, change) {
  const value = call.attributes[attribute.name];
  if (attribute.legal.length) {
    return choice(attribute.name, attribute.legal, value, change, {more: attribute.more});
  }
  if (typeof attribute.default === "string") {
    return element("input", {type: "text", value, placeholder: USUAL[attribute.name], "aria-label": attribute.name,
      oninput: ({target}) => change(target.value.trim())});
  }
  const field = element("input", {type: "number", value, step: 1, min: -rank, max: Math.max(rank - 1, 0), "aria-label": attribute.name});
  field.addEventListener("input", () => {
    if (/^-?\d{1,9}$/.test(field.value)) change(Number(field.value));
  });
  return field;
}

// Fills `place` with the editors of the call. They call `changed(call)` after a change, `broken()` for an illegal text,
// and `otherVersion(number)` if the user chooses another version.
export function editCall(place, call, entry, versions, {changed, broken, otherVersion}) {
  const first = entry.inputs[0].name;
  const change = (next) => {
    Object.assign(call, next);
    changed(call);
  };
  const numbers = versions.map((one) => one.version);
  const version = choice("version", numbers, entry.version, (number) => otherVersion(Number(number)),
    {texts: numbers.map((number, i) => `${call.operator}-${number}${versions[i].deprecated ? " (deprecated)" : ""}`)});
  const attributes = element("div", {class: "attributes"}, element("label", {}, "version ", version));
  const rules = element("details", {class: "rules", open: entry.attributes.some((one) => one.own && call.attributes[one.name] !== one.default)},
    element("summary", {}, "settings that ONNX does not have"));
  for (const attribute of entry.attributes) {
    const rank = call.operands[first]?.shape.length ?? 0;
    (attribute.own ? rules : attributes).append(element("label", {}, `${attribute.name} `, attributeField(attribute, call, rank, (value) => {
      change({attributes: {...call.attributes, [attribute.name]: value}});
    })));
  }
  if (rules.children.length > 1) attributes.append(rules);
  place.replaceChildren(attributes);
  const editors = {};
  for (const input of entry.inputs) {
    const tensor = call.operands[input.name];
    const isIndex = input.is_index;
    const types = isIndex ? entry.index_types : entry.types;
    const more = isIndex ? entry.more_index_types : entry.more_types;
    if (!tensor) {
      const add = element("button", {type: "button", class: "chip", onclick: () => {
        const batch = call.operands[first].shape[0] ?? 1;
        change({operands: {...call.operands, [input.name]: {dtype: types.at(-1), shape: [batch], values: Array(batch).fill("0")}}});
        otherVersion(entry.version);
      }}, `add ${input.name}`);
      place.append(element("div", {class: "head"}, add));
      continue;
    }
    const editor = tensorEditor(input, tensor, {types, more}, {
      broken,
      changed: (next) => {
        const operands = {...call.operands, [input.name]: next};
        if (!isIndex) { // data and updates have the same type
          for (const other of entry.inputs) {
            if (!other.is_index && editors[other.name] && other.name !== input.name) operands[other.name] = editors[other.name].follow(next.dtype);
          }
        }
        change({operands});
      },
    });
    editors[input.name] = editor;
    if (input.optional) {
      const remove = element("button", {type: "button", class: "chip", onclick: () => {
        const operands = {...call.operands};
        delete operands[input.name];
        change({operands});
        otherVersion(entry.version);
      }}, "leave out");
      editor.box.querySelector(".head").append(remove);
    }
    place.append(editor.box);
  }
  return editors;
}
