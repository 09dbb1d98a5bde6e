// Shows the result: picture, steps, message, output.

import {byId} from "./dom.js";
import {formatTensor} from "./text.js";

// Highlights the parts of the picture that these arrows touch.
function focusOn(svg, arrows) {
  svg.classList.toggle("focus", arrows.length > 0);
  for (const part of svg.querySelectorAll("[data-arrows]")) {
    const own = part.getAttribute("data-arrows").split(/[\s,]+/);
    part.classList.toggle("lit", own.some((one) => arrows.includes(one)));
  }
}

function arrowsOf(target) {
  const part = target instanceof Element ? target.closest("[data-arrows]") : null;
  return part ? part.getAttribute("data-arrows").split(/[\s,]+/).filter(Boolean) : [];
}

// The style sheet of all pictures. It belongs to the page, because the page's policy allows no style inside a picture.
const STYLE = /<style>([^<]*)<\/style>/;
const sheet = new CSSStyleSheet();
let sheetText = "";
document.adoptedStyleSheets = [sheet];

export function showPicture(place, text) {
  const style = STYLE.exec(text)?.[1] ?? "";
  if (style !== sheetText) {
    sheetText = style;
    sheet.replaceSync(style.replace(/&gt;/g, ">").replace(/&lt;/g, "<").replace(/&amp;/g, "&"));
  }
  const svg = new DOMParser().parseFromString(text.replace(STYLE, ""), "image/svg+xml").documentElement;
  if (svg.localName !== "svg") return;
  const shown = document.importNode(svg, true);
  place.replaceChildren(shown);
  for (const event of ["pointerover", "pointerdown"]) shown.addEventListener(event, ({target}) => focusOn(shown, arrowsOf(target)));
  shown.addEventListener("pointerleave", () => focusOn(shown, []));
}

// Shows the answer to a call: its output or its error.
export function showAnswer(answer) {
  const picture = byId("picture");
  picture.classList.remove("stale");
  if (answer.svg) showPicture(picture, answer.svg);
  else picture.classList.add("stale");
  const message = byId("message");
  message.hidden = !answer.error;
  message.classList.toggle("drawn", Boolean(answer.svg)); // the picture shows the message; only screen readers repeat it
  message.textContent = answer.error?.message ?? "";
  const output = byId("output");
  output.hidden = !answer.output;
  if (answer.output) {
    const {dtype, shape} = answer.output;
    const values = answer.output.values === null ? "(too many elements to list)" : formatTensor(answer.output);
    output.textContent = `output: ${dtype} [${shape.join(", ")}]\n${values}`;
  }
}

// The slider that applies one index after another. Calls `apply` with the number of indices; undefined means all.
export class Steps {
  #arrows = 0;
  #apply;

  constructor(apply) {
    this.#apply = apply;
    byId("applied").addEventListener("input", () => this.#moved());
    byId("back").addEventListener("click", () => this.#step(-1));
    byId("forth").addEventListener("click", () => this.#step(1));
  }

  #step(by) {
    const slider = byId("applied");
    slider.value = String(Number(slider.value) + by);
    this.#moved();
  }

  #moved() {
    this.#tell();
    const at = Number(byId("applied").value);
    this.#apply(at === this.#arrows ? undefined : at);
  }

  #tell() {
    const at = Number(byId("applied").value);
    byId("applied-text").textContent = `${at} of ${this.#arrows} ${this.#arrows === 1 ? "index" : "indices"} applied`;
    byId("back").disabled = at === 0;
    byId("forth").disabled = at === this.#arrows;
  }

  // Sets the number of arrows of a new call; 0 for a rejected call.
  reset(arrows) {
    this.#arrows = arrows;
    byId("steps").hidden = arrows < 2;
    const slider = byId("applied");
    slider.max = String(arrows);
    slider.value = String(arrows);
    this.#tell();
  }
}
