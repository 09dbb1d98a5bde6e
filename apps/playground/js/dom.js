// Creates elements without innerHTML, so that text is never parsed as HTML.

// Example: element("button", {type: "button", class: "chip"}, "text", child...)
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

// Calls `choose(i)` for a click or arrow key on one of several sibling buttons. Returns a function that sets the
// attribute `mark` of the chosen button to true.
export function choosable(buttons, mark, choose) {
  buttons.forEach((button, i) => {
    button.addEventListener("click", () => choose(i));
    button.addEventListener("keydown", (event) => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const next = (i + step + buttons.length) % buttons.length;
      buttons[next].focus();
      choose(next);
    });
  });
  return (chosen) => {
    buttons.forEach((button, i) => {
      button.setAttribute(mark, String(i === chosen));
      button.tabIndex = i === chosen ? 0 : -1;
    });
    const row = buttons[0].parentElement; // may be wider than the screen
    row.scrollLeft = buttons[chosen].offsetLeft - row.offsetLeft - 8;
  };
}
