/* Creates and finds elements of the page. Text stays text: nothing in a file or a link becomes markup. */
export const at = id => document.getElementById(id);

/* An element with children and attributes; an attribute such as `onclick` is a listener. */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key.startsWith("on"))
      made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(key, value === true ? "" : value);
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

/* The text, with buttons in place of places such as "kernel.wws:22:9" that go there; `known` knows which files
 * exist. */
export function withPlaces(text, known, go) {
  const parts = document.createDocumentFragment();
  let done = 0;
  for (const {0: word, 1: path, 2: line, 3: column, index} of text.matchAll(/([\w./-]+\.\w+):(\d+)(?::(\d+))?/g)) {
    if (!known(path))
      continue;
    const visit = () => go(path, Number(line), Number(column || 0));
    parts.append(text.slice(done, index), element("button", {type: "button", class: "place", onclick: visit}, word));
    done = index + word.length;
  }
  parts.append(text.slice(done));
  return parts;
}

/* Saves a file on the reader's computer. */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], {type}));
  element("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const whole = number => number.toLocaleString("en-US");
