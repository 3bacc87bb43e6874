/* The playground: runs examples and the reader's versions of them with Warpwait's command line, and shows the
 * results. */
import {at, download, element, whole, withPlaces} from "./dom.js";
import {Editor} from "./editor.js";
import {Cancelled, Engine} from "./engine.js";
import {Parameters} from "./parameters.js";
import {Results} from "./results.js";
import {TEMPLATES} from "./templates.js";
import {
  emptyWork,
  exampleOf,
  fromFragment,
  isChanged,
  isPath,
  keep,
  MOST_TEXT,
  onkept,
  OWN,
  recall,
  toFragment
} from "./work.js";

const COMPILED = "Read-only: browsers have no clang to compile OpenCL C, so this example ships precompiled. " +
                 "You can edit its launch file, machine and parameters.";
const TRACED = "Read-only: `warpwait trace convert` made the recording from this. You can set machine and parameters.";
const KINDS = [
  ["lesson", "Lessons"], ["assembly", "Examples in assembly"], ["opencl", "Examples in OpenCL C"],
  ["trace", "A recorded trace"], ["template", "Templates"]
];
const TEXT = /\.(wws|cl|json|ini|txt)$/;
const KEEP_AFTER = 300; /* milliseconds after the last edit */
const LONG = 250;       /* milliseconds until the clock appears */

let catalog, examples, example, works, work, undo;
let engine, editor, parameters, results;
let busy = null, last = null, baseline = null, keeping = 0;
let editing = false, warned = false, loaded = false;

// ---- the work

const binaries = new Map();
function bytes(base64) {
  if (!binaries.has(base64))
    binaries.set(base64, Uint8Array.from(atob(base64), letter => letter.charCodeAt(0)));
  return binaries.get(base64);
}

const fileText = path => path === OWN ? work.ini : work.files[path] ?? example.files[path];

const whyNot = path => path.endsWith(".cl") ? COMPILED : path.endsWith(".wwtt") ? TRACED : "";
const hintOf = path => path === example.launch && example.defines ? compiledFor(example.defines) : "";

/* What `defines` may be other than the launch file's own: names with their values, and combinations. */
function compiledFor([own, ...others]) {
  const values = new Map(), together = [];
  for (const one of others) {
    const names = Object.keys(one).filter(name => one[name] !== own[name]);
    const [name] = names;
    if (names.length > 1)
      together.push(names.map(each => `${each} ${one[each]}`).join(" with "));
    else
      values.set(name, [...values.get(name) || [own[name]], one[name]]);
  }
  const told = [...values].map(([name, all]) => `${name} ${all.join(", ")}`).concat(together);
  return told.length ? `The program was compiled for these defines: ${told.join("; ")}.` : "";
}
const isTrace = () => example.kind === "trace";

/* The launch file, or null if it is unreadable; a trace has none. */
function launchFile() {
  try {
    return JSON.parse(fileText(example.launch)) || {};
  } catch {
    return null;
  }
}

/* The machine that the launch file names. */
function launchMachine() {
  const launch = launchFile();
  return launch ? String(launch.machine || "teaching") : "";
}

const machineText = name => (catalog.machines.find(machine => machine.name === name) || catalog.machines[0]).text;

function paths() {
  const all = new Set([...Object.keys(example.files), ...Object.keys(work.files)]);
  const rank = path => path === example.launch ? 1 : /\.(wws|cl)$/.test(path) ? 0 : 2;
  return [...all].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).concat(work.machine === OWN ? [OWN] : []);
}

const noteOf = path => path !== OWN && path in work.files ? "changed" : "";

function showFiles(path) {
  editor.load(
      paths().map(name =>
                      ({path: name, text: fileText(name), note: noteOf(name), why: whyNot(name), hint: hintOf(name)})),
      path);
}

