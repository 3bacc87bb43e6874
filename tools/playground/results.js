/* The results of runs: the page of the last one, and texts, each in a tab. If there is room, the page is next to the
 * texts. */
import {at, download, element, whole, withPlaces} from "./dom.js";
import {Tabs} from "./tabs.js";

const PANELS =
    [["page", "Page"], ["report", "Report"], ["explain", "Explain"], ["check", "Check"], ["compare", "Compare"]];
const MOST_SHOWN = 1 << 20;                     /* characters of a text; a browser lays out all of them at once */
const ROOM = matchMedia("(min-width: 2000px)"); /* the same as in playground.css */

export class Results {
  /* `known` and `go`: the places that texts may link to; `onshow(name)`: a panel is shown; `onrun()`: Ctrl+Enter was
   * pressed in the page. */
  constructor(known, go, onshow, onrun) {
    Object.assign(this, {known, go, onshow, onrun, keys: new Map(), frame: null, html: ""});
    addEventListener("message", event => this.heard(event));
    this.tabs = new Tabs(at("results"), name => `panel-${name}`, name => this.show(name));
    ROOM.addEventListener("change", () => this.arrange());
    this.arrange();
  }

  arrange() {
    const tabs = PANELS.filter(([name]) => !ROOM.matches || name !== "page");
    this.tabs.set(tabs.map(([name, text]) => ({name, text})), this.shown);
    for (const [name, text] of PANELS)
      at(`panel-${name}`).setAttribute("aria-label", text);
    this.show(this.shown || "page");
  }

  get shown() { return this.tabs.picked; }

  show(asked) {
    const name = ROOM.matches && asked === "page" ? "report" : asked;
    this.tabs.show(name);
    for (const [other] of PANELS)
      at(`panel-${other}`).hidden = other !== name && !(ROOM.matches && other === "page");
    this.tellStale();
    this.onshow(name);
  }

  /* Sets a text and the state of the work that it belongs to. */
  setText(name, text, key) {
    const shown = text.length > MOST_SHOWN ? text.slice(0, text.lastIndexOf("\n", MOST_SHOWN) + 1) : text;
    at(`${name}-text`).replaceChildren(withPlaces(shown, this.known, this.go), this.rest(name, text, shown));
    this.filled(name, key);
  }

  /* A button that saves a truncated text. */
  rest(name, text, shown) {
    if (shown.length === text.length)
      return "";
    return element("button", {type: "button", onclick: () => download(`${name}.txt`, text, "text/plain")},
                   `The first ${whole(shown.length)} of ${whole(text.length)} characters. Save all of them`);
  }

  setPage(html, key) {
    this.frame = element("iframe", {src: "frame.html", sandbox: "allow-scripts", title: "The page of the run"});
    this.html = html;
    at("page-frame").replaceChildren(this.frame);
    this.filled("page", key);
  }

  /* A message from the frame, which has no origin: the only checks possible are its source, and that a key was just
   * pressed. */
  heard({source, data}) {
    if (!this.frame || !source || source !== this.frame.contentWindow)
      return;
    if (data === "ready" && this.html) {
      source.postMessage(this.html, "*");
      this.html = "";
    } else if (data === "run" && navigator.userActivation.isActive) {
      this.onrun();
    }
  }

  filled(name, key) {
    this.keys.set(name, key);
    at(`${name}-empty`).hidden = true;
    this.tellStale();
  }

  /* Empties all panels, for example when another example is chosen. */
  clear() {
    this.keys.clear();
    at("page-frame").replaceChildren();
    this.frame = null;
    for (const [name] of PANELS)
      at(`${name}-empty`).hidden = false;
    for (const name of ["report", "explain", "check", "compare"])
      at(`${name}-text`).replaceChildren();
    this.tellStale();
  }

  /* Sets the current state of the work; a panel for another state shows that it is stale. */
  setNow(key) {
    this.now = key;
    this.tellStale();
  }

  tellStale() {
    const key = this.keys.get(this.shown);
    at("stale").hidden = key === undefined || key === this.now;
  }
}
