/* Turns the page's data into what is drawn. A point is a run: its report, timeline, lanes and source (docs/page.md). */

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/* A track's columns as typed arrays, with the differences summed up. */
function readTrack(track, kinds) {
  const from = Float64Array.from(track.from), to = new Float64Array(from.length);
  for (let i = 0, at = 0; i < from.length; i++) {
    at = from[i] += at;
    to[i] = at + track.cycles[i];
  }
  const field = {};
  for (const [name, type] of kinds[track.track]) {
    field[name] = track[name];
    if (type === "cycle")
      field[name] = track[name].map((value, i) => value ? from[i] + value - 1 : null);
    else if (type.includes("|"))
      field[name] = track[name].map(value => type.split("|")[value]);
  }
  return {kind: track.track, cu: track.cu, unit: track.unit, from, to, field};
}

/* A copy releases its work-group's first wait for its event that begins after the copy's issue. */
function joinCopies(tracks) {
  const waits = new Map(), copies = [];
  const key = (track, i) => `${track.field.launch[i]}:${track.field.group[i]}:${track.field.event[i]}`;
  for (const track of tracks.filter(track => track.kind === "waited"))
    for (let i = 0; i < track.from.length; i++) {
      const of = key(track, i);
      if (!waits.has(of))
        waits.set(of, []);
      waits.get(of).push({
        from: track.from[i],
        to: track.to[i],
        pc: track.field.pc[i],
        cu: track.cu,
        launch: track.field.launch[i],
        group: track.field.group[i],
        copies: []
      });
    }
  for (const list of waits.values())
    list.sort((a, b) => a.from - b.from);
  for (const track of tracks.filter(track => track.kind === "copy"))
    for (let i = 0; i < track.from.length; i++) {
      const copy = {cu: track.cu, from: track.from[i], landed: track.to[i], to: track.to[i], wait: null, parts: []};
      for (const name of Object.keys(track.field))
        copy[name] = track.field[name][i];
      copy.wait = (waits.get(key(track, i)) || []).find(wait => wait.from >= copy.from) || null;
      if (copy.wait)
        copy.wait.copies.push(copy), copy.to = Math.max(copy.to, copy.wait.to);
      copies.push(copy);
    }
  return copies.sort((a, b) => a.from - b.from || a.copy - b.copy);
}

/* Where the warps of a work-group met: {from, last, to} are the first and last arrival, and the release. */
function readMeets(tracks) {
  const meets = [];
  for (const track of tracks.filter(track => track.kind === "meet"))
    for (let i = 0; i < track.from.length; i++) {
      const meet = {cu: track.cu, from: track.from[i], to: track.to[i]};
      for (const name of Object.keys(track.field))
        meet[name] = track.field[name][i];
      meets.push(meet);
    }
  return meets.sort((a, b) => a.from - b.from || a.to - b.to);
}

class Run {
  constructor(point, looks) {
    this.timeline = point.timeline;
    this.report = point.report;
    this.lanes = point.lanes;
    this.sources = point.sources;
    this.machine = point.timeline.run.machine;
    this.launches = point.timeline.run.launches;
    this.stalls = point.timeline.run.stalls;
    this.tracks = point.timeline.tracks.map(track => readTrack(track, point.timeline.kinds));
    point.timeline.tracks = null; /* read, and as large as all the rest */
    this.copies = joinCopies(this.tracks);
    this.copyOf = new Map(this.copies.map(copy => [`${copy.cu}:${copy.copy}`, copy]));
    this.end = Math.max(1, d3.max(this.launches, launch => launch.start + launch.cycles));
    this.cus = [...new Set(this.tracks.map(track => track.cu))].sort((a, b) => a - b);
    this.meets = readMeets(this.tracks);
    this.rows = this.cus.flatMap(cu => rowsOf(this, cu, looks));
    const drawn = this.rows.filter(row => row.from && row.from.length);
    this.span =
        drawn.length ? [d3.min(drawn, row => row.from[0]), d3.max(drawn, row => d3.max(row.to))] : [0, this.end];
    for (const row of this.rows.filter(row => row.kind === "channel"))
      for (let i = 0; i < row.from.length; i++) {
        const copy = this.copyOf.get(`${row.field.of[i]}:${row.field.copy[i]}`);
        if (copy)
          copy.parts.push({row, i});
      }
  }

  code(launch, pc) {
    const of = this.launches[launch], program = of && this.timeline.run.programs[of.program];
    return (program && program.code[pc]) || {text: "", file: "", line: 0};
  }

  /* The arrivals of a meet's warps, in order: {row, slice, at}; computed once. */
  arrivals(meet) {
    if (meet.arrivals)
      return meet.arrivals;
    meet.arrivals = [];
    for (const row of this.rows.filter(row => row.kind === "warp" && row.cu === meet.cu)) {
      const {pc, launch, group} = row.field;
      let slice = firstAfter(row, meet.last);
      while (slice >= row.from.length || (slice >= 0 && row.from[slice] > meet.last))
        slice--;
      while (slice >= 0 && row.from[slice] >= meet.from - 1 &&
             !(pc[slice] === meet.pc && launch[slice] === meet.launch && group[slice] === meet.group &&
               this.stalls[row.field.stall[slice]].name === "issued"))
        slice--;
      if (slice >= 0 && row.from[slice] >= meet.from - 1)
        meet.arrivals.push({row, slice, at: row.from[slice], index: row.field.index[slice]});
    }
    return meet.arrivals.sort((a, b) => a.at - b.at);
  }

  /* Number of warps of the work-group that the timeline shows: a launch's last work-group may be smaller. */
  warpsOf(launch, group) {
    if (!this.warps) {
      this.warps = new Map();
      for (const {field} of this.rows.filter(row => row.kind === "warp"))
        for (let i = 0; i < field.index.length; i++) {
          const key = `${field.launch[i]}:${field.group[i]}`;
          this.warps.set(key, Math.max(this.warps.get(key) || 0, field.index[i] + 1));
        }
    }
    return this.warps.get(`${launch}:${group}`) || 0;
  }

  /* Rows of warps of the wait's work-group, at the end of the wait. */
  waitRows(wait) {
    return this.rows.filter(row => {
      if (row.kind !== "warp" || row.cu !== wait.cu)
        return false;
      const i = sliceAt(row, Math.max(wait.from, wait.to - 1));
      return i >= 0 && row.field.launch[i] === wait.launch && row.field.group[i] === wait.group;
    });
  }
}

/* The first slice that ends after the cycle. */
function firstAfter(row, cycle) {
  let low = 0, high = row.to.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.to[middle] <= cycle)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The slice that contains the cycle, or -1. */
function sliceAt(row, cycle) {
  const i = firstAfter(row, cycle);
  return i < row.from.length && row.from[i] <= cycle ? i : -1;
}
