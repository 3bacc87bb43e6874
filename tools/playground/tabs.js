/* A row of tabs, one of which is selected. Arrow keys, Home and End move along it. */
import {element} from "./dom.js";

export class Tabs {
  /* `panel(name)` is the id of the tab's panel. */
  constructor(list, panel, onpick) {
    Object.assign(this, {list, panel, onpick, picked: null});
    list.addEventListener("keydown", event => this.key(event));
  }

  /* [{name, text, note}]; a note, such as "changed", is shown as a dot. */
  set(tabs, picked) {
    this.tabs = tabs;
    this.list.replaceChildren(...tabs.map(tab => element("button", {
                                            type: "button",
                                            role: "tab",
                                            id: this.id(tab.name),
                                            "data-name": tab.name,
                                            "aria-controls": this.panel(tab.name),
                                            onclick: () => this.pick(tab.name),
                                          },
                                                         tab.text, this.note(tab.note))));
    this.show(picked);
  }

  note(text) { return element("span", {class: "dot", hidden: !text}, element("span", {class: "unseen"}, text || "")); }

  setNote(name, text) {
    const button = this.button(name);
    if (button)
      button.replaceChild(this.note(text), button.lastChild);
  }

  id(name) { return `${this.list.id}-${name.replace(/[^\w]/g, "-")}`; }

  button(name) { return [...this.list.children].find(button => button.dataset.name === name); }

  show(name) {
    this.picked = name;
    for (const button of this.list.children) {
      const now = button.dataset.name === name;
      button.setAttribute("aria-selected", now);
      button.tabIndex = now ? 0 : -1;
    }
  }

  pick(name) {
    this.show(name);
    this.onpick(name);
  }

  key(event) {
    const count = this.tabs.length, now = this.tabs.findIndex(tab => tab.name === this.picked);
    const next = {ArrowRight: now + 1, ArrowLeft: now - 1 + count, Home: 0, End: count - 1}[event.key];
    if (next === undefined)
      return;
    event.preventDefault();
    const {name} = this.tabs[next % count];
    this.pick(name);
    this.button(name).focus();
  }
}
