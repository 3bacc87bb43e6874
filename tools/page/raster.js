/* Draws slices as pixels. A row is one line of pixels, which the canvas stretches to the row's height. The cost of a
 * frame depends on the pixels and on the slices in the window, but not on how many slices share a column of pixels. A
 * pixel has the color that takes the largest part of it; its opacity is the part that slices cover. */
class Raster {
  constructor() {
    this.weight = new Float64Array(2 * DIM);
    this.used = [];
  }

  /* Draws the row's slices from `start` on into `line`, at `scale` pixels per cycle. Calls wide(i, a, b) for slices of
   * at least `least` pixels. */
  slices(row, line, start, scale, rgba, least, wide) {
    const width = line.length, {from, to, color, dim} = row;
    this.line = line, this.rgba = rgba, this.pixel = -1;
    for (let i = firstAfter(row, start); i < from.length; i++) {
      let a = (from[i] - start) * scale, b = (to[i] - start) * scale;
      if (a >= width)
        break;
      if (b - a >= least)
        wide(i, a, b);
      a = Math.max(0, a);
      b = Math.min(width, Math.max(b, a + 0.01));
      this.add(dim && dim[i] ? color[i] + DIM : color[i], a, b);
    }
    this.flush();
  }

  add(color, a, b) {
    const first = Math.floor(a), last = Math.floor(b);
    if (first !== this.pixel)
      this.flush(), this.pixel = first;
    if (first === last)
      return this.take(color, b - a);
    this.take(color, first + 1 - a);
    this.flush();
    this.line.fill(this.rgba[color], first + 1, last);
    this.pixel = last;
    if (b > last)
      this.take(color, b - last);
  }

  take(color, weight) {
    if (!this.weight[color])
      this.used.push(color);
    this.weight[color] += weight;
  }

  flush() {
    let best = -1, all = 0;
    for (const color of this.used) {
      all += this.weight[color];
      if (best < 0 || this.weight[color] > this.weight[best])
        best = color;
    }
    if (best >= 0 && this.pixel >= 0 && this.pixel < this.line.length) {
      const full = this.rgba[best], opaque = Math.max(0.4, Math.min(1, all));
      this.line[this.pixel] = (full & 0xffffff | Math.round((full >>> 24) * opaque) << 24) >>> 0;
    }
    for (const color of this.used)
      this.weight[color] = 0;
    this.used.length = 0;
  }
}

/* The highest step in each of `width` columns. */
function columnsOf(area, start, scale, width) {
  const columns = new Float64Array(width), {x, y} = area;
  let low = 0, high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] <= start)
      low = middle + 1;
    else
      high = middle;
  }
  for (let i = Math.max(0, low - 1); i < x.length; i++) {
    const a = Math.max(0, Math.floor((x[i] - start) * scale));
    const b = i + 1 < x.length ? Math.min(width - 1, Math.floor((x[i + 1] - start) * scale)) : a;
    if (a >= width)
      break;
    for (let column = a; column <= b; column++)
      if (columns[column] < y[i])
        columns[column] = y[i];
  }
  return columns;
}
