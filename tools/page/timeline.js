const LABELLED = 14; /* minimum pixels of a slice with a label: a digit and its margins */

/* The timeline: a canvas that scrolls over rows and draws the visible ones; d3 zooms and pans it. */
class Timeline {
  constructor(looks, tell) {
    this.looks = looks;
    this.tell = tell; /* called with the selection */
    this.canvas = at("timeline");
    this.scroller = at("scroller");
    this.context = this.canvas.getContext("2d");
    this.strip = document.createElement("canvas");
    this.raster = new Raster();
    this.links = new Links(this);
    this.rows = [];
    this.closed = null; /* keys of titles */
    this.cursor = {row: 0, slice: -1};
    this.selected = this.hovered = this.finger = null;
    this.base = d3.scaleLinear();
    this.scale = this.base;
    this.zoom = d3.zoom()
                    .filter(() => !d3.event.shiftKey && !d3.event.button)
                    .on("zoom", () => this.zoomed())
                    .on("end", () => { this.finger = null; });
    d3.select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
    this.canvas.addEventListener("mousemove", event => this.pointed(event));
    this.canvas.addEventListener("mouseleave", () => this.hover(null));
    this.canvas.addEventListener("click", event => this.clicked(event));
    this.canvas.addEventListener("keydown", event => this.pressed(event));
    this.canvas.addEventListener("wheel",
                                 event => event.shiftKey && this.scroller.scrollBy(0, event.deltaY || event.deltaX));
    this.scroller.addEventListener("scroll", () => this.later());
    new ResizeObserver(() => requestAnimationFrame(() => this.resized())).observe(this.scroller);
  }

  /* ---- contents ---- */

  /* `domain` are all cycles of the run, `home` those shown first. The zoom stays where it was, as far as the run
   * reaches. */
  show(run, cu, domain, home) {
    const seen = !this.run || this.isAt(this.home) ? home
                 : this.isAt(this.base.domain())   ? domain
                                                   : this.scale.domain();
    this.home = home;
    this.run = run;
    this.cu = cu;
    this.words = new Words(run, this.looks);
    this.unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;
    if (!this.closed) /* with several compute units, some rows start hidden */
      this.closed = new Set(
          run.rows.filter(row => row.key && run.cus.length > 1 && /DMA|LDS|Memory/.test(row.name)).map(row => row.key));
    this.base.domain(domain);
    this.select(null);
    this.layout();
    if (seen[0] < domain[1])
      this.window(seen[0], Math.min(seen[1], domain[1]));
    else
      this.fit();
    this.cursor = {row: Math.max(0, Math.min(this.cursor.row, this.rows.length - 1)), slice: -1};
  }

  /* The rows that no closed title hides, from top to bottom. */
  layout() {
    const at = this.rows[this.cursor.row];
    this.rows = this.run.rows.filter(row => (this.cu < 0 || row.cu === this.cu) &&
                                            !row.under.some(key => this.closed.has(key)));
    this.indexOf = new Map(this.rows.map((row, i) => [row, i]));
    for (const row of this.rows)
      row.px = Math.round(row.height * this.unit);
    this.top = [];
    this.tall = this.rows.reduce((top, row) => (this.top.push(top), top + row.px + 2), 4) + 4;
    if (this.indexOf.has(at))
      this.cursor.row = this.indexOf.get(at);
    this.dim(this.places);
    this.resized();
  }

  /* Opens or closes a title. */
  toggle(title) {
    if (!this.closed.delete(title.key))
      this.closed.add(title.key);
    this.hover(null);
    this.layout();
    this.tellTitle(title);
  }

  tellTitle(title) {
    at("spoken").textContent =
        `${title.name}, ${this.closed.has(title.key) ? "closed" : "open"}, ${plural(title.rows, "row")}`;
  }

  /* Highlights slices of the instructions in the set "launch:pc"; null: highlights all. */
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
      else if (places && row.kind === "meet")
        row.dim = Uint8Array.from(row.meets, meet => places.has(`${meet.launch}:${meet.pc}`) ? 0 : 1);
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
    if (source && source.touches) { /* touches report their position, not their movement */
      const finger = source.touches.length === 1 ? source.touches[0].clientY : null;
      if (source.type === "touchmove" && finger !== null && this.finger !== null)
        this.scroller.scrollTop -= finger - this.finger;
      this.finger = finger;
    }
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

