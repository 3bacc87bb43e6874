/* Links between rows of the timeline: from a copy to its wait, between the warps that meet at a barrier, and frames
 * around everything that belongs to the selection. */
const LINKS = 48; /* if at most this many copies or barriers are in view, their links are drawn without a selection */

class Links {
  constructor(timeline) { this.timeline = timeline; }

  draw(offset) {
    const {run, scale, context, height, selected, hovered} = this.timeline, [start, end] = scale.domain();
    const near = (items, good) => {
      const seen = items.filter(item => item.from < end && item.to > start && good(item) && this.shown(item.row));
      return seen.length <= LINKS ? seen : [];
    };
    const [first, last] = this.timeline.base.range(), chosen = [hovered, selected].filter(what => what);
    this.offset = offset;
    context.save();
    context.beginPath();
    context.rect(first, 0, last - first, height);
    context.clip();
    for (const copy of near(run.copies, copy => copy.wait))
      this.copy(copy, 0.55, 1);
    const wide = meet => scale(meet.to) - scale(meet.from) >= 6;
    for (const meet of near(run.meets, meet => meet.kind === "barrier" && wide(meet)))
      this.meet(meet, 0.55, 1);
    for (const copy of new Set(chosen.flatMap(what => this.copiesOf(what))))
      this.chosenCopy(copy);
    for (const meet of new Set(chosen.flatMap(what => this.meetsOf(what))))
      this.chosenMeet(meet);
    for (const {row, slice, cycle} of chosen)
      this.frame(row, slice < 0 ? cycle : row.from[slice], slice < 0 ? cycle + 1 : row.to[slice],
                 this.timeline.ink.focus, 2.5);
    context.restore();
  }

  shown(row) { return this.timeline.indexOf.has(row); }
  top(row) { return this.timeline.top[this.timeline.indexOf.get(row)] - this.offset; }

  frame(row, from, to, color, width) {
    const {context, scale, base} = this.timeline, [first, last] = base.range();
    if (!this.shown(row))
      return;
    const a = Math.max(first - 4, scale(from)), b = Math.min(last + 4, scale(to));
    context.strokeStyle = color;
    context.lineWidth = width;
    if (b > first && a < last)
      context.strokeRect(a, this.top(row) + 1, Math.max(2, b - a), row.px - 2);
  }

  waitRows(wait) { return wait.rows || (wait.rows = this.timeline.run.waitRows(wait)); }

  /* From where the copy landed to the end of its wait, on the first of the waiting warps. */
  copy(copy, alpha, width) {
    const {context, scale, ink} = this.timeline, row = this.waitRows(copy.wait)[0];
    if (!row || !this.shown(copy.row) || !this.shown(row))
      return;
    const x0 = scale(copy.landed), y0 = this.top(copy.row) + copy.row.px;
    const x1 = scale(copy.wait.to), y1 = this.top(row), bend = Math.max(8, (y1 - y0) / 2);
    context.globalAlpha = alpha;
    context.strokeStyle = context.fillStyle = ink.mark;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 3, y1 - 6);
    context.lineTo(x1 + 3, y1 - 6);
    context.fill();
    context.globalAlpha = 1;
  }

  chosenCopy(copy) {
    const {ink} = this.timeline;
    this.frame(copy.row, copy.from, copy.to, ink.mark, 2);
    for (const {row, i} of copy.parts)
      this.frame(row, row.from[i], row.to[i], ink.mark, 2);
    if (!copy.wait)
      return;
    for (const row of this.waitRows(copy.wait))
      this.frame(row, copy.wait.from, copy.wait.to, ink.mark, 2);
    this.copy(copy, 1, 2.5);
  }

  /* A line through the warps at the last arrival, which has a disc; the other arrivals have a ring. */
  meet(meet, alpha, width) {
    const {context, scale, ink, run} = this.timeline;
    const come = run.arrivals(meet).filter(({row}) => this.shown(row));
    if (come.length < 2)
      return;
    const x = scale(meet.last) + 0.5, tops = come.map(({row}) => this.top(row) + row.px / 2);
    const size = Math.min(4, 1 + width);
    context.globalAlpha = alpha;
    context.strokeStyle = context.fillStyle = ink.mark;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x, Math.min(...tops));
    context.lineTo(x, Math.max(...tops));
    context.stroke();
    come.forEach(({at}, i) => {
      context.beginPath();
      context.arc(scale(at) + 0.5, tops[i], size, 0, 2 * Math.PI);
      if (at === come[come.length - 1].at)
        context.fill();
      else
        context.stroke();
    });
    context.globalAlpha = 1;
  }

  chosenMeet(meet) {
    const {ink, run} = this.timeline;
    this.frame(meet.row, meet.from, meet.to, ink.mark, 2);
    for (const {row, at} of run.arrivals(meet))
      this.frame(row, at, meet.to, ink.mark, 2);
    this.meet(meet, 1, 2.5);
  }

  /* ---- related slices ---- */

  stall({row, slice}) { return this.timeline.run.stalls[row.field.stall[slice]].name; }

  /* The copies of a copy row, of a channel's slice, or that a warp waits for. */
  copiesOf(what) {
    const {row, slice} = what, {run} = this.timeline;
    if (row.kind === "copy")
      return [row.copies[slice]];
    if (row.kind === "channel")
      return [run.copyOf.get(`${row.field.of[slice]}:${row.field.copy[slice]}`)].filter(copy => copy);
    if (row.kind !== "warp" || this.stall(what) !== "copy_wait")
      return [];
    return run.copies.filter(copy => copy.wait && copy.wait.from < row.to[slice] && copy.wait.to >= row.to[slice] &&
                                     copy.cu === row.cu && copy.launch === row.field.launch[slice] &&
                                     copy.group === row.field.group[slice]);
  }

  /* The meets of a meet row, or of a warp that waits for the others. */
  meetsOf(what) {
    const {row, slice} = what, {run} = this.timeline;
    if (row.kind === "meet")
      return [row.meets[slice]];
    if (row.kind !== "warp" || !["barrier", "copy_join", "wait_join"].includes(this.stall(what)))
      return [];
    const {pc, launch, group} = row.field;
    return run.meets.filter(meet => meet.from <= row.from[slice] && meet.to >= row.to[slice] && meet.cu === row.cu &&
                                    meet.pc === pc[slice] && meet.launch === launch[slice] &&
                                    meet.group === group[slice]);
  }
}
