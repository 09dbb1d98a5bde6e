// Reads files that a user drops or chooses: checks models, offers tensors as operands. Nothing leaves the page.

import {byId, element} from "./dom.js";

const MOST_BYTES = 64 << 20;

function shapeText({dtype, shape}) {
  return `${dtype ?? "?"} ${shape ? `[${shape.map((dim) => dim ?? "?").join(", ")}]` : "of unknown rank"}`;
}

function plural(n, noun) {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

function modelReport(name, report) {
  const nodes = report.nodes.map((node) => element("li", {},
    element("b", {}, `${node.operator}${node.version === null ? "" : `-${node.version}`} `),
    `${node.name}: ${node.inputs.map((value) => (value.name ? `${value.name} ${shapeText(value)}` : "(left out)")).join(", ")} → `
    + node.outputs.map((value) => `${value.name} ${shapeText(value)}`).join(", ")));
  const violations = report.violations.map((one) => element("li", {class: "violation"}, one.message));
  return [
    element("h3", {}, `${name}: opset ${report.opset}, IR version ${report.ir_version}, ${plural(report.nodes.length, "node")}`),
    report.ok ? element("p", {class: "fine"}, "no violations")
      : element("div", {}, element("p", {class: "violation"}, plural(report.violations.length, "violation")), element("ul", {}, ...violations)),
    element("ul", {}, ...nodes),
  ];
}

function tensorReport(name, {tensor}, operands, use) {
  const parts = [element("h3", {}, `${name}: ${shapeText(tensor)}`)];
  if (tensor.values === null) return [...parts, element("p", {}, "Too many elements to show here.")];
  const {dtype, shape, values} = tensor;
  return [...parts, element("p", {}, "Use it as ", ...operands().map((operand) => (
    element("button", {type: "button", class: "chip", onclick: () => use(operand, {dtype, shape, values})}, operand))))];
}

// Watches for files. `operands()` returns the names of the call's operands; `use(name, tensor)` sets an operand.
export function watchFiles(module, operands, use) {
  const show = (...parts) => byId("report").replaceChildren(...parts);
  const refuse = (name, message) => show(element("h3", {}, name), element("p", {class: "violation"}, message));
  const take = async (file) => {
    const ending = /\.(onnx|npy|pb)$/i.exec(file.name)?.[1].toLowerCase();
    if (!ending) return refuse(file.name, "the name of the file must end in .onnx, .npy or .pb");
    if (file.size > MOST_BYTES) return refuse(file.name, `${file.size} bytes; at most ${MOST_BYTES} are read here; strew check reads larger files`);
    show(element("p", {}, `reading ${file.name} …`));
    const request = {do: ending === "onnx" ? "check" : "tensor", name: file.name};
    const answer = await module.call(request, await file.arrayBuffer());
    if (answer.error) return refuse(file.name, answer.error.message);
    return show(...(ending === "onnx" ? modelReport(file.name, answer) : tensorReport(file.name, answer, operands, use)));
  };
  byId("file").addEventListener("change", ({target}) => {
    if (target.files.length) take(target.files[0]);
    target.value = "";
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer.files;
    if (!file) return;
    byId("files").scrollIntoView({block: "nearest"});
    take(file);
  });
}