  isAt([from, to]) {
    const [start, end] = this.scale.domain();
    return Math.abs(start - from) < 0.5 && Math.abs(end - to) < 0.5;
  }

  goHome(home) {
    this.home = home;
    this.window(...home);
  }

  /* Shows [from, to). */
  window(from, to) {
    const [first, last] = this.base.range(), a = this.base(from), b = this.base(to);
    const most = this.zoom.scaleExtent()[1], k = Math.max(1, Math.min(most, (last - first) / Math.max(1e-9, b - a)));
    const middle = (a + b) / 2;
    d3.select(this.canvas)
        .call(this.zoom.transform, d3.zoomIdentity.translate((first + last) / 2 - k * middle, 0).scale(k));
  }

  reveal(row) {
    const index = this.indexOf.get(row);
    if (index === undefined)
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

  colors() {
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
    this.ink = this.colors();
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
    this.links.draw(offset);
    this.drawAxis();
  }

  drawPixels(rows, offset) {
    const [first, last] = this.base.range(), left = Math.round(first * this.ratio);
    const width = Math.max(1, Math.round(last * this.ratio) - left), [start, end] = this.scale.domain();
    const scale = width / (end - start);
    const lines = rows.filter(i => this.rows[i].color);
    if (!lines.length)
      return;
    if (this.strip.width !== width || this.strip.height < lines.length)
      this.strip.width = width, this.strip.height = Math.max(lines.length, 64);
    const image = new ImageData(width, lines.length), pixels = new Uint32Array(image.data.buffer);
    const least = LABELLED * this.ratio;
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
    const context = this.context, [first, last] = this.base.range(), title = row.kind === "title";
    if (title)
      this.drawTitle(row, y);
    if (row.area)
      this.drawArea(row, y, first, last);
    context.strokeStyle = this.ink.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(0, Math.round(y + row.px) + 1.5);
    context.lineTo(this.width, Math.round(y + row.px) + 1.5);
    context.stroke();
    context.fillStyle = title ? this.ink.ink : this.ink.soft;
    context.font = this.font(11);
    if (!title)
      context.fillText(row.name, 6, y + row.px * (row.area ? 0.3 : 0.5), this.gutter - 10);
    if (index === this.cursor.row && document.activeElement === this.canvas) {
      context.fillStyle = this.ink.focus;
      context.fillRect(0, y, 3, row.px);
    }
  }

  /* A triangle, which points down if open, and the name. */
  drawTitle(row, y) {
    const context = this.context, closed = this.closed.has(row.key), x = 8 + 10 * row.level, middle = y + row.px / 2;
    context.fillStyle = this.ink.panel;
    context.fillRect(0, y, this.width, row.px);
    context.fillStyle = this.ink.ink;
    context.beginPath();
    for (const [across, down] of closed ? [[0, -4], [6, 0], [0, 4]] : [[-1, -3], [7, -3], [3, 4]])
      context.lineTo(x + across, middle + down);
    context.fill();
    context.font = `${row.level ? "" : "bold "}${this.font(row.level ? 11 : 12)}`;
    context.fillText(row.name + (closed ? `, ${plural(row.rows, "row")}` : ""), x + 12, middle + 0.5);
  }

  drawArea(row, y, first, last) {
    const context = this.context, [start, end] = this.scale.domain(), width = Math.max(1, Math.round(last - first));
    const columns = columnsOf(row.area, start, width / (end - start), width),
          scale = (row.px - 4) / (row.full || row.area.top);
    context.fillStyle = this.looks.css[row.fill];
    context.beginPath();
    context.moveTo(first, y + row.px);
    for (let i = 0, next; i < width; i = next) {
      const height = y + row.px - columns[i] * scale;
      for (next = i + 1; next < width && columns[next] === columns[i]; next++)
        continue;
      context.lineTo(first + i, height);
      context.lineTo(first + next, height);
    }
    context.lineTo(first + width, y + row.px);
    context.fill();
    context.fillStyle = this.ink.soft;
    context.fillText(`at most ${row.area.top}`, 6, y + row.px * 0.75, this.gutter - 10);
  }

  font(size) { return `${Math.round(size * this.unit)}px system-ui, sans-serif`; }

  drawLabels() {
    const context = this.context, offset = this.scroller.scrollTop, [first, last] = this.base.range();
    context.font = this.font(11);
    for (const {row: index, slice, a, b} of this.labels) {
      const row = this.rows[index], y = this.top[index] - offset, left = Math.max(first, a), right = Math.min(last, b);
      context.strokeStyle = this.ink.paper;
      context.lineWidth = 1;
      context.strokeRect(left + 0.5, y + 0.5, right - left - 1, row.px - 1);
      if (row.dim && row.dim[slice])
        continue;
      const name = this.words.names(row, slice).find(name => context.measureText(name).width <= right - left - 6);
      if (!name)
        continue;
      context.fillStyle = this.looks.ink[row.color[slice]];
      context.fillText(name, left + 3, y + row.px / 2 + 0.5);
    }
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
    group.selectAll("text").attr("text-anchor", tick => this.scale(tick) > last - 16 * this.unit ? "end" : "middle");
    const [start, end] = this.scale.domain();
    at("range").textContent = `cycles ${whole(Math.round(start))} to ${whole(Math.round(end))}`;
  }

  /* ---- pointing ---- */

  find(x, y) {
    const from = y + this.scroller.scrollTop, [first, last] = this.base.range();
    const index = this.rows.findIndex((row, i) => from >= this.top[i] && from <= this.top[i] + row.px);
    if (index >= 0 && this.rows[index].kind === "title")
      return {row: this.rows[index], slice: -1, title: true};
    if (index < 0 || x < first || x > last)
      return null;
    const row = this.rows[index], cycle = this.scale.invert(x), pixel = Math.abs(this.scale.invert(x + 2) - cycle);
    if (row.area)
      return {row, slice: -1, cycle: Math.floor(cycle)};
    let slice = sliceAt(row, cycle);
    if (slice < 0) { /* next to a slice thinner than a pixel */
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
    const [x, y] = this.place(event), under = this.find(x, y), found = under && under.title ? null : under;
    this.canvas.style.cursor = under && under.title ? "pointer" : "";
    this.hover(found);
    if (!found)
      return;
    const tip = at("tip"), lines = this.words.describe(found);
    tip.replaceChildren(element("b", {}, lines[0]), ...lines.slice(1).map(line => element("div", {}, line)));
    tip.hidden = false;
    const box = at("timeline-box").getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX - box.left + 14, box.width - tip.offsetWidth - 6))}px`;
    const below = event.clientY - box.top + 18;
    tip.style.top = `${below + tip.offsetHeight > box.height ? Math.max(2, below - tip.offsetHeight - 30) : below}px`;
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
    if (!found)
      return this.select(null);
    this.cursor = {row: this.indexOf.get(found.row), slice: found.slice};
    if (found.title)
      return this.toggle(found.row);
    this.select(found);
  }

  select(what) {
    this.selected = what;
    this.tell(what);
    this.later();
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
      Escape: () => (this.hover(null), this.select(null)),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    keys[event.key]();
  }

  step(by) {
    const index = this.cursor.row + by, row = this.rows[index];
    if (!row)
      return;
    this.cursor = {row: index, slice: -1};
    this.reveal(row);
    if (row.kind === "title")
      this.tellTitle(row);
    else
      at("spoken").textContent = row.name || {copy: "copies", meet: "meets"}[row.kind];
    this.later();
  }

  /* Moves the cursor to the row's next or previous slice (of an area: change), scrolls to it and announces it. */
  next(by) {
    const row = this.rows[this.cursor.row], [start, end] = this.scale.domain();
    const from = row && (row.area ? row.area.x : row.from);
    if (!from || !from.length)
      return;
    const first = firstAfter(row.area ? {to: from} : row, start);
    const wanted = this.cursor.slice < 0 ? first : this.cursor.slice + by;
    const i = Math.max(0, Math.min(from.length - 1, wanted)), middle = row.area ? from[i] : (from[i] + row.to[i]) / 2;
    this.cursor.slice = i;
    if (middle < start || middle > end)
      this.window(middle - (end - start) / 2, middle + (end - start) / 2);
    this.hovered = this.under();
    at("spoken").textContent = this.words.describe(this.hovered).join(". ");
    this.later();
  }

  /* What the cursor is on. */
  under() {
    const row = this.rows[this.cursor.row], i = this.cursor.slice;
    return row.area ? {row, slice: -1, cycle: row.area.x[i]} : {row, slice: i};
  }

  choose() {
    const row = this.rows[this.cursor.row];
    if (row && row.kind === "title")
      return this.toggle(row);
    if (this.cursor.slice < 0)
      this.next(1);
    if (row && this.cursor.slice >= 0)
      this.select(this.under());
  }
}
