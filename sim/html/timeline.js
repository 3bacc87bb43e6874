/* The timeline: a canvas that scrolls over rows, drawn row by row as far as they are seen; d3 zooms and pans it. */
const LINKS = 48; /* copies in sight, at most, that have their links drawn without being asked */

class Timeline {
  constructor(looks, tell) {
    this.looks = looks;
    this.tell = tell; /* called with what is selected */
    this.canvas = at("timeline");
    this.scroller = at("scroller");
    this.context = this.canvas.getContext("2d");
    this.strip = document.createElement("canvas");
    this.raster = new Raster();
    this.rows = [];
    this.cursor = {row: 0, slice: -1};
    this.selected = this.hovered = null;
    this.base = d3.scaleLinear();
    this.scale = this.base;
    this.zoom = d3.zoom().filter(() => !d3.event.shiftKey && !d3.event.button).on("zoom", () => this.zoomed());
    d3.select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
    this.canvas.addEventListener("mousemove", event => this.pointed(event));
    this.canvas.addEventListener("mouseleave", () => this.hover(null));
    this.canvas.addEventListener("click", event => this.clicked(event));
    this.canvas.addEventListener("keydown", event => this.pressed(event));
    this.canvas.addEventListener("wheel",
                                 event => event.shiftKey && this.scroller.scrollBy(0, event.deltaY || event.deltaX));
    this.scroller.addEventListener("scroll", () => this.later());
    new ResizeObserver(() => this.resized()).observe(this.scroller);
  }

  /* ---- what is shown ---- */

  show(run, cu, domain) {
    this.run = run;
    this.rows = run.rows.filter(row => cu < 0 || row.cu === cu);
    this.unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;
    for (const row of this.rows)
      row.px = Math.round(row.height * this.unit);
    this.top = [];
    this.tall = this.rows.reduce((top, row) => (this.top.push(top), top + row.px + 2), 4) + 4;
    this.base.domain(domain);
    this.select(null);
    this.dim();
    this.cursor = {row: Math.max(0, Math.min(this.cursor.row, this.rows.length - 1)), slice: -1};
    this.resized();
  }

  /* Highlights what belongs to the instructions of the set "launch:pc"; null: everything. */
  dim(places) {
    this.places = places || null;
    for (const row of this.rows) {
      const {launch, pc} = row.field || {};
      row.dim = null;
      if (places && row.kind === "warp")
        row.dim = Uint8Array.from(row.from, (_, i) => places.has(`${launch[i]}:${pc[i]}`) ? 0 : 1);
      else if (places && row.kind === "copy")
        row.dim =
            Uint8Array.from(row.copies, copy => places.has(`${copy.launch}:${copy.pc}`) ||
                                                        (copy.wait && places.has(`${copy.launch}:${copy.wait.pc}`))
                                                    ? 0
                                                    : 1);
    }
    this.later();
  }

  resized() {
    const box = this.scroller, ratio = Math.min(3, window.devicePixelRatio || 1);
    this.width = box.clientWidth;
    at("tall").style.height = `${this.tall || 100}px`;
    this.height = Math.max(60, Math.min(this.tall || 100, box.clientHeight || 320));
    this.gutter = Math.min(150 * (this.unit || 1), Math.max(84, this.width * 0.12));
    if (this.canvas.width !== Math.round(this.width * ratio) ||
        this.canvas.height !== Math.round(this.height * ratio)) {
      this.canvas.width = Math.round(this.width * ratio);
      this.canvas.height = Math.round(this.height * ratio);
      this.canvas.style.width = `${this.width}px`;
      this.canvas.style.height = `${this.height}px`;
    }
    this.ratio = ratio;
    this.base.range([this.gutter, Math.max(this.gutter + 10, this.width - 8)]);
    const [first, last] = this.base.range(), cycles = this.base.domain()[1] - this.base.domain()[0];
    this.zoom.extent([[first, 0], [last, this.height]]).translateExtent([[first, 0], [last, this.height]]).scaleExtent([
      1, Math.max(1, cycles / 8)
    ]);
    this.scale = d3.zoomTransform(this.canvas).rescaleX(this.base);
    this.later();
  }

  /* ---- moving ---- */

  zoomed() {
    const source = d3.event.sourceEvent;
    if (source && source.type === "mousemove")
      this.scroller.scrollTop -= source.movementY;
    this.scale = d3.event.transform.rescaleX(this.base);
    this.hover(null);
    this.later();
  }

