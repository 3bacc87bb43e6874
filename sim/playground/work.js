/* A piece of work: an example, and what the reader has made of it. It is kept between visits, and travels in links.
 *
 * {files: {path: text} as changed or added, binary: {path: base64} as added, machine: a name, OWN, or "" for the launch file's, ini: the text of OWN,
 *  parameters: [[name, value]], vary: "KEY=VALUES", verify: whether the launch file's checks are held} */
export const OWN = "machine.ini";
const KEPT = "warpwait.playground.1";
export const MOST_TEXT = 1 << 20;

export const emptyWork = () => ({files: {}, binary: {}, machine: "", ini: "", parameters: [], vary: "", verify: false});

const isText = value => typeof value === "string" && value.length <= MOST_TEXT;
const isPair = value => Array.isArray(value) && value.length === 2 && value.every(isText);
export const isPath = path => /^[\w][\w.-]*(\/[\w][\w.-]*)*$/.test(path);
const isBase64 = value => isText(value) && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0;
const isFolder = (value, good) => Boolean(value) && typeof value === "object" &&
    Object.entries(value).every(([path, content]) => isPath(path) && good(content));

/* A clean copy of what came from outside. Throws what is wrong with it. */
export function takeWork(value) {
  const good = value && isFolder(value.files, isText) && isFolder(value.binary, isBase64) && isText(value.machine) &&
      isText(value.ini) && isText(value.vary) && Array.isArray(value.parameters) && value.parameters.length <= 200 &&
      value.parameters.every(isPair) && typeof value.verify === "boolean";
  if (!good)
    throw new Error("it does not hold what a playground's link holds");
  const {files, binary, machine, ini, parameters, vary, verify} = value;
  return {files: {...files}, binary: {...binary}, machine, ini, parameters: parameters.map(pair => [...pair]), vary, verify};
}

export const isChanged = work => JSON.stringify(work) !== JSON.stringify(emptyWork());

/* What was kept: {current, works: {example: work}}. Storage may be switched off, full, or hold anything. */
export function recall() {
  const kept = {current: "", works: {}};
  try {
    const value = JSON.parse(localStorage.getItem(KEPT)) || {};
    kept.current = String(value.current || "");
    for (const [name, work] of Object.entries(value.works || {}))
      kept.works[name] = takeWork(work);
  } catch {
    kept.works = {};
  }
  return kept;
}

export function keep(current, works) {
  const changed = Object.fromEntries(Object.entries(works).filter(([, work]) => isChanged(work)));
  try {
    localStorage.setItem(KEPT, JSON.stringify({current, works: changed}));
  } catch {
    // Without storage the work lasts as long as the page.
  }
}

// ---- links: "#example=" and a name; or "#1." and JSON, deflated, in base64 for URLs

/* The example that a link only names; undefined of other links. */
export const exampleOf = fragment => /^#example=([\w-]{1,80})$/.exec(fragment)?.[1];

const VERSION = 1;
const DEFLATE = "deflate-raw";

async function through(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const pieces = [];
  for (let size = 0, piece; !(piece = await reader.read()).done;) {
    size += piece.value.length;
    if (size > most)
      throw new Error("it is too long");
    pieces.push(piece.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

export async function toFragment(example, work) {
  const text = new TextEncoder().encode(JSON.stringify({example, work}));
  const packed = await through(text, new CompressionStream(DEFLATE), Infinity);
  const letters = Array.from(packed, byte => String.fromCharCode(byte)).join("");
  return `#${VERSION}.` + btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/* {example, work}. Throws a sentence. */
export async function fromFragment(fragment) {
  const match = /^#(\d{1,6})\.([\w-]+)$/.exec(fragment);
  if (!match)
    throw new Error("This link is damaged: it does not begin as a playground's link does.");
  if (Number(match[1]) !== VERSION)
    throw new Error(`This link is of version ${match[1]}, and this playground knows version ${VERSION}.`);
  try {
    const letters = atob(match[2].replace(/-/g, "+").replace(/_/g, "/"));
    const packed = Uint8Array.from(letters, letter => letter.charCodeAt(0));
    const text = new TextDecoder("utf-8", {fatal: true})
        .decode(await through(packed, new DecompressionStream(DEFLATE), MOST_TEXT));
    const {example, work} = JSON.parse(text);
    return {example: String(example), work: takeWork(work)};
  } catch (error) {
    const why = /^it /.test(error.message) ? error.message : "some of it is missing or changed";
    throw new Error(`This link is damaged: ${why}.`);
  }
}
