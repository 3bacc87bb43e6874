/* The files of an example, each with its own text, history and marks, in one editor. */
import {at, element} from "./dom.js";
import {Tabs} from "./tabs.js";

const MODES = {
  wws: "wws",
  json: {name: "javascript", json: true},
  ini: "properties",
  cl: "text/x-csrc"
};
const MOST_MARKS = 5;

export class Editor {
  /* `onedit(path, text)` is called when the reader changes a file. */
  constructor(onedit) {
    this.onedit = onedit;
    this.files = new Map();
    this.tabs = new Tabs(at("files"), () => "file", path => this.open(path));
    // Tab and Shift-Tab leave the editor, as they leave other elements.
    this.code = CodeMirror(at("code"), {
      lineNumbers: true,
      indentUnit: 2,
      gutters: ["CodeMirror-linenumbers"],
      theme: "warpwait",
      extraKeys: {Tab: false, "Shift-Tab": false},
    });
    this.code.getInputField().setAttribute("aria-describedby", "file-hint");
    // CodeMirror draws only visible lines, and does not notice when its box grows.
    new ResizeObserver(() => this.code.refresh()).observe(at("code"));
  }

  /* [{path, text, note, why, hint}]: `why` the file cannot be changed, if so; `hint`: what the reader should know. */
  load(files, path) {
    this.files = new Map(files.map(file => [file.path, {...file, doc: this.newDoc(file), marks: []}]));
    this.tabs.set(files.map(file => ({name: file.path, text: file.path, note: file.note})), path);
    this.open(this.files.has(path) ? path : files[0].path);
  }

  newDoc({path, text}) {
    const doc = CodeMirror.Doc(text, MODES[path.split(".").pop()] || null);
    doc.on("change", () => this.onedit(path, doc.getValue()));
    return doc;
  }

  has(path) { return this.files.has(path); }

  setNote(path, note) { this.tabs.setNote(path, note); }

  open(path) {
    const {doc, why, hint} = this.files.get(path);
    this.path = path;
    this.tabs.show(path);
    this.code.swapDoc(doc);
    this.code.setOption("readOnly", Boolean(why));
    this.code.getInputField().setAttribute("aria-label", `${path}, ${why ? "to read" : "to edit"}`);
    at("file").setAttribute("aria-labelledby", this.tabs.id(path));
    at("file-why").textContent = why || hint || "";
    at("file-why").hidden = !(why || hint);
  }

  /* Goes to a place that a message or report names. */
  go(path, line, column) {
    this.open(path);
    const there = {line: line - 1, ch: Math.max(0, column - 1)};
    this.code.focus();
    this.code.setCursor(there);
    this.code.scrollIntoView(there, 80);
    at("file").scrollIntoView({block: "nearest"});
  }

  clearMarks() {
    for (const file of this.files.values()) {
      for (const clear of file.marks)
        clear();
      file.marks = [];
    }
  }

  /* Marks the line that a message is about, and shows the message below it. */
  mark(message) {
    const places = [...message.matchAll(/([\w./-]+\.\w+):(\d+)(?::(\d+))?/g)].filter(match => this.has(match[1]));
    if (!places.length)
      return;
    const {0: word, 1: path, 2: number, 3: column, index} = places[0];
    const file = this.files.get(path), line = Math.min(Number(number), file.doc.lineCount()) - 1;
    if (file.marks.length >= MOST_MARKS)
      return;
    const first = ![...this.files.values()].some(other => other.marks.length);
    const text = message.slice(index + word.length).replace(/^[:\s]+/, "");
    const widget = file.doc.addLineWidget(line, element("div", {class: "said"}, text), {noHScroll: true});
    const row = file.doc.addLineClass(line, "wrap", "wrong");
    file.marks.push(() => {
      widget.clear();
      file.doc.removeLineClass(row, "wrap", "wrong");
    });
    if (first) {
      this.open(path);
      this.code.scrollIntoView({line, ch: Math.max(0, Number(column || 1) - 1)}, 80);
    }
  }
}
