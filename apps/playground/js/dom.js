// Elements without innerHTML: text stays text.

// element("button", {type: "button", class: "chip"}, "text", child...)
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

// One of several choices, for arrow keys as well. `buttons` are siblings, `mark` the attribute that says which.
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
    const row = buttons[0].parentElement; // which may be wider than a narrow screen
    row.scrollLeft = buttons[chosen].offsetLeft - row.offsetLeft - 8;
  };
}
