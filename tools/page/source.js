const LONG_FILE = 2000, NEAR = 40; /* in a longer file, shows only lines this near to one with costs */
const LONG_LINE = 1000;            /* maximum characters of a line */

/* The source with its costs in the margin. A line's button highlights its instructions in the timeline. */
class Source {
  constructor(looks, highlight) {
    this.looks = looks;
    this.highlight = highlight; /* called with a set of "launch:pc", or null */
  }

  show(run, launch) {
    const of = run.report.launches[launch], files = new Map();
    this.run = run, this.launch = launch, this.pressed = null;
    this.all = of ? of.resident_cycles || d3.sum(of.by_line, line => line.cycles) || 1 : 1;
    for (const line of of ? of.by_line : []) {
      if (!files.has(line.file))
        files.set(line.file, new Map());
      files.get(line.file).set(line.line, line);
    }
    at("source").replaceChildren(...[...files].map(([file, costs]) => this.file(file, costs)));
  }

  file(file, costs) {
    const text = Object.hasOwn(this.run.sources, file) ? this.run.sources[file] : [],
          last = Math.max(text.length, ...costs.keys());
    const lines = text.length ? this.lines(last, costs) : [...costs.keys()];
    const more = [...costs.values()].some(cost => cost.copies),
          lds = [...costs.values()].some(cost => cost.lds_conflict_cycles);
    const heads = [
      "line", "%", "", "issues", "mostly waiting for", ...(lds ? ["LDS conflict"] : []), ...(more ? ["copied"] : []),
      file
    ];
    if (costs.has(0) && text.length)
      lines.push(0);
    return element("div", {class: "source", tabindex: 0, role: "region", "aria-label": `Source of ${file}`},
                   element("table", {},
                           element("thead", {},
                                   element("tr", {},
                                           ...heads.map((head, i) => element("th", {
                                                          scope: "col",
                                                          class: (i === 1 || i === 3 ? "number" : "") +
                                                                     (i > 1 && i < heads.length - 1 ? " spare" : "")
                                                        },
                                                                             head)))),
                           element("tbody", {},
                                   ...lines.map(line => line.left ? this.gap(line.left, heads.length)
                                                                  : this.line(file, line, costs.get(line),
                                                                              text[line - 1], lds, more)))));
  }

  /* Line numbers from 1 to `last`, and {left} where that many lines are left out. */
  lines(last, costs) {
    if (last <= LONG_FILE)
      return d3.range(1, last + 1);
    const near = new Set([1]), lines = [];
    for (const line of costs.keys())
      for (let at = Math.max(1, line - NEAR); line && at <= Math.min(last, line + NEAR); at++)
        near.add(at);
    let before = 0;
    for (const line of [...near].sort((a, b) => a - b)) {
      if (line > before + 1)
        lines.push({left: line - before - 1});
      lines.push(before = line);
    }
    return before < last ? [...lines, {left: last - before}] : lines;
  }

  gap(left, columns) {
    return element("tr", {}, element("td", {colspan: columns, class: "gap"}, `${plural(left, "line")} without costs`));
  }

  shown(text, number) {
    if (text === undefined)
      return number ? "" : "(no known line)";
    return text.length > LONG_LINE
               ? `${text.slice(0, LONG_LINE)} … (${plural(text.length - LONG_LINE, "character")} more)`
               : text;
  }

  line(file, number, cost, text, lds, more) {
    const code = element("pre", {}, this.shown(text, number));
    if (!cost)
      return element("tr", {}, element("th", {scope: "row"}, String(number)), element("td", {}),
                     ...d3.range(3 + lds + more).map(() => element("td", {class: "spare"})),
                     element("td", {class: "code"}, code));
    const button = element("button", {
      type: "button",
      "aria-pressed": "false",
      "aria-label": `line ${number}: show in the timeline`,
      onclick: () => this.press(button, file, number)
    },
                           String(number));
    const waits = Object.entries(cost.stalls).filter(([name]) => name !== "issued").sort((a, b) => b[1] - a[1]);
    return element(
        "tr", {class: "costly"}, element("th", {scope: "row"}, button),
        element("td", {class: "number"}, percent(100 * cost.cycles / this.all)),
        element("td", {class: "spare"}, this.bar(cost)), element("td", {class: "number spare"}, whole(cost.issues)),
        element("td", {class: "spare"}, waits.length ? waits[0][0] : ""),
        lds ? element("td", {class: "number spare"}, cost.lds_conflict_cycles ? whole(cost.lds_conflict_cycles) : "")
            : null,
        more ? element("td", {class: "spare"}, cost.copies ? `${cost.copy_kind} ${whole(cost.copy_bytes)} B` : "")
             : null,
        element("td", {class: "code"}, code));
  }

  bar(cost) {
    const svg = element("svg", {
      width: 120,
      height: 14,
      role: "img",
      "aria-label": Object.entries(cost.stalls).map(([name, cycles]) => `${name} ${whole(cycles)}`).join(", ")
    });
    let x = 0;
    for (const bucket of BUCKETS.filter(name => cost.stalls[name])) {
      const width = 120 * cost.stalls[bucket] / this.all;
      svg.append(element(
          "rect", {x, y: 1, width: Math.max(0.5, width), height: 12, fill: this.looks.css[this.looks.number(bucket)]},
          element("title", {}, `${bucket}: ${whole(cost.stalls[bucket])} warp-cycles`)));
      x += width;
    }
    return svg;
  }

  press(button, file, number) {
    const off = this.pressed === button;
    if (this.pressed)
      this.pressed.setAttribute("aria-pressed", "false");
    this.pressed = off ? null : button;
    button.setAttribute("aria-pressed", String(!off));
    if (off)
      return this.highlight(null);
    const places = new Set();
    this.run.launches.forEach((launch, l) => this.run.timeline.run.programs[launch.program].code.forEach((code, pc) => {
      if (code.file === file && code.line === number)
        places.add(`${l}:${pc}`);
    }));
    this.highlight(places);
  }
}
