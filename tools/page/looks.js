/* Colors: the palette of Okabe and Ito, which is distinguishable with any color vision, plus a brown and an indigo, in
 * the families and shades of warpwait-plot. Everything drawn has a color number: stall buckets first, then the rest. */
const FAMILIES = [
  ["issued", "#009E73", {"issued": 0}],
  ["issue slots", "#F0E442", {"not_selected": 0}],
  ["execution units", "#56B4E9", {"dependency": 0, "unit": 0.4}],
  ["LDS", "#D55E00", {"lds": 0, "lds_conflict": 0.6, "lds_contention": -0.65, "lds_queue": -0.45}],
  ["global memory", "#0072B2", {"memory": 0, "memory_queue": 0.2, "fence": 0.8, "drain": -0.35}],
  ["copies", "#CC79A7", {"copy_wait": 0, "copy_data": -0.25, "dma_queue": -0.45}],
  ["other warps", "#E69F00", {"barrier": 0, "copy_join": 0.8, "wait_join": 0.4}],
  ["pipes", "#8B5A2B", {"pipe": 0.8, "pipe_empty": -0.9, "pipe_full": 0.05}],
  ["images", "#4422EE", {"texture": 0}],
];
/* Other shades for a dark background. Each has a contrast of 3 to 1 with it, which a mark needs. */
const ON_DARK = {
  "issued": -0.1,
  "dependency": -0.37,
  "lds_contention": -0.22,
  "lds_queue": 0.24,
  "memory": 0.2,
  "memory_queue": 0.44,
  "drain": 0,
  "copy_data": 0.4,
  "dma_queue": -0.31,
  "texture": 0.3,
  "pipe": 0.92,
  "pipe_empty": 0,
  "pipe_full": 0.44,
};
const OTHERS = {
  "copy to LDS": "#85406A",
  "copy to memory": "#B26B00",
  "arrived, not yet waited for": "#C9A5BB",
  "channel": "#85406A",
  "load": "#0072B2",
  "store": "#56B4E9",
  "atomic": "#D55E00",
  "prefetch": "#F0E442",
  "dma_read": "#85406A",
  "dma_write": "#E69F00",
  "other": "#9A9A9A",
};
const OTHERS_ON_DARK = {
  "copy to LDS": 0.2,
  "channel": 0.2,
  "load": 0.2,
  "dma_read": 0.2,
};
const DIM = 64; /* added to a color number: not highlighted */

function shade(color, part) {
  return [1, 3, 5]
      .map(place => parseInt(color.slice(place, place + 2), 16))
      .map(channel => Math.round(part > 0 ? channel + (255 - channel) * part : channel * (1 + part)));
}

/* Relative luminance, as WCAG defines it. */
function luminance(channels) {
  const [r, g, b] = channels.map(channel => channel / 255)
                        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/* {number(name), css[], rgba: Uint32Array, ink[]} for the current theme. Text is black where that has more contrast. */
function makeLooks() {
  const names = [], css = [], ink = [], rgba = new Uint32Array(2 * DIM);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const shades = dark ? {...ON_DARK, ...OTHERS_ON_DARK} : {};
  const add = (name, color, part) => {
    const channels = shade(color, name in shades ? shades[name] : part);
    const [r, g, b] = channels, number = names.push(name) - 1;
    css.push(`rgb(${r},${g},${b})`);
    ink.push(luminance(channels) > 0.179 ? "#000" : "#fff");
    rgba[number] = (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    rgba[number + DIM] = (56 << 24 | b << 16 | g << 8 | r) >>> 0;
  };
  for (const [, color, buckets] of FAMILIES)
    for (const [bucket, part] of Object.entries(buckets))
      add(bucket, color, part);
  for (const [name, color] of Object.entries(OTHERS))
    add(name, color, 0);
  const numbers = new Map(names.map((name, i) => [name, i]));
  return {names, css, ink, rgba, number: name => numbers.has(name) ? numbers.get(name) : numbers.get("other")};
}
const BUCKETS = FAMILIES.flatMap(([, , buckets]) => Object.keys(buckets));

const whole = d3.format(",d"), percent = d3.format(".1f");
const plural = (count, one, many = `${one}s`) => `${whole(count)} ${count === 1 ? one : many}`;
/* The text with its numbers tied to their units, so that no line ends between them. */
const tied = text => text.replace(/(^|[^\w.])(\d(?:[\d.,]*\d)?) (?=[%a-z])/gi, "$1$2\u00a0");

/* An element with attributes and children; strings become text, never markup. */
function element(name, attributes, ...children) {
  const svg = ["svg", "g", "rect", "line", "path", "text", "title"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key === "onclick")
      made.addEventListener("click", value);
    else if (value !== null && value !== undefined)
      made.setAttribute(key, value);
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}
const at = id => document.getElementById(id);
const say = (id, text) => { at(id).textContent = tied(text); };
