/* Elements of the page, made and found. Text is always text: nothing that a file or a link holds becomes markup. */
export const at = id => document.getElementById(id);

/* An element with attributes, which may be listeners as `onclick`, and children. */
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

/* The text with its places ("kernel.wws:22:9") made buttons that go there; `known` says which files there are. */
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

/* Hands the reader a file. */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], {type}));
  element("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const whole = number => number.toLocaleString("en-US");
