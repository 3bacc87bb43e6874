/* Pixels for the text after the bars, which has each run's cycles. */
const room = bars => 16 + 7 * d3.max(bars, bar => plural(bar.cycles, "cycle").length);

/* Stall stacks: a bar for each point of the axis, or for each launch; and the buckets of the current one as a table. */
class Stalls {
  constructor(looks, choose) {
    this.looks = looks;
    this.choose = choose; /* called with the number of a bar */
  }

  /* bars: [{label, cycles, stalls, finished}]; now: the number of the current one. */
  show(bars, now, axis) {
    const width = Math.max(320, Math.min(1800, at("stacks").clientWidth || 800)), narrow = width < 620;
    const left = narrow ? 6 : 210, right = width - room(bars), step = narrow ? 46 : 30;
    const all = bars.map(bar => d3.sum(Object.values(bar.stalls)));
    const scale = d3.scaleLinear().domain([0, d3.max(all) || 1]).range([left, right]).nice();
    const svg = element(
        "svg",
        {viewBox: `0 0 ${width} ${bars.length * step + 44}`, role: "group", "aria-label": `Stall stacks, ${axis}`});
    bars.forEach((bar, i) =>
                     svg.append(this.bar(bar, i, i === now, scale, all[i], {width, step, under: narrow ? 16 : 0})));
    const axisGroup = element("g", {class: "axis", transform: `translate(0,${bars.length * step + 4})`});
    svg.append(axisGroup);
    d3.select(axisGroup).call(d3.axisBottom(scale).ticks(Math.max(2, width / 140)));
    svg.append(element("text", {x: left, y: bars.length * step + 40}, "warp-cycles"));
    at("stacks").replaceChildren(svg);
  }

  bar(bar, number, now, scale, all, {width, step, under}) {
    const top = number * step + 4, y = top + under, choose = () => this.choose(number);
    const group = element("g", {
      class: now ? "stack now" : "stack",
      tabindex: 0,
      role: "button",
      "aria-pressed": String(now),
      "aria-label": `${bar.label}: ${plural(bar.cycles, "cycle")}, ${whole(all)} warp-cycles`
    });
    let sum = 0;
    for (const bucket of this.order(bar.stalls)) {
      const cycles = bar.stalls[bucket], x = scale(sum);
      group.append(
          element("rect", {
            x,
            y,
            width: Math.max(0, scale(sum += cycles) - x - 0.6),
            height: 22,
            fill: this.looks.css[this.looks.number(bucket)]
          },
                  element("title", {}, `${bucket}: ${whole(cycles)} warp-cycles, ${percent(100 * cycles / all)} %`)));
    }
    group.append(element("rect", {class: "frame", x: 1, y: top - 3, width: width - 2, height: step - 2, rx: 4}),
                 element("text", {x: 6, y: top + (under ? 11 : 15), "font-weight": now ? 700 : 400},
                         bar.finished ? bar.label : `${bar.label} (unfinished)`),
                 element("text", {x: scale(sum) + 5, y: y + 15}, plural(bar.cycles, "cycle")));
    group.addEventListener("click", choose);
    group.addEventListener("keydown",
                           event => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose()));
    return group;
  }

  order(stalls) {
    return [...BUCKETS, ...Object.keys(stalls).filter(name => !BUCKETS.includes(name))].filter(name => stalls[name]);
  }

  table(stalls, texts) {
    const all = d3.sum(Object.values(stalls)) || 1;
    const rows = this.order(stalls).map(
        name => element(
            "tr", {},
            element("th", {scope: "row"},
                    element("span", {class: "swatch", style: `background:${this.looks.css[this.looks.number(name)]}`}),
                    name),
            element("td", {class: "number"}, whole(stalls[name])),
            element("td", {class: "number"}, percent(100 * stalls[name] / all)),
            element("td", {class: "text"}, tied(texts.get(name) || ""))));
    const head = element("thead", {},
                         element("tr", {}, element("th", {scope: "col"}, "bucket"),
                                 element("th", {scope: "col", class: "number"}, "warp-cycles"),
                                 element("th", {scope: "col", class: "number"}, "%"),
                                 element("th", {scope: "col"}, "waiting for")));
    at("buckets").replaceChildren(at("buckets").caption, head, element("tbody", {}, ...rows));
  }
}
