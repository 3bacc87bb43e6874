/* Turns a run into the rows of its timeline. A row has slices, each with a color, or an area: a quantity over time.
 * Rows are grouped in bands under titles; `under` lists the titles that hide the row when closed. */

/* Distributes items {from, to} over lanes without overlaps. */
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

/* The number of a track's events in progress: {x, y}, y[i] from x[i] to x[i + 1]. */
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

/* The same for slices that contain their own quantity and do not overlap. */
function levels(track, value) {
  const x = [], y = [];
  for (let i = 0; i < track.from.length; i++) {
    if (x.length && x[x.length - 1] === track.from[i])
      y[y.length - 1] = value[i];
    else
      x.push(track.from[i]), y.push(value[i]);
    x.push(track.to[i]), y.push(0);
  }
  return {x: Float64Array.from(x), y: Float64Array.from(y), top: y.reduce((a, b) => Math.max(a, b), 1)};
}

/* Merges tracks of one kind, sorted by first cycle. `of[i]` is the unit of slice i. */
function together(tracks) {
  const all = tracks.flatMap((track, number) => Array.from(track.from, (from, i) => ({from, number, i})))
                  .sort((a, b) => a.from - b.from);
  const pick = what => all.map(({number, i}) => what(tracks[number])[i]);
  const field = Object.fromEntries(Object.keys(tracks[0].field).map(name => [name, pick(track => track.field[name])]));
  return {
    ...tracks[0],
    from: Float64Array.from(pick(track => track.from)),
    to: Float64Array.from(pick(track => track.to)),
    of: all.map(({number}) => tracks[number].unit),
    field
  };
}

const user = unit => unit ? `DMA ${unit - 1}` : "warps";

/* A copy is a slice until it has landed, then a pale one until the wait for it ends. */
function copyRows(run, cu, looks) {
  return inLanes(run.copies.filter(copy => copy.cu === cu)).map((lane, number) => {
    const from = [], to = [], color = [], copies = [];
    for (const copy of lane) {
      from.push(copy.from), to.push(copy.landed), copies.push(copy);
      color.push(looks.number(copy.to_lds ? "copy to LDS" : "copy to memory"));
      if (copy.to > copy.landed)
        from.push(copy.landed), to.push(copy.to), copies.push(copy),
            color.push(looks.number("arrived, not yet waited for"));
    }
    const row = {
      kind: "copy",
      unit: number,
      name: number ? "" : "copies",
      height: 16,
      copies,
      field: {},
      from: Float64Array.from(from),
      to: Float64Array.from(to),
      color: Uint8Array.from(color)
    };
    for (const copy of lane)
      copy.row = row;
    return row;
  });
}

/* Where the warps of a work-group met, in the colors of what they waited for. */
function meetRows(run, cu, looks) {
  const bucket = {barrier: "barrier", copy: "copy_join", wait: "wait_join", fence: "fence"};
  return inLanes(run.meets.filter(meet => meet.cu === cu)).map((lane, number) => {
    const row = {
      kind: "meet",
      unit: number,
      name: number ? "" : "meets",
      height: 14,
      meets: lane,
      field: {},
      from: Float64Array.from(lane, meet => meet.from),
      to: Float64Array.from(lane, meet => meet.to),
      color: Uint8Array.from(lane, meet => looks.number(bucket[meet.kind]))
    };
    for (const meet of lane)
      meet.row = row;
    return row;
  });
}

function slices(track, name, height, color) {
  return {...track, name, height, color: Uint8Array.from(track.from, (_, i) => color(i))};
}

function area(track, name, fill, what, steps) { return {...track, name, fill, what, area: steps, height: 34}; }

/* The bands of a compute unit: [name, rows]. */
function bandsOf(run, cu, looks) {
  const of = kind => run.tracks.filter(track => track.cu === cu && track.kind === kind), color = looks.number;
  const stall = run.stalls.map(row => color(row.name));
  const warps = of("warp").map(track => slices(track, `warp ${track.unit}`, 20, i => stall[track.field.stall[i]]));
  const queues =
      of("queue").map(track => area(track, `DMA queue ${track.unit}`, color("channel"), "descriptors", steps(track)));
  const channels =
      of("channel").map(track => slices(track, `DMA ${track.unit >> 6} channel ${track.unit & 63}`, 18, i => {
                          const copy = run.copyOf.get(`${track.field.of[i]}:${track.field.copy[i]}`);
                          return color(copy && !copy.to_lds ? "copy to memory" : "copy to LDS");
                        }));
  const banks = of("banks").map(track => ({
                                  ...area(track, `banks, ${user(track.unit)}`, color(track.unit ? "dma_read" : "lds"),
                                          "banks at work", levels(track, track.field.banks)),
                                  full: run.machine.parameters["lds.banks"]
                                }));
  const accesses =
      (kind, name, fill) => [of(kind)]
                                .filter(tracks => tracks.length)
                                .map(together)
                                .map(track => area(track, name, color(fill), "accesses in flight", steps(track)));
  const ports =
      of("passed").map(track => slices(track, `port, ${user(track.unit)}`, 14, i => color(track.field.kind[i])));
  const served =
      of("served").map(track => area(track, `memory, ${user(track.unit)}`, color(track.unit ? "dma_read" : "load"),
                                     "messages in flight", steps(track)));
  return [
    ["Copies", copyRows(run, cu, looks)], ["Warps", [...warps, ...meetRows(run, cu, looks)]],
    ["DMA", [...queues, ...channels]], ["LDS", [...banks, ...accesses("access", "LDS accesses", "lds")]],
    ["Memory", [...accesses("global", "global accesses", "memory"), ...ports, ...served]]
  ].filter(([, rows]) => rows.length);
}

/* Titles: {kind: "title", key, name, rows, level}. */
function rowsOf(run, cu, looks) {
  const many = run.cus.length > 1, bands = bandsOf(run, cu, looks), outer = many ? [`${cu}`] : [];
  const rows = bands.flatMap(([name, rows]) => {
    const key = `${cu}:${name}`;
    return [
      {kind: "title", key, name, rows: rows.length, level: outer.length, height: 18, cu, under: outer},
      ...rows.map(row => Object.assign(row, {cu, under: [...outer, key]}))
    ];
  });
  return many ? [{kind: "title", key: `${cu}`, name: `compute unit ${cu}`, rows: rows.length, level: 0, height: 20, cu,
                  under: []},
                 ...rows]
              : rows;
}