function showBinaries() {
  const names = Object.keys(work.binary);
  at("binaries").hidden = !names.length;
  at("binaries")
      .replaceChildren(
          ...names.map(name => element("li", {}, `${name}: ${whole(bytes(work.binary[name]).length)} bytes`,
                                       element("button", {
                                         type: "button",
                                         class: "quiet",
                                         "aria-label": `Remove ${name}`,
                                         onclick: () => {
                                           delete work.binary[name];
                                           showBinaries();
                                           edited();
                                           at("add").focus();
                                         }
                                       },
                                               "✕"))));
}

/* Adds a file of the reader: a text gets a tab, other files none. It is read locally and not uploaded. */
async function addFile(file) {
  if (!isPath(file.name) || file.size > MOST_TEXT / 2) {
    showProblem(isPath(file.name)
                    ? `${file.name}: ${whole(file.size)} bytes are too many; legal: at most ${whole(MOST_TEXT / 2)}`
                    : `${file.name}: a name can have only letters, digits, '_', '-' and '.'`,
                2);
    return;
  }
  if (TEXT.test(file.name)) {
    if (file.name === OWN) {
      work.machine = OWN;
      work.ini = await file.text();
    } else {
      work.files[file.name] = await file.text();
    }
  } else {
    const content = new Uint8Array(await file.arrayBuffer());
    work.binary[file.name] = btoa(Array.from(content, byte => String.fromCharCode(byte)).join(""));
  }
  show(TEXT.test(file.name) ? file.name : editor.path);
  edited();
  tell(`Added ${file.name}.`);
}

/* Updates the whole page for the current example and work. */
function show(path) {
  editing = false;
  at("example").value = example.name;
  showLaunch();
  showFiles(path || paths()[0]);
  showBinaries();
  parameters.load(work.parameters);
  at("vary").value = work.vary;
  at("verify").checked = work.verify;
  clearProblem();
  changed();
  editing = true;
}

/* Updates what depends on the launch file's text. */
function showLaunch() {
  const launch = launchFile();
  if (launch) // while it is being edited, keep the previous state
    at("verify-label").hidden = !(launch.check && launch.check.length);
  else if (isTrace())
    at("verify-label").hidden = true;
  const named = launchMachine();
  const source = isTrace() ? "the recording's" : named ? `${named} (launch file)` : "the launch file's";
  const options = [["", source], ...catalog.machines.map(({name}) => [name, name]), [OWN, `own: ${OWN}`]];
  at("machine").replaceChildren(...options.map(([value, text]) => element("option", {value}, text)));
  at("machine").value = work.machine;
}

/* Called after each edit by the reader. */
function edited() {
  if (!editing)
    return;
  if (!undo?.lasting)
    clearUndo();
  forgetLink();
  changed();
}

/* The address no longer matches the work. */
function forgetLink() {
  if (location.hash)
    history.replaceState(null, "", location.pathname + location.search);
}

function changed() {
  at("reset").hidden = !isChanged(work);
  results.setNow(stateKey());
  clearTimeout(keeping);
  keeping = setTimeout(keepNow, KEEP_AFTER);
}

function keepNow() {
  const could = keep(example.name, work);
  if (!could && isChanged(work) && !warned) {
    warned = true;
    tell("The browser stores nothing here: your changes are lost when you close this page.");
  }
  learnValues();
}

const stateKey = () => JSON.stringify([example.name, work]);

function editFile(path, text) {
  if (path === OWN)
    work.ini = text;
  else if (text === example.files[path])
    delete work.files[path];
  else
    work.files[path] = text;
  editor.setNote(path, noteOf(path));
  if (path === example.launch)
    showLaunch();
  edited();
}

function editMachine(name) {
  if (name === OWN && !work.ini)
    work.ini = machineText(work.machine || launchMachine());
  work.machine = name;
  editing = false;
  showFiles(name === OWN ? OWN : editor.path === OWN ? paths()[0] : editor.path);
  editing = true;
  edited();
}

function choose(name) {
  if (example && keeping) // save the last edit for the previous example
    keep(example.name, work);
  example = examples.find(one => one.name === name) || examples[0];
  work = works[example.name] ||= emptyWork();
  clearUndo();
  last = null;
  results.clear();
  tellRuns();
  show();
  tell(isChanged(work) ? "With your changes." : "");
}

