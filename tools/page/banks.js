/* The heat map of the LDS's banks, one row per instruction, and the lanes and banks of an instruction's worst
 * access. */
const HEAT = d3.scaleLinear()
                 .domain([0, 0.25, 0.5, 0.75, 1])
                 .range(["#00224e", "#3a4a6c", "#7d7c78", "#bcae6c", "#fee838"])
                 .clamp(true);

class Banks {
  show(run, launch) {
    this.run = run;
    const uses = run.timeline.banks.filter(use => use.launch === launch);
    const worst = new Map(run.lanes.filter(lanes => lanes.launch === launch).map(lanes => [lanes.pc, lanes]));
    const most = d3.max(uses, use => d3.max(use.bank)) || 1;
    say("banks-hint", uses.length ? `Passes of warps through each bank; the brightest has ${
                                        whole(most)}. An instruction's button shows its worst access.`
                                  : "This timeline has no LDS accesses by warps of this launch.");
    const head = [
      "instruction", "accesses", "passes", "by conflicts", "worst",
      `banks 0 to ${uses.length ? uses[0].bank.length - 1 : 0}`
    ];
    const rows = uses.map(use => this.row(use, worst.get(use.pc), launch, most));
    at("banks").replaceChildren(
        uses.length
            ? element(
                  "table", {},
                  element("thead", {},
                          element("tr", {},
                                  ...head.map((name, i) => element(
                                                  "th", {scope: "col", class: i > 0 && i < 5 ? "number" : ""}, name)))),
                  element("tbody", {}, ...rows))
            : "");
    at("lanes").replaceChildren();
    const first =
        uses.filter(use => worst.has(use.pc)).sort((a, b) => worst.get(b.pc).passes - worst.get(a.pc).passes)[0];
    if (first)
      this.picture(worst.get(first.pc), launch);
  }

  row(use, lanes, launch, most) {
    const code = this.run.code(launch, use.pc);
    const name = element("button", {
      type: "button",
      "aria-pressed": "false",
      "data-pc": use.pc,
      disabled: lanes ? null : "",
      onclick: () => this.picture(lanes, launch)
    },
                         `${code.line ? `${code.file}:${code.line} ` : ""}${code.text || use.pc}`);
    const numbers = [use.accesses, use.passes, use.conflicts, lanes ? lanes.passes : ""];
    return element("tr", {}, element("th", {scope: "row"}, name),
                   ...numbers.map(number => element("td", {class: "number"}, number === "" ? "" : whole(number))),
                   element("td", {}, this.strip(use, most)));
  }

  strip(use, most) {
    const cell = use.bank.length > 32 ? 7 : 10,
          svg = element("svg", {
            class: "strip",
            width: cell * use.bank.length,
            height: 20,
            role: "img",
            "aria-label": `passes by bank, from ${whole(d3.min(use.bank))} to ${whole(d3.max(use.bank))}`
          });
    use.bank.forEach((passes, bank) => svg.append(
                         element("rect", {x: bank * cell, y: 1, width: cell - 1, height: 18, fill: HEAT(passes / most)},
                                 element("title", {}, `bank ${bank}: ${whole(passes)} passes`))));
    return svg;
  }

  /* Lanes at the top, banks at the bottom, a line for each word. */
  picture(lanes, launch) {
    const banks = (this.run.timeline.banks.find(use => use.launch === launch) || {bank: []}).bank.length;
    const code = this.run.code(launch, lanes.pc), words = Array.from({length: banks}, () => new Set());
    const bytes = this.run.machine.parameters["lds.bank_bytes"] || 4;
    for (const [, address, of] of lanes.lanes)
      of.forEach((bank, i) => words[bank].add(Math.floor(address / bytes) + i));
    const busiest = d3.maxIndex ? d3.maxIndex(words, set => set.size)
                                : words.findIndex(set => set.size === Math.max(...words.map(of => of.size)));
    const width = this.run.machine.parameters["cu.warp_size"] || 32;
    for (const button of at("banks").querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.pc) === lanes.pc));
    const said =
        `The worst ${lanes.kind} of ${code.text || lanes.pc}${code.line ? ` (${code.file}:${code.line})` : ""}: ` +
        `${plural(lanes.lanes.length, "lane")} of ${plural(lanes.bytes, "byte")} in ${
            plural(lanes.passes, "pass", "passes")}` +
        (lanes.passes > lanes.phases ? `, of which bank conflicts add ${lanes.passes - lanes.phases}. Bank ${
                                           busiest} has ${words[busiest].size} words to deliver.`
                                     : ": no bank conflict.");
    const table =
        element("details", {}, element("summary", {}, "As a table"),
                element("div", {class: "wide"},
                        element("table", {},
                                element("thead", {},
                                        element("tr", {},
                                                ...["lane", "byte of the LDS", "bank"].map(
                                                    name => element("th", {scope: "col"}, name)))),
                                element("tbody", {},
                                        ...lanes.lanes.map(([lane, address, of]) => element(
                                                               "tr", {}, element("th", {scope: "row"}, String(lane)),
                                                               element("td", {class: "number"}, whole(address)),
                                                               element("td", {class: "number"}, of.join(", "))))))));
    at("lanes").replaceChildren(element("p", {}, tied(said)),
                                element("div",
                                        {class: "wide", tabindex: 0, role: "region", "aria-label": "Lanes and banks"},
                                        this.drawing(lanes, words, width, said)),
                                table);
  }

  drawing(lanes, words, width, said) {
    const many = Math.max(width, words.length), step = 1000 / many,
          svg = element("svg", {viewBox: "0 0 1060 190", role: "img", "aria-label": said});
    const x = (i, of) => 50 + (i + 0.5) * 1000 / of, style = getComputedStyle(document.documentElement);
    const hot = style.getPropertyValue("--hot"), calm = style.getPropertyValue("--focus"),
          line = style.getPropertyValue("--soft");
    for (const [lane, , of] of lanes.lanes)
      for (const bank of of )
        svg.append(element("line", {
          x1: x(lane, width),
          y1: 38,
          x2: x(bank, words.length),
          y2: 140,
          "stroke-width": words[bank].size > 1 ? 2 : 1.2,
          stroke: words[bank].size > 1 ? hot : calm,
          "stroke-opacity": 0.85
        }));
    const active = new Set(lanes.lanes.map(([lane]) => lane)), font = Math.min(11, step * 0.55);
    for (let lane = 0; lane < width; lane++)
      this.box(svg, x(lane, width), 18, 1000 / width, active.has(lane) ? line : "none", lane, font);
    words.forEach((set, bank) => {
      this.box(svg, x(bank, words.length), 140, 1000 / words.length,
               set.size > 1 ? hot
               : set.size   ? calm
                            : "none",
               bank, font);
      if (set.size > 1)
        svg.append(element("text", {
          x: x(bank, words.length),
          y: 176,
          "text-anchor": "middle",
          "font-weight": 700,
          style: `font-size:${Math.max(9, font)}px`
        },
                           `${set.size}×`));
    });
    svg.append(element("text", {x: 4, y: 32}, "lane"), element("text", {x: 4, y: 154}, "bank"));
    return svg;
  }

  box(svg, x, y, step, fill, number, font) {
    const size = step - 2;
    svg.append(element("rect", {
                 x: x - size / 2,
                 y,
                 width: size,
                 height: 20,
                 fill,
                 "fill-opacity": 0.25,
                 stroke: fill === "none" ? "var(--line)" : fill
               }),
               element("text", {x, y: y + 14, "text-anchor": "middle", style: `font-size:${font}px`}, String(number)));
  }
}