  zoomBy(factor) { d3.select(this.canvas).call(this.zoom.scaleBy, factor); }
  panBy(part) {
    d3.select(this.canvas)
        .call(this.zoom.translateBy, -part * (this.width - this.gutter) / d3.zoomTransform(this.canvas).k, 0);
  }
  fit() { d3.select(this.canvas).call(this.zoom.transform, d3.zoomIdentity); }

  /* Shows [from, to). */
  window(from, to) {
    const [first, last] = this.base.range(), a = this.base(from), b = this.base(to);
    const most = this.zoom.scaleExtent()[1], k = Math.max(1, Math.min(most, (last - first) / Math.max(1e-9, b - a)));
    const middle = (a + b) / 2;
    d3.select(this.canvas)
        .call(this.zoom.transform, d3.zoomIdentity.translate((first + last) / 2 - k * middle, 0).scale(k));
  }

  reveal(row) {
    const index = this.rows.indexOf(row);
    if (index < 0)
      return;
    const top = this.top[index], box = this.scroller;
    if (top < box.scrollTop || top + row.px > box.scrollTop + this.height)
      box.scrollTop = Math.max(0, top - this.height / 2);
  }

  /* ---- drawing ---- */

  later() {
    if (!this.waiting)
      this.waiting = requestAnimationFrame(() => {
        this.waiting = 0;
        this.draw();
      });
  }

  visible() {
    const from = this.scroller.scrollTop, to = from + this.height, list = [];
    this.rows.forEach((row, i) => this.top[i] + row.px >= from && this.top[i] <= to && list.push(i));
    return list;
  }

  colours() {
    const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue(name).trim();
    return {
      paper: of("--paper"),
      ink: of("--ink"),
      soft: of("--soft"),
      line: of("--line"),
      panel: of("--panel"),
      focus: of("--focus"),
      mark: of("--mark")
    };
  }

  draw() {
    if (!this.run || !this.width)
      return;
    const context = this.context, rows = this.visible(), offset = this.scroller.scrollTop;
    this.ink = this.colours();
    this.canvas.style.top = `${offset}px`;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = this.ink.paper;
    context.fillRect(0, 0, this.width, this.height);
    context.font = this.font(11);
    context.textBaseline = "middle";
    this.labels = [];
    this.drawPixels(rows, offset);
    for (const i of rows)
      this.drawRow(this.rows[i], this.top[i] - offset, i);
    this.drawLabels();
    this.drawLinks(offset, rows);
    this.drawAxis();
  }

  drawPixels(rows, offset) {
    const [first, last] = this.base.range(), left = Math.round(first * this.ratio);
    const width = Math.max(1, Math.round(last * this.ratio) - left), [start, end] = this.scale.domain();
    const scale = width / (end - start);
    const lines = rows.filter(i => this.rows[i].colour);
    if (!lines.length)
      return;
    if (this.strip.width !== width || this.strip.height < lines.length)
      this.strip.width = width, this.strip.height = Math.max(lines.length, 64);
    const image = new ImageData(width, lines.length), pixels = new Uint32Array(image.data.buffer);
    const least = 26 * this.ratio;
    lines.forEach(
        (i, line) => this.raster.slices(
            this.rows[i], pixels.subarray(line * width, (line + 1) * width), start, scale, this.looks.rgba, least,
            (slice, a, b) => this.labels.push({row: i, slice, a: first + a / this.ratio, b: first + b / this.ratio})));
    const context = this.context, strip = this.strip.getContext("2d");
    strip.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    lines.forEach((i, line) => context.drawImage(this.strip, 0, line, width, 1, left / this.ratio, this.top[i] - offset,
                                                 width / this.ratio, this.rows[i].height));
  }

  drawRow(row, y, index) {
    const context = this.context, [first, last] = this.base.range();
    if (row.area)
      this.drawArea(row, y, first, last);
    context.strokeStyle = this.ink.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(0, Math.round(y + row.px) + 1.5);
    context.lineTo(this.width, Math.round(y + row.px) + 1.5);
    context.stroke();
    context.fillStyle = row.kind === "title" ? this.ink.ink : this.ink.soft;
    context.font = row.kind === "title" ? `bold ${this.font(12)}` : this.font(11);
    context.fillText(row.name, 6, y + row.px * (row.area ? 0.3 : 0.5), this.gutter - 10);
    if (index === this.cursor.row && document.activeElement === this.canvas) {
      context.fillStyle = this.ink.focus;
      context.fillRect(0, y, 3, row.px);
    }
  }

