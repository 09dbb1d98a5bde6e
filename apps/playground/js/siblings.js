// Shows the same data and indices under Gather, GatherElements and GatherND, side by side.

import {byId, element} from "./dom.js";
import {showPicture} from "./show.js";
import {findVersion} from "./state.js";
import {nested, elementText} from "./text.js";

const RULES = {
  Gather: "whole rows: data.shape[:axis] + indices.shape + data.shape[axis+1:]",
  GatherElements: "one element for each index: indices.shape",
  GatherND: "one row or element for each tuple: indices.shape[:-1] + data.shape[k:]",
};

export async function showSiblings(module, call, catalogue, isCurrent) {
  const place = byId("siblings");
  const all = await Promise.all(Object.keys(RULES).map(async (operator) => {
    const entry = findVersion(catalogue, operator);
    const attributes = Object.fromEntries(entry.attributes.map((one) => [one.name, call.attributes[one.name] ?? one.default]));
    const inputs = [call.operands.data, call.operands.indices];
    return [operator, entry, await module.call({do: "run", operator, version: entry.version, attributes, inputs})];
  }));
  if (!isCurrent()) return;
  place.hidden = false;
  place.querySelector(".three").replaceChildren(...all.map(([operator, entry, answer]) => {
    const card = element("article", {}, element("h3", {}, `${operator}-${entry.version}`), element("p", {}, RULES[operator]));
    if (answer.error) {
      card.append(element("p", {class: "refused"}, answer.error.message));
      return card;
    }
    const {dtype, shape} = answer.output;
    const text = answer.output.values === null ? "" : nested(answer.output, (value) => elementText(dtype, value));
    card.append(element("pre", {}, `${dtype} [${shape.join(", ")}]\n${text.length > 300 ? `${text.slice(0, 300)}…` : text}`));
    if (answer.svg) {
      const figure = element("figure", {});
      showPicture(figure, answer.svg);
      card.append(element("details", {}, element("summary", {}, "picture"), figure));
    }
    return card;
  }));
}
