/* The page: which point, launch and compute units are shown, and what is selected. */
class Page {
  constructor() {
    this.index = JSON.parse(at("index").textContent);
    this.looks = makeLooks();
    this.runs = new Map();
    this.point = this.index.start;
    this.launch = d3.scan(this.index.points[this.point].launches, (a, b) => b.cycles - a.cycles) || 0; /* the longest */
    this.cu = -1;
    this.timeline = new Timeline(this.looks, what => this.told(what));
    this.stalls =
        new Stalls(this.looks, number => this.index.points.length > 1 ? this.move(number) : this.pick(number));
    this.banks = new Banks();
    this.source = new Source(this.looks, places => this.timeline.dim(places));
    this.listen();
  }

  listen() {
    const slider = at("slider");
    slider.setAttribute("aria-label", this.index.key);
    slider.max = this.index.points.length - 1;
    slider.value = this.point;
    slider.addEventListener("input", () => this.move(Number(slider.value)));
    at("launch").addEventListener("change", () => this.pick(Number(at("launch").value)));
    at("cu").addEventListener("change", () => {
      this.cu = Number(at("cu").value);
      this.showTimeline();
    });
    at("zoom-in").addEventListener("click", () => this.timeline.zoomBy(1.6));
    at("zoom-out").addEventListener("click", () => this.timeline.zoomBy(1 / 1.6));
    at("zoom-fit").addEventListener("click", () => this.timeline.fit());
    at("clear").addEventListener("click", () => {
      this.timeline.dim(null);
      this.timeline.select(null);
    });
    for (const event of ["focus", "blur"])
      at("timeline").addEventListener(event, () => this.timeline.later());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      Object.assign(this.looks, makeLooks());
      this.showPanels();
      this.legend();
      this.timeline.later();
    });
    window.addEventListener("resize", () => this.showStacks());
  }

  async load(point) {
    if (!this.runs.has(point))
      this.runs.set(point, unpack(at(`point-${point}`).textContent).then(data => new Run(data, this.looks)));
    return this.runs.get(point);
  }

  /* Shows a point. If several are requested while one is loading, the last one is shown. */
  async move(point) {
    this.point = point;
    at("slider").value = point;
    const run = await this.load(point);
    if (this.point !== point || this.run === run)
      return;
    const first = !this.run;
    this.run = run;
    this.launch = Math.min(this.launch, run.launches.length - 1);
    this.say();
    this.fillSelects();
    this.showTimeline();
    this.showPanels();
    document.body.dataset.point = point;
    if (first)
      for (let i = 0; i < this.index.points.length; i++)
        await this.load(i);
  }

  pick(launch) {
    this.launch = launch;
    at("launch").value = launch;
    this.timeline.goHome(this.home());
    this.say();
    this.showPanels();
  }

  label(point) {
    const {label} = this.index.points[point], {key, unit} = this.index;
    return label === "as run"
               ? label
               : `${key.replace(/^(define|arg)\./, "")} = ${label}${unit && unit !== "flag" ? ` ${unit}` : ""}`;
  }

  /* From the first launch's start to the last one's end: launches may run at once. */
  cycles(point) { return d3.max(this.index.points[point].launches, launch => launch.start + launch.cycles); }
  /* What the point has of the launch that is shown. */
  shown(point) {
    const {launches} = this.index.points[point];
    return launches[this.launch] || launches[0];
  }
  /* Whether the point did other work than the original run, so that its cycles are not comparable. */
  differs(point) { return this.finished(point) && !this.index.points[point].same_results; }
  finished(point) { return this.index.points[point].launches.every(launch => launch.finished); }

  /* Of the launch that the heading is about, then of all. The time of a run that was cut short is not comparable. */
  sayPoint(point) {
    const {start} = this.index, label = this.label(point), {cycles} = this.shown(point),
          before = this.shown(start).cycles;
    if (!this.finished(point))
      return `${label}: not finished, ${plural(this.cycles(point), "cycle")} until then`;
    const change = 100 * (cycles - before) / before, more = change < 0 ? "−" : "+";
    const notes = point === start || !this.finished(start)
                      ? []
                      : [`${more}${percent(Math.abs(change))} % from ${this.label(start)}`];
    if (this.differs(point))
      notes.push("results differ");
    const all =
        this.index.points[point].launches.length > 1 ? `; all launches: ${plural(this.cycles(point), "cycle")}` : "";
    return `${label}: ${plural(cycles, "cycle")}${notes.length ? ` (${notes.join("; ")})` : ""}${all}`;
  }

  say() {
    const {index, run} = this, of = run.report.launches[this.launch], launch = run.launches[this.launch];
    at("title").textContent = index.name === launch.kernel ? index.name : `${index.name}: ${launch.kernel}`;
    document.title = `${index.name} - Warpwait`;
    const finished = index.points[this.point].launches[this.launch].finished;
    say("facts", `${run.launches.length > 1 ? `Launch ${this.launch + 1} of ${run.launches.length}. ` : ""}Machine ${
                     run.machine.name}. ${plural(launch.groups.reduce((a, b) => a * b, 1), "work-group")} of ` +
                     `${plural(launch.local.reduce((a, b) => a * b, 1), "work-item")}. ${plural(of.cycles, "cycle")}${
                         finished ? "" : ", not finished"}.`);
    say("bottleneck", of.bottleneck.sentence);
    say("fidelity", of.fidelity.sentence);
    at("made").textContent = `Made by Warpwait ${index.version}.`;
    if (index.points.length > 1) {
      at("vary").hidden = false;
      at("vary-name").textContent = index.key;
      say("vary-value", this.sayPoint(this.point));
      at("slider").setAttribute("aria-valuetext", at("vary-value").textContent);
    }
    const {cut, slices} = run.timeline;
    at("cut").hidden = cut === null && slices > 0;
    say("cut",
        cut === null
            ? "The timeline is empty: the selected part has no events."
            : `The page has the first ${whole(run.timeline.slices)} slices: those that begin before cycle ` +
                  `${whole(cut)} of ${
                      whole(run.timeline.to)}. --from and --to choose others. Everything below is of the whole run.`);
  }

  fillSelects() {
    const fill = (select, label, options, value) => {
      at(label).hidden = options.length < 2;
      at(select).replaceChildren(...options.map(([number, text]) => element("option", {value: number}, text)));
      at(select).value = value;
    };
    fill("launch", "launch-label", this.run.launches.map((launch, i) => [i, `${i + 1}: ${launch.kernel}`]),
         this.launch);
    const cus = this.run.cus;
    if (this.cu >= 0 && !cus.includes(this.cu))
      this.cu = -1;
    fill("cu", "cu-label", cus.length > 1 ? [[-1, `all ${cus.length}`], ...cus.map(cu => [cu, String(cu)])] : [],
         this.cu);
  }

  showTimeline() {
    this.timeline.show(this.run, this.cu, this.domain(), this.home());
    this.legend();
  }

  /* domain(): the cycles that the timeline shows; home(): those of them in the launch. */
  domain() {
    const {span, end, timeline} = this.run, part = span[0] > 0.1 * end || span[1] < 0.9 * end;
    return timeline.cut !== null || part ? span : [0, end];
  }

  home() {
    const {start, cycles} = this.run.launches[this.launch], [first, last] = this.domain();
    const from = Math.max(first, start), to = Math.min(last, start + cycles);
    return from < to ? [from, to] : [first, last];
  }

  showPanels() {
    const of = this.run.report.launches[this.launch];
    this.showStacks();
    this.stalls.table(of.stalls, new Map(this.run.stalls.map(row => [row.name, row.text])));
    this.banks.show(this.run, this.launch);
    this.source.show(this.run, this.launch);
    this.timeline.dim(null);
  }

  showStacks() {
    const {points} = this.index;
    if (!this.run)
      return;
    if (points.length > 1)
      this.stalls.show(
          points.map((point, i) =>
                         ({label: this.label(i) + (this.differs(i) ? " (results differ)" : ""), ...this.shown(i)})),
          this.point, `by ${this.index.key}`);
    else
      this.stalls.show(
          points[0].launches.map(
              (launch, i) =>
                  ({...launch, label: points[0].launches.length > 1 ? `${i + 1}: ${launch.kernel}` : launch.kernel})),
          this.launch, "by launch");
  }

  /* Rows of different kinds share colors: each color is explained once, with all that it stands for. */
  legend() {
    const used = new Set(this.timeline.rows.flatMap(row => row.color  ? [...new Set(row.color)]
                                                           : row.area ? [row.fill]
                                                                      : []));
    const names = new Map();
    for (const number of [...used].sort((a, b) => a - b)) {
      const color = this.looks.css[number];
      names.set(color, [...names.get(color) || [], this.looks.names[number]]);
    }
    at("legend").replaceChildren(...[...names].map(
        ([color, of]) =>
            element("li", {}, element("span", {class: "swatch", style: `background:${color}`}), of.join(", "))));
  }

  /* Describes the selection; for a copy, adds a button that leads to its wait. */
  told(what) {
    at("clear").disabled = !what;
    if (!what)
      return at("selected").replaceChildren();
    const lines = this.timeline.words.describe(what), copies = this.timeline.links.copiesOf(what);
    const ways = copies.filter(copy => copy.wait)
                     .slice(0, 6)
                     .map(copy => element("button", {type: "button", onclick: () => this.toWait(copy)},
                                          what.row.kind === "warp" ? `Show copy ${copy.copy} and its wait`
                                                                   : "Show it and its wait"));
    at("selected")
        .replaceChildren(element("b", {}, lines[0]), ...lines.slice(1).map(line => element("div", {}, line)),
                         element("div", {class: "tools"}, ...ways));
  }

  toWait(copy) {
    const margin = (copy.to - copy.from) * 0.15 + 2;
    this.timeline.window(copy.from - margin, copy.to + margin);
    this.timeline.reveal(copy.row);
    at("timeline").focus({preventScroll: true});
  }
}

let page;
(async () => {
  try {
    page = new Page();
    await page.move(page.point);
    document.body.dataset.ready = "yes";
  } catch (error) {
    at("problem").hidden = false;
    at("problem").textContent = `The page cannot be shown: ${error.message}. It needs a browser from 2023 or later.`;
    throw error;
  }
})();