/* Replaces the work on `name` by `given`, and offers to undo that until the next edit. A `lasting` offer, for work that
 * a link has replaced, survives edits. */
function replaceWork(name, given, said, lasting = false) {
  const before = works[name];
  works[name] = given;
  choose(name);
  tell(said);
  if (before && isChanged(before)) {
    undo = {
      lasting,
      back: () => {
        forgetLink();
        replaceWork(name, before, "Undone.");
      }
    };
    at("undo").textContent = lasting ? "Restore my version" : "Undo";
    at("undo").hidden = false;
  }
}

function clearUndo() {
  undo = null;
  at("undo").hidden = true;
}

/* The values of the machine's parameters, for the rows that set some; an unfinished machine file may have none. */
let valuesOf = "";
async function askValues() {
  const name = work.machine || launchMachine(), key = name === OWN ? work.ini : name;
  if (!work.parameters.length || valuesOf === key || busy)
    return;
  valuesOf = key;
  const {out} = await engine.run(["params", ...(name ? ["--machine", name] : [])], {[OWN]: work.ini});
  const rows = [...out.matchAll(/^([\w.]+) +(\S+)/gm)].map(match => [match[1], match[2]]);
  if (valuesOf === key)
    parameters.setValues(new Map(rows.filter(row => row[0].includes("."))));
}

const learnValues = () => askValues().catch(() => { valuesOf = ""; }); // canceled, or no worker

// ---- requests

const pack = text => new TextEncoder().encode(text);

function request(verb, ...more) {
  const files = {};
  for (const [path, base64] of Object.entries({...example.binary, ...work.binary}))
    files[path] = bytes(base64);
  for (const path of paths())
    files[path] = fileText(path);
  const words = [verb, example.launch, "--quiet"];
  if (work.machine)
    words.push("--machine", work.machine);
  for (const [name, value] of work.parameters)
    if (name || value)
      words.push("--set", `${name}=${value}`);
  return {words: [...words, ...more], files, key: stateKey()};
}

/* Runs `task`, with the buttons, the clock and Cancel in their running state. */
async function during(what, task) {
  if (busy || !loaded)
    return;
  const start = performance.now();
  busy = what;
  clearProblem();
  tellRuns();
  tell(`${what}…`);
  const tick = setInterval(() => {
    const time = performance.now() - start;
    at("clock").textContent = time > LONG ? `${(time / 1000).toFixed(1)} s` : "";
    at("cancel").hidden = time < LONG;
  }, 100);
  try {
    const said = await task();
    const seconds = (performance.now() - start) / 1000;
    tell(said ? `${said} (${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(0)}\u00a0s)` : "");
  } catch (error) {
    tell(error instanceof Cancelled ? `${what}: cancelled.` : `${what}: failed.`);
    if (!(error instanceof Cancelled))
      showProblem(error.message, 3);
  } finally {
    clearInterval(tick);
    at("clock").textContent = "";
    if (document.activeElement === at("cancel"))
      at("run").focus();
    at("cancel").hidden = true;
    busy = null;
    tellRuns();
    learnValues();
  }
}

function cyclesOf(report) {
  const cycles = [...report.matchAll(/^cycles\s+([\d,]+)/gm)].map(match => match[1]);
  const shown = cycles.slice(0, 4).join(", ") + (cycles.length > 4 ? ", …" : "");
  return cycles.length > 1 ? `${cycles.length} launches: ${shown} cycles` : `${shown} cycles`;
}

const run = () => during("Running", async () => {
  const verb = isTrace() ? "replay" : "run";
  const vary = work.vary.trim() ? ["--html-vary", work.vary.trim()] : [];
  const verify = work.verify && !at("verify-label").hidden ? ["--verify"] : [];
  const asked = request(verb, "--html", "page.html", ...vary, ...verify);
  const again =
      request(verb, "--report", "json", ...verify); // taken now, so that edits during the run do not change it
  const answer = await engine.run(asked.words, asked.files, ["page.html"]);
  if (answer.err)
    showProblem(answer.err, answer.status);
  const page = answer.files["page.html"];
  if (!answer.out && !page)
    return "No result";
  last = {name: example.name, json: null, page, ...again, said: cyclesOf(answer.out)};
  results.setText("report", answer.out, asked.key);
  if (page)
    results.setPage(new TextDecoder().decode(page), asked.key);
  if (!["page", "report", "compare"].includes(results.shown))
    results.show(page ? "page" : "report");
  reachResults();
  if (results.shown === "compare")
    await compare();
  return answer.status ? `${last.said}; see the message` : last.said;
});

