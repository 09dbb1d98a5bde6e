// Holds the call, and updates the parts of the page that show it.

import {TONGUES, codeOf} from "./code.js";
import {byId, choosable, element} from "./dom.js";
import {editCall} from "./editor.js";
import {watchFiles} from "./files.js";
import {Module} from "./module.js";
import {Steps, showAnswer} from "./show.js";
import {showSiblings} from "./siblings.js";
import {findVersion, parseFragment, versionWithTypes, writeFragment} from "./state.js";
import {TextError, parseElements} from "./text.js";

// Each operator with its description and the title of the example that its button opens.
const OPERATORS = [
  ["Gather", "whole rows", "Embedding lookup"],
  ["GatherElements", "one element for each index", "Pick per row"],
  ["GatherND", "a row or element for each tuple", "Tuples"],
  ["ScatterElements", "each update has its own index", "Histogram"],
  ["ScatterND", "a row or element for each tuple", "Sum of rows"],
  ["Scatter", "ScatterElements until opset 10", null],
  ["TensorScatter", "a key-value cache, starting at a position", "KV cache"],
];
const SCATTER = "Scatter-9?data=[[0,0,0],[0,0,0],[0,0,0]]:float32&indices=[[1,0,2],[0,2,1]]:int64&updates=[[1.0,1.1,1.2],[2.0,2.1,2.2]]:float32";

const module = new Module();
const {catalogue, examples} = STREW;
let {first} = STREW; // the answer to the first example; null after it was shown
let opens = true; // true until the first call
let call;
let entry;
let editors = {};
let answer = null; // to the call with all indices applied
let round = 0; // number of the newest call; answers to older calls are not shown
let tongue = "Python";
let markOperator;
let markTongue;

const versionsOf = (operator) => catalogue.versions.filter((one) => one.operator === operator);
const inputsOf = () => entry.inputs.map((input) => call.operands[input.name] ?? null);

function notice(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = text === "";
}

function showCode() {
  byId("code-text").textContent = codeOf(tongue, call, entry, answer, versionsOf(call.operator).at(-1).version);
}

// Offers another version of the operator if this version lacks a type of the call.
function offerVersion() {
  const place = byId("offer");
  const other = answer.error && versionWithTypes(call, entry, catalogue);
  place.hidden = !other;
  if (!other) return;
  const name = `${call.operator}-${other.version}`;
  place.replaceChildren(`${name} has these types. `, element("button", {type: "button", class: "chip",
    onclick: () => edit(ofVersion(call, other.version))}, `Use ${name}`));
}

async function keepAddress() {
  const mine = round;
  const fragment = await writeFragment(call, catalogue);
  if (mine === round && `#${fragment}` !== location.hash) history.replaceState(null, "", `#${fragment}`);
}

function request(applied) {
  const {operator, version, attributes} = call;
  return {do: "run", operator, version, attributes, inputs: inputsOf(), ...(applied === undefined ? {} : {applied})};
}

async function update() {
  round += 1;
  const mine = round;
  performance.mark("changed");
  const next = first ?? await (opens ? module.firstCall(request()) : module.call(request()));
  first = null;
  opens = false;
  if (mine !== round) return;
  answer = next;
  showAnswer(answer);
  performance.measure("picture", "changed");
  steps.reset(answer.arrows ?? 0);
  offerVersion();
  for (const [name, editor] of Object.entries(editors)) {
    editor.mark(answer.error?.operand === name);
  }
  document.body.dataset.round = String(mine); // tests wait for this number
  showCode();
  const gathers = call.operator.startsWith("Gather");
  if (gathers) showSiblings(module, call, catalogue, () => mine === round); // three more calls
  else byId("siblings").hidden = true;
  await keepAddress();
}

async function applyFirst(n) {
  round += 1;
  const mine = round;
  const partial = await module.call(request(n));
  if (mine === round) showAnswer({...partial, output: answer.output, error: answer.error});
}

const steps = new Steps(applyFirst);

function edit(next) {
  call = next;
  entry = findVersion(catalogue, call.operator, call.version);
  markOperator(OPERATORS.findIndex(([name]) => name === call.operator));
  editors = editCall(byId("inputs"), call, entry, versionsOf(call.operator), {
    changed: (changed) => {
      call = changed;
      notice("");
      update();
    },
    broken: () => byId("picture").classList.add("stale"),
    otherVersion: (version) => edit(ofVersion(call, version)),
  });
  return update();
}

// Returns the same call for another version, without the attributes that the other version lacks.
function ofVersion(old, version) {
  const other = findVersion(catalogue, old.operator, version);
  const attributes = Object.fromEntries(other.attributes.map((one) => {
    const value = old.attributes[one.name] ?? one.default;
    return [one.name, one.legal.length && ![...one.legal, ...one.more ?? []].includes(value) ? one.default : value];
  }));
  return {...old, version, attributes};
}

async function open(fragment) {
  try {
    await edit(await parseFragment(fragment, catalogue));
    notice("");
    return true;
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    notice(`The address does not describe a call: ${error.message}.`);
    return false;
  }
}

function makeControls() {
  const buttons = OPERATORS.map(([name, line]) => (
    element("button", {type: "button", class: "op", role: "radio"}, element("b", {}, name), element("span", {}, line))));
  byId("operators").replaceChildren(...buttons);
  markOperator = choosable(buttons, "aria-checked", (i) => {
    const title = OPERATORS[i][2];
    open(title === null ? SCATTER : examples.find((example) => example.title === title).call);
  });
  byId("examples").replaceChildren(element("span", {}, "Examples:"), ...examples.map((example) => (
    element("a", {class: "chip", href: `#${example.call}`}, example.title))));

  const names = Object.keys(TONGUES);
  const tabs = names.map((name) => element("button", {type: "button", role: "tab"}, name));
  byId("tongues").replaceChildren(...tabs);
  markTongue = choosable(tabs, "aria-selected", (i) => {
    tongue = names[i];
    markTongue(i);
    showCode();
  });
  markTongue(0);
  byId("copy-code").addEventListener("click", ({target}) => copy(target, byId("code-text").textContent));
  byId("copy-link").addEventListener("click", ({target}) => copy(target, location.href));
}

async function copy(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed here";
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}

async function start() {
  byId("needs-scripts").hidden = true;
  makeControls();
  watchFiles(module, () => entry.inputs.map((input) => input.name), (name, tensor) => {
    edit({...call, operands: {...call.operands, [name]: tensor}});
    byId("inputs").scrollIntoView({block: "nearest"});
  });
  addEventListener("hashchange", () => open(location.hash));
  const known = location.hash.length < 2;
  if (!known) first = null;
  if (known || !(await open(location.hash))) {
    const kept = byId("notice").textContent;
    await open(examples[0].call);
    notice(kept);
  }
  performance.mark("ready");
  document.body.dataset.ready = "true";
  if (known) await module.call(request()); // warm-up: a browser compiles functions at their first call
  performance.mark("library");
}

// For the console, and for tests.
globalThis.playground = {Module, module, catalogue, codeOf, parseElements, parseFragment, writeFragment};
start();
