/* The machine parameters that a run sets: rows with a name, a value and a description. */
import {at, element} from "./dom.js";

export class Parameters {
  /* `known`: [{name, default, range, unit, meaning}]. */
  constructor(known, onchange) {
    this.known = new Map(known.map(row => [row.name, row]));
    this.onchange = onchange;
    this.rows = [];
    this.made = 0;
    this.values = new Map();
    at("parameter-names").replaceChildren(...known.map(row => element("option", {value: row.name}, row.meaning)));
    at("parameter-add").addEventListener("click", () => this.add("", "").name.focus());
    at("parameter-clear").addEventListener("click", () => {
      this.load([]);
      this.onchange();
      at("parameter-add").focus();
    });
  }

  load(pairs) {
    this.rows = [];
    at("parameter-rows").replaceChildren();
    for (const [name, value] of pairs)
      this.add(name, value);
    this.tell();
  }

  /* [[name, value]] as typed, including incomplete rows. */
  pairs() { return this.rows.map(row => [row.name.value.trim(), row.value.value.trim()]); }

  /* The current machine's values, by name. */
  setValues(values) {
    this.values = values;
    this.rows.forEach(row => this.describe(row));
  }

  add(name, value) {
    const id = `parameter-${++this.made}`;
    const row = {
      name: element("input", {
        id,
        type: "text",
        list: "parameter-names",
        placeholder: "e.g. dma.setup",
        autocomplete: "off",
        spellcheck: "false",
        "aria-describedby": `${id}-what`,
        oninput: () => this.edited(row)
      }),
      value: element("input", {
        id: `${id}-value`,
        type: "text",
        list: `${id}-choices`,
        placeholder: "value",
        autocomplete: "off",
        spellcheck: "false",
        "aria-describedby": `${id}-what`,
        oninput: () => this.edited(row)
      }),
      choices: element("datalist", {id: `${id}-choices`}),
      what: element("p", {id: `${id}-what`, class: "hint"}),
    };
    row.name.value = name;
    row.value.value = value;
    row.body = element("li", {},
      element("label", {for: id, class: "unseen"}, "Name of the parameter"), row.name, "=",
      element("label", {for: `${id}-value`, class: "unseen"}, "Value"), row.value, row.choices,
      element("button", {type: "button", class: "quiet", "aria-label": "Remove this parameter",
        onclick: () => this.remove(row)}, "✕"), row.what);
          this.rows.push(row);
          at("parameter-rows").append(row.body);
          this.describe(row);
          this.tell();
          return row;
        }

      remove(row) {
        this.rows = this.rows.filter(other => other !== row);
        row.body.remove();
        this.tell();
        this.onchange();
        at("parameter-add").focus();
      }

      edited(row) {
        this.clearMark(row);
        this.describe(row);
        this.onchange();
      }

      describe(row) {
        const parameter = this.known.get(row.name.value.trim());
        const words = parameter && !/\d to \d/.test(parameter.range) ? parameter.range.split(/[\s,]+/) : [];
        row.choices.replaceChildren(...words.filter(Boolean).map(word => element("option", {value: word})));
        row.what.textContent = parameter               ? this.about(parameter)
                               : row.name.value.trim() ? "There is no such parameter."
                                                       : "";
      }

      about({name, range, unit, meaning, default: usual}) {
        const now = this.values.has(name) ? `the machine has ${this.values.get(name)}` : `${usual} by default`;
        return `${[range, unit].filter(Boolean).join(" ")}; ${now}. ${meaning}`;
      }

      tell() { at("parameter-clear").hidden = !this.rows.length; }

      clearMarks() { this.rows.forEach(row => this.clearMark(row)); }

      clearMark(row) {
        for (const input of [row.name, row.value])
          input.removeAttribute("aria-invalid");
      }

      /* Flags the row that a message names. */
      mark(message) {
        for (const row of this.rows)
          if (row.name.value.trim() && message.includes(row.name.value.trim()))
            for (const input of [row.name, row.value])
              input.setAttribute("aria-invalid", "true");
      }
}