/* The JSON report of a run, made when first needed. */
async function reportOf(one) {
  if (!one.json) {
    const answer = await engine.run(one.words, one.files);
    if (!answer.out)
      throw new Error(answer.err || "no report");
    one.json = answer.out;
  }
  return one.json;
}

const tellAbout = (verb, what) => during(what, async () => {
  // There is no clang to build changed kernels.
  const asked = request(verb, ...(verb === "explain" ? ["--no-changes"] : []));
  const answer = await engine.run(asked.words, asked.files);
  if (answer.err)
    showProblem(answer.err, answer.status);
  if (!answer.out)
    return "No result";
  results.setText(verb, answer.out, asked.key);
  results.show(verb);
  for (const line of answer.out.split("\n").filter(text => text.includes(": error: ")))
    editor.mark(line.replace(": error: ", ": "));
  reachResults();
  return verb === "explain" ? "Explained" : answer.status ? "Hazards" : "No hazards";
});

async function compare() {
  if (!baseline || !last)
    return;
  const files = {"baseline.json": await reportOf(baseline), "last.json": await reportOf(last)};
  const answer = await engine.run(["diff", "baseline.json", "last.json"], files);
  if (answer.status > 1)
    showProblem(answer.err, answer.status);
  else
    results.setText("compare", answer.out || "No difference: the last run equals the baseline.\n", last.key);
}

/* Scrolls to the results if they are below the files. */
function reachResults() {
  if (matchMedia("(max-width: 999px)").matches)
    at("right").scrollIntoView({block: "start"});
}

// ---- messages ----

function tell(text) { at("status").textContent = text; }

function tellRuns() {
  for (const id of ["run", "explain", "check"])
    at(id).disabled = Boolean(busy) || !loaded;
  at("check").disabled ||= Boolean(example) && isTrace(); // check needs the kernel
  at("example").disabled = Boolean(busy);
  at("save-page").hidden = !last || !last.page;
  at("save-report").hidden = !last;
  at("save-report").disabled = Boolean(busy);
  at("baseline").disabled = Boolean(busy || !last);
  at("baseline-forget").hidden = !baseline;
  at("baseline-name").textContent = baseline ? `Baseline: ${baseline.name}, ${baseline.said}` : "";
}

const known = path => editor.has(path);
const go = (path, line, column) => editor.go(path, line, column);

function showProblem(text, status) {
  const lines = text.replace(/^warpwait: /gm, "").trim();
  at("problem").replaceChildren(withPlaces(lines, known, go));
  at("problem").hidden = false;
  at("problem").classList.toggle("mild", status === 0);
  for (const line of lines.split("\n"))
    editor.mark(line);
  parameters.mark(lines);
  if (/--html-vary/.test(lines))
    at("vary").setAttribute("aria-invalid", "true");
}

function clearProblem() {
  at("problem").hidden = true;
  at("vary").removeAttribute("aria-invalid");
  editor.clearMarks();
  parameters.clearMarks();
}

// ---- links

async function share() {
  try {
    history.replaceState(null, "", await toFragment(example.name, work));
  } catch (error) {
    showProblem(error.message, 2);
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href);
    tell("Link copied.");
  } catch {
    tell("The address bar has the link.");
  }
}

