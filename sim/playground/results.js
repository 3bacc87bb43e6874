/* What runs have said: the page of the last one, and texts, each behind its tab. Where there is room for both, the page
 * stands beside the texts. */
import {at, element, withPlaces} from "./dom.js";
import {Tabs} from "./tabs.js";

const PANELS = [["page", "Page"], ["report", "Report"], ["explain", "Explain"], ["check", "Check"],
  ["compare", "Compare"]];
const ROOM = matchMedia("(min-width: 2000px)"); /* as in playground.css */

export class Results {
  /* `known` and `go`: the places that texts may lead to; `onshow(name)`: a panel is shown. */
  constructor(known, go, onshow) {
    Object.assign(this, {known, go, onshow, keys: new Map()});
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

  /* A text and the state that it is of. */
  setText(name, text, key) {
    at(`${name}-text`).replaceChildren(withPlaces(text, this.known, this.go));
    this.filled(name, key);
  }

  setPage(html, key) {
    const frame = element("iframe", {src: "frame.html", sandbox: "allow-scripts", title: "The page of the run"});
    const give = event => {
      if (event.source !== frame.contentWindow)
        return;
      removeEventListener("message", give);
      frame.contentWindow.postMessage(html, "*");
    };
    addEventListener("message", give);
    at("page-frame").replaceChildren(frame);
    this.filled("page", key);
  }

  filled(name, key) {
    this.keys.set(name, key);
    at(`${name}-empty`).hidden = true;
    this.tellStale();
  }

  /* Nothing is there yet, as for another example. */
  clear() {
    this.keys.clear();
    at("page-frame").replaceChildren();
    for (const [name] of PANELS)
      at(`${name}-empty`).hidden = false;
    for (const name of ["report", "explain", "check", "compare"])
      at(`${name}-text`).replaceChildren();
    this.tellStale();
  }

  /* What is edited now; a panel that is of another state says so. */
  setNow(key) {
    this.now = key;
    this.tellStale();
  }

  tellStale() {
    const key = this.keys.get(this.shown);
    at("stale").hidden = key === undefined || key === this.now;
  }
}
