/* From the page's data to what is drawn. A point is a run: its report, timeline, lanes and source (docs/page.md). */

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/* A track's columns as typed arrays, differences undone. */
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

/* Items {from, to} in lanes in which none overlaps another. */
function inLanes(items) {
  const free = [], lanes = [];
  for (const item of items) {
    let lane = free.findIndex(end => end <= item.from);
    if (lane < 0)
      lane = free.push(0) - 1, lanes.push([]);
    free[lane] = item.to;
    lanes[lane].push(item);
  }
  return lanes;
}

/* A copy releases the first wait for its event, of its work-group, that begins after its issue. */
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

/* Cycles in which how many of a track's events were going on: {x, y}, y[i] from x[i] to x[i + 1]. */
function steps(track) {
  const up = track.from, down = Float64Array.from(track.to).sort(), x = [], y = [];
  let level = 0;
  for (let i = 0, j = 0; j < down.length;) {
    const now = i < up.length ? Math.min(up[i], down[j]) : down[j];
    while (i < up.length && up[i] === now)
      level++, i++;
    while (j < down.length && down[j] === now)
      level--, j++;
    x.push(now);
    y.push(level);
  }
  return {x: Float64Array.from(x), y: Float64Array.from(y), top: y.reduce((a, b) => Math.max(a, b), 1)};
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
    this.copies = joinCopies(this.tracks);
    this.copyOf = new Map(this.copies.map(copy => [`${copy.cu}:${copy.copy}`, copy]));
    this.end = Math.max(1, ...this.launches.map(launch => launch.start + launch.cycles));
    this.cus = [...new Set(this.tracks.map(track => track.cu))].sort((a, b) => a - b);
    this.rows = this.cus.flatMap(cu => this.rowsOf(cu, looks));
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

  rowsOf(cu, looks) {
    const of = kind => this.tracks.filter(track => track.cu === cu && track.kind === kind);
    const rows = this.cus.length > 1 ? [{kind: "title", cu, name: `compute unit ${cu}`, height: 20}] : [];
    const slices = (track, name, height, colour) =>
        ({...track, name, height, colour: Uint8Array.from(track.from, (_, i) => colour(i))});
    rows.push(...this.copyRows(cu, looks));
    const stall = this.stalls.map(row => looks.number(row.name));
    for (const track of of ("warp"))
      rows.push(slices(track, `warp ${track.unit}`, 20, i => stall[track.field.stall[i]]));
    for (const track of of ("queue"))
      rows.push({
        ...track,
        area: steps(track),
        name: `DMA queue ${track.unit}`,
        height: 34,
        fill: looks.number("channel"),
        what: "descriptors"
      });
    for (const track of of ("channel"))
      rows.push(slices(track, `DMA ${track.unit >> 6} channel ${track.unit & 63}`, 18, i => {
        const copy = this.copyOf.get(`${track.field.of[i]}:${track.field.copy[i]}`);
        return looks.number(copy && !copy.to_lds ? "copy to memory" : "copy to LDS");
      }));
    const user = unit => unit ? `DMA ${unit - 1}` : "warps";
    for (const track of of ("passed"))
      rows.push(slices(track, `port, ${user(track.unit)}`, 14, i => looks.number(track.field.kind[i])));
    for (const track of of ("served"))
      rows.push({
        ...track,
        area: steps(track),
        name: `memory, ${user(track.unit)}`,
        height: 34,
        fill: looks.number(track.unit ? "dma_read" : "load"),
        what: "messages under way"
      });
    return rows;
  }

  /* A copy is a slice until it has landed, and a pale one from then until the wait for it is over. */
  copyRows(cu, looks) {
    return inLanes(this.copies.filter(copy => copy.cu === cu)).map((lane, number) => {
      const from = [], to = [], colour = [], copies = [];
      for (const copy of lane) {
        from.push(copy.from), to.push(copy.landed), copies.push(copy);
        colour.push(looks.number(copy.to_lds ? "copy to LDS" : "copy to memory"));
        if (copy.to > copy.landed)
          from.push(copy.landed), to.push(copy.to), copies.push(copy),
              colour.push(looks.number("landed, not waited for yet"));
      }
      const row = {
        kind: "copy",
        cu,
        unit: number,
        name: number ? "" : "copies",
        height: 16,
        copies,
        field: {},
        from: Float64Array.from(from),
        to: Float64Array.from(to),
        colour: Uint8Array.from(colour)
      };
      for (const copy of lane)
        copy.row = row;
      return row;
    });
  }

  /* Rows of warps of the wait's work-group, at its end. */
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

/* The slice that has the cycle, or -1. */
function sliceAt(row, cycle) {
  const i = firstAfter(row, cycle);
  return i < row.from.length && row.from[i] <= cycle ? i : -1;
}