async function takeLink() {
  const {hash} = location;
  try {
    const named = exampleOf(hash), link = named ? {example: named} : await fromFragment(hash);
    if (hash !== location.hash)
      return; // a newer link has arrived
    if (!examples.some(one => one.name === link.example))
      throw new Error(`This link names the example "${link.example}", which is not available.`);
    if (busy)
      engine.cancel();
    if (named)
      choose(named);
    else
      replaceWork(link.example, link.work, "From a link.", true);
  } catch (error) {
    forgetLink();
    choose(examples[0].name);
    at("problem").replaceChildren(`${error.message} Showing the first example instead.`);
    at("problem").hidden = false;
  }
}

// ---- start ----

function listExamples() {
  at("example").replaceChildren(...KINDS.map(
      ([kind, label]) => element(
          "optgroup", {label},
          ...examples.filter(one => one.kind === kind).map(one => element("option", {value: one.name}, one.title)))));
}

function listen() {
  at("example").addEventListener("change", () => {
    forgetLink();
    choose(at("example").value);
  });
  at("machine").addEventListener("change", () => editMachine(at("machine").value));
  at("vary").addEventListener("input", () => {
    work.vary = at("vary").value;
    edited();
  });
  at("verify").addEventListener("change", () => {
    work.verify = at("verify").checked;
    edited();
  });
  at("run").addEventListener("click", run);
  at("explain").addEventListener("click", () => tellAbout("explain", "Explaining"));
  at("check").addEventListener("click", () => tellAbout("check", "Checking"));
  at("cancel").addEventListener("click", () => engine.cancel());
  at("reset").addEventListener("click", () => {
    forgetLink();
    replaceWork(example.name, emptyWork(), "Example restored.");
  });
  at("undo").addEventListener("click", () => undo && undo.back());
  at("share").addEventListener("click", share);
  at("add").addEventListener("click", () => at("added").click());
  at("added").addEventListener("change", async () => {
    const [file] = at("added").files;
    if (file)
      await addFile(file);
    at("added").value = "";
  });
  at("save-page").addEventListener("click", () => download(`${last.name}.html`, last.page, "text/html"));
  at("save-report").addEventListener("click", () => during("Report", async () => {
                                                download(`${last.name}.json`, await reportOf(last), "application/json");
                                                return "Saved";
                                              }));
  at("baseline").addEventListener("click", () => {
    baseline = last;
    during("Comparing", async () => {
      await compare();
      return `Baseline: ${baseline.said}`;
    });
  });
  at("baseline-forget").addEventListener("click", () => {
    baseline = null;
    tellRuns();
    at("baseline").focus();
  });
  document.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  addEventListener("hashchange", () => location.hash && takeLink());
  addEventListener("pagehide", () => example && keep(example.name, work));
  onkept(theirs => { works = {...theirs, [example.name]: work}; });
}

async function load(name) {
  const answer = await fetch(name).catch(() => ({ok: false, status: "the server does not respond"}));
  if (!answer.ok)
    throw new Error(`${name}: ${answer.status}${answer.statusText ? ` ${answer.statusText}` : ""}`);
  return answer.json().catch(() => { throw new Error(`${name}: the file has changed`); });
}

async function begin() {
  engine = new Engine();
  catalog = await load("examples.json");
  examples = [...catalog.examples, ...TEMPLATES];
  editor = new Editor(editFile);
  results = new Results(known, go, name => {
    if (name === "compare" && baseline && last && !busy)
      during("Comparing", async () => {
        await compare();
        return "Compared";
      });
  }, run);
  parameters = new Parameters(catalog.parameters, () => {
    work.parameters = parameters.pairs();
    edited();
  });
  const kept = recall();
  works = kept.works;
  listExamples();
  listen();
  if (location.hash)
    await takeLink();
  else
    choose(examples.some(one => one.name === kept.current) ? kept.current : examples[0].name);
  at("version").textContent = `Warpwait ${catalog.version}`;
  const said = at("status").textContent;
  tell("Loading…");
  await engine.ready;
  tell(said);
  loaded = true;
  tellRuns();
  document.body.dataset.ready = "yes";
}

begin().catch(error => {
  tell("The playground cannot run here.");
  at("problem").textContent = error.message;
  at("problem").hidden = false;
  document.body.dataset.ready = "no";
});