  drawArea(row, y, first, last) {
    const context = this.context, [start, end] = this.scale.domain(), width = Math.max(1, Math.round(last - first));
    const columns = columnsOf(row.area, start, width / (end - start), width), scale = (row.px - 4) / row.area.top;
    context.fillStyle = this.looks.css[row.fill];
    context.beginPath();
    context.moveTo(first, y + row.px);
    for (let i = 0; i < width; i++) {
      const height = y + row.px - columns[i] * scale;
      context.lineTo(first + i, height);
      context.lineTo(first + i + 1, height);
    }
    context.lineTo(first + width, y + row.px);
    context.fill();
    context.fillStyle = this.ink.soft;
    context.fillText(`at most ${row.area.top}`, 6, y + row.px * 0.75, this.gutter - 10);
  }

  font(size) { return `${Math.round(size * this.unit)}px system-ui, sans-serif`; }

  nameOf(row, i) {
    if (row.kind === "copy")
      return row.colour[i] === this.looks.number("landed, not waited for yet") ? "landed"
                                                                               : `copy ${row.copies[i].copy}`;
    if (row.kind === "channel")
      return `copy ${row.field.copy[i]}`;
    if (row.kind === "passed" || row.kind === "served")
      return row.field.kind[i];
    const stall = this.run.stalls[row.field.stall[i]].name;
    return stall === "issued" ? this.run.code(row.field.launch[i], row.field.pc[i]).text : stall;
  }

  drawLabels() {
    const context = this.context, offset = this.scroller.scrollTop, [first, last] = this.base.range();
    context.font = this.font(11);
    for (const {row: index, slice, a, b} of this.labels) {
      const row = this.rows[index], y = this.top[index] - offset, left = Math.max(first, a), right = Math.min(last, b);
      context.strokeStyle = this.ink.paper;
      context.lineWidth = 1;
      context.strokeRect(left + 0.5, y + 0.5, right - left - 1, row.px - 1);
      if (right - left < 26 || (row.dim && row.dim[slice]))
        continue;
      context.save();
      context.beginPath();
      context.rect(left, y, right - left - 2, row.px);
      context.clip();
      context.fillStyle = this.looks.ink[row.colour[slice]];
      context.fillText(this.nameOf(row, slice), left + 3, y + row.px / 2 + 0.5);
      context.restore();
    }
  }

  /* ---- links ---- */

  drawLinks(offset, rows) {
    const [start, end] = this.scale.domain(), chosen = this.chosenCopies();
    const near =
        this.run.copies.filter(copy => copy.wait && copy.from < end && copy.to > start && this.rows.includes(copy.row));
    const context = this.context, [first, last] = this.base.range();
    context.save();
    context.beginPath();
    context.rect(first, 0, last - first, this.height);
    context.clip();
    if (near.length <= LINKS)
      for (const copy of near)
        this.drawLink(copy, offset, 0.55, 1);
    for (const copy of chosen)
      this.drawChosen(copy, offset);
    this.drawSelection(offset, rows);
    context.restore();
  }

