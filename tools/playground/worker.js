// A Web Worker that runs warpwait's command line. The page sends
//   {id, words: ["run", "launch.json"], files: {"kernel.wws": text or Uint8Array}, wanted: ["page.html"]}
// and receives
//   {id, status, out, err, files: {"page.html": Uint8Array}}.
// The first message is {ready: true, version}, or {ready: false, err}. The WebAssembly is compiled once; each command
// has its own instance with its own empty file system, so nothing remains from the previous command.
"use strict";

const FOLDER = "/work", DEFECT = 3;

importScripts("warpwait.js");

// Collects text byte by byte, as Emscripten delivers it.
class Output {
  constructor() {
    this.bytes = new Uint8Array(1 << 12);
    this.length = 0;
  }

  put(byte) {
    if (this.length === this.bytes.length) {
      const more = new Uint8Array(2 * this.length);
      more.set(this.bytes);
      this.bytes = more;
    }
    this.bytes[this.length++] = byte;
  }

  text() { return new TextDecoder().decode(this.bytes.subarray(0, this.length)); }
}

function makeFolders(fs, path) {
  const parts = path.split("/").slice(0, -1);
  for (let i = 1; i <= parts.length; i++) {
    const folder = parts.slice(0, i).join("/");
    if (folder && !fs.analyzePath(folder).exists)
      fs.mkdir(folder);
  }
}

// A request of the reader that cannot be met.
class Refused extends Error {}

function writeFiles(fs, files) {
  fs.ignorePermissions = true; // there is one user, and no umask() to restrict others
  fs.mkdir(FOLDER);
  fs.chdir(FOLDER);
  for (const [path, data] of Object.entries(files || {})) {
    try {
      makeFolders(fs, path);
      fs.writeFile(path, data);
    } catch {
      throw new Refused(`${path}: this name conflicts with another file`);
    }
  }
}

function readFiles(fs, paths) {
  const files = {};
  for (const path of paths || [])
    if (fs.analyzePath(path).exists)
      files[path] = fs.readFile(path);
  return files;
}

// Why the command ended other than by exit(): a trap, or out of memory.
function reason(error) {
  const text = String(error && error.message || error).split("\n")[0];
  if (error instanceof Refused)
    return text;
  return /memory|allocation|invalid (typed )?array length/i.test(text) ? "out of memory" : `a defect: ${text}`;
}

async function run(compiled, request) {
  const out = new Output(), err = new Output();
  const answer = {id: request.id, status: DEFECT, files: {}};
  let trap = "";
  try {
    const module = await warpwait_module({
      noExitRuntime: false,
      preRun: [module => module.FS.init(() => null, byte => out.put(byte), byte => err.put(byte))],
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(compiled, imports).then(instance => done(instance, compiled));
        return {};
      },
      onAbort: what => trap = reason(what),
    });
    writeFiles(module.FS, request.files);
    answer.status = module.callMain(request.words.slice());
    answer.files = readFiles(module.FS, request.wanted);
  } catch (error) {
    trap = trap || reason(error);
  }
  if (trap)
    answer.status = DEFECT;
  answer.out = out.text();
  answer.err = err.text() + (trap ? `warpwait: ${trap}\n` : "");
  return answer;
}

// A server that does not know .wasm sends another type; compiling is slower then.
async function compile() {
  const response = await fetch("warpwait.wasm");
  if (!response.ok)
    throw new Error(`warpwait.wasm: ${response.status} ${response.statusText}`);
  const typed = /^application\/wasm *(;|$)/i.test(response.headers.get("Content-Type"));
  return typed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

async function start() {
  const compiled = await compile();
  const first = await run(compiled, {words: ["--version"]});
  if (first.status !== 0)
    throw new Error(first.err);
  return {compiled, version: first.out.trim().replace(/^warpwait /, "")};
}

const started = start();
started.then(({version}) => postMessage({ready: true, version}),
             error => postMessage({ready: false, err: `WebAssembly cannot be loaded: ${error.message}`}));

onmessage = async event => {
  const {compiled} = await started.catch(() => ({})); // the page has been informed
  if (!compiled)
    return;
  const answer = await run(compiled, event.data);
  postMessage(answer, Object.values(answer.files).map(data => data.buffer));
};
