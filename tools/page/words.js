/* Descriptions of slices: for the tooltip, for the selection, and for screen readers. */
const SAID = 4; /* maximum number of accesses in flight in one cycle that are named */

class Words {
  constructor(run, looks) {
    this.run = run;
    this.looks = looks;
  }

  place(launch, pc) {
    const code = this.run.code(launch, pc);
    return code.line ? `${code.file}:${code.line}` : `instruction ${pc}`;
  }

  code(launch, pc) { return `${this.place(launch, pc)}  ${this.run.code(launch, pc).text}`.trim(); }

  /* Labels for a slice, longest first: the first that fits is used. A copy's number matters most. */
  names(row, i) {
    const {field, kind} = row;
    if (kind === "copy") {
      const {copy} = row.copies[i];
      return [
        row.color[i] === this.looks.number("arrived, not yet waited for") ? `${copy} landed` : `${copy} copy`, `${copy}`
      ];
    }
    if (kind === "meet")
      return [row.meets[i].kind];
    if (kind === "channel")
      return [`${field.copy[i]} copy`, `${field.copy[i]}`];
    if (kind === "passed")
      return [field.kind[i]];
    const stall = this.run.stalls[field.stall[i]].name, {text} = this.run.code(field.launch[i], field.pc[i]);
    return stall === "issued" ? [text, text.split(" ")[0]] : [stall];
  }

  copy(copy) {
    const lines = [
      `copy ${copy.copy}, ${copy.form}, ${copy.to_lds ? "global memory to LDS" : "LDS to global memory"}, ${
          plural(copy.bytes, "byte")}`,
      `issued at cycle ${whole(copy.from)} by work-group ${copy.group}, ${this.place(copy.launch, copy.pc)}`
    ];
    if (copy.handed !== null)
      lines.push(`handed over by ${whole(copy.handed)}; landed at ${whole(copy.landed)}, after ${
          plural(copy.landed - copy.from, "cycle")}`);
    lines.push(copy.wait ? `its wait, ${this.place(copy.launch, copy.wait.pc)}: cycles ${whole(copy.wait.from)} to ${
                               whole(copy.wait.to)}`
                         : "this timeline has no wait for it");
    return lines;
  }

  /* Who arrived last, and how long the others waited for it. */
  meet(meet) {
    const come = this.run.arrivals(meet), all = this.run.warpsOf(meet.launch, meet.group), last = come[come.length - 1];
    const lines = [
      `${meet.kind} of work-group ${meet.group}, ${this.code(meet.launch, meet.pc)}`,
      `cycles ${whole(meet.from)} to ${whole(meet.to)}, ${whole(meet.to - meet.from)} in all`
    ];
    if (come.length && come.length < all)
      lines.push(`${plural(all - come.length, "warp")} of ${all} had not arrived when the timeline ends`);
    else if (come.length > 1)
      lines.push(`warp ${come[0].index} came first, at ${whole(come[0].at)}; the last was warp ${last.index}, ${
          last.at === come[0].at ? "in the same cycle" : `after ${plural(last.at - come[0].at, "cycle")}`}`);
    return lines;
  }

  passes({passes, conflicts}, i) {
    return plural(passes[i], "pass", "passes") + (conflicts[i] ? `, ${whole(conflicts[i])} of them by conflicts` : "");
  }

  /* The value of an area in a cycle. */
  area(row, cycle) {
    const i = firstAfter({to: row.area.x}, cycle) - 1, {field} = row;
    const lines =
        [`cycle ${whole(cycle)}: ${i < 0 ? 0 : row.area.y[i]}${row.full ? ` of ${row.full}` : ""} ${row.what}`];
    if (row.kind !== "access" && row.kind !== "global")
      return lines;
    let more = 0;
    for (let at = 0; at < row.from.length && row.from[at] <= cycle; at++)
      if (row.to[at] > cycle && lines.length > SAID)
        more++;
      else if (row.to[at] > cycle)
        lines.push(`warp ${row.of[at]}: ${field.kind[at]}, ${this.place(field.launch[at], field.pc[at])}, ` +
                   (row.kind === "global" ? plural(field.bytes[at], "byte") : this.passes(field, at)));
    return more ? [...lines, `and ${whole(more)} more`] : lines;
  }

  describe(what) { return this.lines(what).map(tied); }

  lines({row, slice, cycle}) {
    const where = this.run.cus.length > 1 ? `CU ${row.cu}, ` : "", {field} = row;
    if (row.area)
      return [`${where}${row.name}`, ...this.area(row, cycle)];
    const from = row.from[slice], to = row.to[slice];
    const time = `cycles ${whole(from)} to ${whole(to)}, ${whole(to - from)} in all`;
    if (row.kind === "copy")
      return this.copy(row.copies[slice]);
    if (row.kind === "meet")
      return this.meet(row.meets[slice]);
    if (row.kind === "channel")
      return [
        `${where}${row.name}: copy ${field.copy[slice]}`, time,
        `${plural(field.bytes[slice], "byte")} in ${plural(field.requests[slice], "request")}`
      ];
    if (row.kind === "passed")
      return [`${where}${row.name}: ${field.kind[slice]}`, time, plural(field.bytes[slice], "byte")];
    const stall = this.run.stalls[field.stall[slice]];
    return [
      `${where}${row.name}: ${stall.name}`, stall.name === "issued" ? "issued" : `waits for ${stall.text}`, time,
      this.code(field.launch[slice], field.pc[slice]),
      `work-group ${field.group[slice]}, its warp ${field.index[slice]}`
    ];
  }
}