  /* From where the copy has landed to where its wait is over, at the first of the warps that wait. */
  drawLink(copy, offset, alpha, width) {
    const row = copy.wait.rows || (copy.wait.rows = this.run.waitRows(copy.wait)), context = this.context;
    const from = this.rows.indexOf(copy.row), to = row.length ? this.rows.indexOf(row[0]) : -1;
    if (from < 0 || to < 0)
      return;
    const x0 = this.scale(copy.landed), y0 = this.top[from] - offset + copy.row.px;
    const x1 = this.scale(copy.wait.to), y1 = this.top[to] - offset, bend = Math.max(8, (y1 - y0) / 2);
    context.globalAlpha = alpha;
    context.strokeStyle = this.ink.mark;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
    context.stroke();
    context.fillStyle = this.ink.mark;
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 3, y1 - 6);
    context.lineTo(x1 + 3, y1 - 6);
    context.fill();
    context.globalAlpha = 1;
  }

  drawChosen(copy, offset) {
    this.frame(copy.row, copy.from, copy.to, offset, this.ink.mark, 2);
    for (const {row, i} of copy.parts)
      this.frame(row, row.from[i], row.to[i], offset, this.ink.mark, 2);
    if (!copy.wait)
      return;
    for (const row of copy.wait.rows || (copy.wait.rows = this.run.waitRows(copy.wait)))
      this.frame(row, copy.wait.from, copy.wait.to, offset, this.ink.mark, 2);
    this.drawLink(copy, offset, 1, 2.5);
  }

  drawSelection(offset) {
    for (const what of [this.hovered, this.selected])
      if (what)
        this.frame(what.row, what.row.from[what.slice], what.row.to[what.slice], offset, this.ink.focus, 2.5);
  }

  frame(row, from, to, offset, colour, width) {
    const index = this.rows.indexOf(row), [first, last] = this.base.range();
    if (index < 0)
      return;
    const a = Math.max(first - 4, this.scale(from)), b = Math.min(last + 4, this.scale(to));
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    if (b > first && a < last)
      this.context.strokeRect(a, this.top[index] - offset + 1, Math.max(2, b - a), row.px - 2);
  }

  /* Copies of what is selected or pointed at: a copy, a channel's part of it, or what a warp waits for. */
  chosenCopies() {
    return [...new Set([this.hovered, this.selected].flatMap(what => what ? this.copiesOf(what) : []))];
  }

  copiesOf({row, slice}) {
    if (row.kind === "copy")
      return [row.copies[slice]];
    if (row.kind === "channel")
      return [this.run.copyOf.get(`${row.field.of[slice]}:${row.field.copy[slice]}`)].filter(copy => copy);
    if (row.kind !== "warp" || this.run.stalls[row.field.stall[slice]].name !== "copy_wait")
      return [];
    return this.run.copies.filter(
        copy => copy.wait && copy.wait.from < row.to[slice] && copy.wait.to >= row.to[slice] && copy.cu === row.cu &&
                copy.launch === row.field.launch[slice] && copy.group === row.field.group[slice]);
  }

  drawAxis() {
    const svg = d3.select("#axis"), [first, last] = this.base.range();
    svg.attr("viewBox", `0 0 ${this.width} 24`).attr("preserveAspectRatio", "xMinYMin");
    const axis = d3.axisTop(this.scale)
                     .ticks(Math.max(2, Math.round((last - first) / 110)))
                     .tickSizeOuter(0)
                     .tickFormat(tick => Number.isInteger(tick) ? whole(tick) : "");
    let group = svg.select("g");
    if (group.empty()) {
      group = svg.append("g").attr("class", "axis").attr("transform", "translate(0,23)");
      svg.append("text").attr("x", 6).attr("y", 16).text("cycle");
    }
    group.call(axis);
    const [start, end] = this.scale.domain();
    at("range").textContent = `cycles ${whole(Math.round(start))} to ${whole(Math.round(end))}`;
  }

  /* ---- pointing ---- */

  find(x, y) {
    const from = y + this.scroller.scrollTop, [first, last] = this.base.range();
    const index = this.rows.findIndex((row, i) => from >= this.top[i] && from <= this.top[i] + row.px);
    if (index < 0 || x < first || x > last || this.rows[index].kind === "title")
      return null;
    const row = this.rows[index], cycle = this.scale.invert(x), pixel = Math.abs(this.scale.invert(x + 2) - cycle);
    if (row.area)
      return {row, slice: -1, cycle: Math.floor(cycle)};
    let slice = sliceAt(row, cycle);
    if (slice < 0) { /* next to one that is thinner than a pixel */
      slice = firstAfter(row, cycle - pixel);
      if (slice >= row.from.length || row.from[slice] > cycle + pixel)
        return null;
    }
    return {row, slice, cycle: Math.floor(cycle)};
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  pointed(event) {
    const [x, y] = this.place(event), found = this.find(x, y);
    this.hover(found);
    if (!found)
      return;
    const tip = at("tip"), lines = this.describe(found);
    tip.replaceChildren(element("b", {}, lines[0]), ...lines.slice(1).map(line => element("div", {}, line)));
    tip.hidden = false;
    const box = at("timeline-box").getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX - box.left + 14, box.width - tip.offsetWidth - 6))}px`;
    const under = event.clientY - box.top + 18;
    tip.style.top = `${under + tip.offsetHeight > box.height ? Math.max(2, under - tip.offsetHeight - 30) : under}px`;
  }

  hover(found) {
    const what = found && found.slice >= 0 ? found : null;
    if (!found)
      at("tip").hidden = true;
    const same = this.hovered && what && this.hovered.row === what.row && this.hovered.slice === what.slice;
    if (same || (!what && !this.hovered))
      return;
    this.hovered = what;
    this.later();
  }

  clicked(event) {
    const found = this.find(...this.place(event));
    this.canvas.focus({preventScroll: true});
    if (!found || found.slice < 0)
      return this.select(null);
    this.cursor = {row: this.rows.indexOf(found.row), slice: found.slice};
    this.select(found);
  }

  select(what) {
    this.selected = what;
    this.tell(what);
    this.later();
  }

  /* ---- words ---- */

  place_of(launch, pc) {
    const code = this.run.code(launch, pc);
    return code.line ? `${code.file}:${code.line}` : `instruction ${pc}`;
  }

  describeCopy(copy) {
    const lines = [
      `copy ${copy.copy}, ${copy.form}, ${copy.to_lds ? "global memory to LDS" : "LDS to global memory"}, ${
          plural(copy.bytes, "byte")}`,
      `issued at cycle ${whole(copy.from)} by work-group ${copy.group}, ${this.place_of(copy.launch, copy.pc)}`
    ];
    if (copy.handed !== null)
      lines.push(`handed over by ${whole(copy.handed)}; landed at ${whole(copy.landed)}, after ${
          plural(copy.landed - copy.from, "cycle")}`);
    lines.push(copy.wait ? `its wait, ${this.place_of(copy.launch, copy.wait.pc)}: cycles ${whole(copy.wait.from)} to ${
                               whole(copy.wait.to)}`
                         : "no wait for it is in this timeline");
    return lines;
  }

  describe({row, slice, cycle}) {
    const where = this.run.cus.length > 1 ? `CU ${row.cu}, ` : "";
    if (row.area) {
      const i = firstAfter({to: row.area.x}, cycle) - 1;
      return [`${where}${row.name}`, `cycle ${whole(cycle)}: ${i < 0 ? 0 : row.area.y[i]} ${row.what}`];
    }
    const field = row.field, from = row.from[slice], to = row.to[slice];
    const time = `cycles ${whole(from)} to ${whole(to)}, ${whole(to - from)} in all`;
    if (row.kind === "copy")
      return this.describeCopy(row.copies[slice]);
    if (row.kind === "channel")
      return [
        `${where}${row.name}: copy ${field.copy[slice]}`, time,
        `${plural(field.bytes[slice], "byte")} in ${plural(field.requests[slice], "request")}`
      ];
    if (row.kind === "passed" || row.kind === "served")
      return [`${where}${row.name}: ${field.kind[slice]}`, time, plural(field.bytes[slice], "byte")];
    const stall = this.run.stalls[field.stall[slice]], code = this.run.code(field.launch[slice], field.pc[slice]);
    return [
      `${where}${row.name}: ${stall.name}`, stall.name === "issued" ? "issued" : `waits for ${stall.text}`, time,
      `${this.place_of(field.launch[slice], field.pc[slice])}  ${code.text}`,
      `work-group ${field.group[slice]}, its warp ${field.index[slice]}`
    ];
  }

  /* ---- keys ---- */

  pressed(event) {
    const keys = {
      ArrowLeft: () => this.panBy(-0.12),
      ArrowRight: () => this.panBy(0.12),
      ArrowUp: () => this.step(-1),
      ArrowDown: () => this.step(1),
      "+": () => this.zoomBy(1.5),
      "=": () => this.zoomBy(1.5),
      "-": () => this.zoomBy(1 / 1.5),
      "0": () => this.fit(),
      Home: () => this.fit(),
      ",": () => this.next(-1),
      ".": () => this.next(1),
      Enter: () => this.choose(),
      " ": () => this.choose(),
      Escape: () => this.select(null),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    keys[event.key]();
  }

  step(by) {
    let row = this.cursor.row;
    do
      row += by;
    while (this.rows[row] && this.rows[row].kind === "title");
    if (!this.rows[row])
      return;
    this.cursor = {row, slice: -1};
    this.reveal(this.rows[row]);
    at("spoken").textContent = this.rows[row].name || "copies";
    this.later();
  }

  /* The slice before or after the cursor, in its row; brought into sight and said. */
  next(by) {
    const row = this.rows[this.cursor.row], [start, end] = this.scale.domain();
    if (!row || row.area || !row.from || !row.from.length)
      return;
    const from = this.cursor.slice < 0 ? firstAfter(row, start) : this.cursor.slice + by;
    const slice = Math.max(0, Math.min(row.from.length - 1, from)), middle = (row.from[slice] + row.to[slice]) / 2;
    this.cursor.slice = slice;
    if (middle < start || middle > end)
      this.window(middle - (end - start) / 2, middle + (end - start) / 2);
    this.hovered = {row, slice};
    at("spoken").textContent = this.describe({row, slice}).join(". ");
    this.later();
  }

  choose() {
    if (this.cursor.slice < 0)
      this.next(1);
    const row = this.rows[this.cursor.row];
    if (row && row.from && this.cursor.slice >= 0)
      this.select({row, slice: this.cursor.slice});
  }
}
