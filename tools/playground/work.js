/* A piece of work: an example with the reader's changes. It is kept between visits, and can be shared as a link.
 *
 *     files: {path: text}       changed or added
 *     binary: {path: base64}    added
 *     machine                   a name, OWN, or "" for the launch file's
 *     ini                       the text of OWN
 *     parameters                [[name, value]]
 *     vary                      "KEY=VALUES"
 *     verify                    whether to run the launch file's checks */
export const OWN = "machine.ini";
const KEPT = "warpwait.playground.1";
export const MOST_TEXT = 1 << 20;
const MOST_FILES = 100, MOST_PATH = 100;

export const emptyWork = () => ({files: {}, binary: {}, machine: "", ini: "", parameters: [], vary: "", verify: false});

const isText = value => typeof value === "string" && value.length <= MOST_TEXT;
const isPair = value => Array.isArray(value) && value.length === 2 && value.every(isText);
export const isPath = path =>
    /^\w[\w.-]*(\/\w[\w.-]*)*$/.test(path) && path.length <= MOST_PATH && path !== "__proto__";
const isBase64 = value => isText(value) && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0;
const isFolder = (value, good) =>
    Boolean(value) && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length <= MOST_FILES &&
    Object.entries(value).every(([path, content]) => isPath(path) && path !== OWN && good(content));

/* A checked copy of work from outside. Throws the reason if it is invalid. */
export function takeWork(value) {
  const good = value && isFolder(value.files, isText) && isFolder(value.binary, isBase64) && isText(value.machine) &&
               isText(value.ini) && isText(value.vary) && Array.isArray(value.parameters) &&
               value.parameters.length <= 200 && value.parameters.every(isPair) && typeof value.verify === "boolean";
  if (!good)
    throw new Error("it does not contain a playground's work");
  const {files, binary, machine, ini, parameters, vary, verify} = value;
  const pairs = parameters.map(pair => [...pair]);
  return {files: {...files}, binary: {...binary}, machine, ini, parameters: pairs, vary, verify};
}

export const isChanged = work => JSON.stringify(work) !== JSON.stringify(emptyWork());

/* The saved work: {current, works: {example: work}}. Storage may be disabled, full, or contain anything. */
export function recall() {
  const kept = {current: "", works: {}};
  try {
    const value = JSON.parse(localStorage.getItem(KEPT)) || {};
    kept.current = String(value.current || "");
    for (const [name, work] of Object.entries(value.works || {}))
      if (isPath(name))
        recallOne(kept.works, name, work);
  } catch {
    // What is stored is not ours.
  }
  return kept;
}

/* Invalid work on one example does not affect the others. */
function recallOne(works, name, work) {
  try {
    works[name] = takeWork(work);
  } catch {
    delete works[name];
  }
}

/* Saves the work on one example, together with what is stored now, because another window may have changed that.
 * Returns whether it succeeded. */
export function keep(name, work) {
  const {works} = recall();
  works[name] = work;
  const changed = Object.fromEntries(Object.entries(works).filter(([, each]) => isChanged(each)));
  try {
    localStorage.setItem(KEPT, JSON.stringify({current: name, works: changed}));
    return true;
  } catch {
    return false;
  }
}

/* Calls back when another window saves work. */
export const onkept = tell => addEventListener("storage", event => event.key === KEPT && tell(recall().works));

// ---- links: "#example=" and a name; or "#1." and JSON, deflated, in base64 for URLs

/* The example, if the link only names one; undefined for other links. */
export const exampleOf = fragment => /^#example=([\w-]{1,80})$/.exec(fragment)?.[1];

const VERSION = 1, PIECE = 1024;
const DEFLATE = "deflate-raw";

/* Supplies the bytes in small pieces on demand: each piece decompresses at once, to as much as a thousand times its
 * size. */
function piecesOf(bytes) {
  let from = 0;
  return new ReadableStream({
    pull(controller) {
      if (from < bytes.length)
        controller.enqueue(bytes.slice(from, from += PIECE));
      else
        controller.close();
    },
  },
                            {highWaterMark: 0});
}

async function through(bytes, stream, most) {
  const reader = piecesOf(bytes).pipeThrough(stream).getReader();
  const pieces = [];
  for (let size = 0, piece; !(piece = await reader.read()).done;) {
    size += piece.value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw new Error("it is too long");
    }
    pieces.push(piece.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/* Throws a message if the link would be too long to open. */
export async function toFragment(example, work) {
  const text = new TextEncoder().encode(JSON.stringify({example, work}));
  if (text.length > MOST_TEXT)
    throw new Error(`Too long for a link: ${text.length} bytes; legal: at most ${MOST_TEXT}.`);
  const packed = await through(text, new CompressionStream(DEFLATE), Infinity);
  const letters = Array.from(packed, byte => String.fromCharCode(byte)).join("");
  return `#${VERSION}.` + btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/* Returns {example, work}, or throws a message. */
export async function fromFragment(fragment) {
  const match = /^#(\d{1,6})\.([\w-]+)$/.exec(fragment);
  if (!match)
    throw new Error("This link is damaged: it does not begin like a playground's link.");
  if (Number(match[1]) !== VERSION)
    throw new Error(`This link has version ${match[1]}, but this playground reads version ${VERSION}.`);
  try {
    const letters = atob(match[2].replace(/-/g, "+").replace(/_/g, "/"));
    const packed = Uint8Array.from(letters, letter => letter.charCodeAt(0));
    const text = new TextDecoder("utf-8", {
                   fatal: true
                 }).decode(await through(packed, new DecompressionStream(DEFLATE), MOST_TEXT));
    const {example, work} = JSON.parse(text);
    return {example: String(example), work: takeWork(work)};
  } catch (error) {
    const why = /^it /.test(error.message) ? error.message : "some of it is missing or changed";
    throw new Error(`This link is damaged: ${why}.`);
  }
}
