/* Runs Warpwait's command line in a worker. Requests are answered in order. A command that runs too long ends with its
 * worker, and another worker starts. */
export class Cancelled extends Error {}

export class Engine {
  constructor() {
    this.number = 0;
    // Resolves with the first worker that can run commands, which need not be the first one.
    this.ready = new Promise((resolve, reject) => Object.assign(this, {resolve, reject}));
    this.ready.catch(() => {});
    this.start();
  }

  start() {
    const worker = new Worker("worker.js");
    this.worker = worker;
    this.waiting = new Map();
    worker.onmessage = ({data}) => "ready" in data ? this.begun(data) : this.answer(data);
    worker.onmessageerror = () => this.lost(new Error("an answer could not be read"));
    worker.onerror = event => {
      event.preventDefault();
      this.lost(new Error(`worker.js: ${event.message || "cannot be loaded"}`));
    };
  }

  begun({ready, version, err}) {
    if (ready)
      this.resolve(version);
    else
      this.lost(new Error(err));
  }

  answer(data) {
    const wait = this.waiting.get(data.id);
    this.waiting.delete(data.id);
    if (wait)
      wait.resolve(data);
  }

  /* {status, out, err, files: {name: bytes}} */
  run(words, files, wanted = []) {
    if (!this.worker)
      this.start();
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.worker.postMessage({id, words, files, wanted});
    });
  }

  /* Starts no new worker until one is needed: an immediate second attempt to load would fail again. */
  lost(error) {
    const waiting = [...this.waiting.values()];
    this.worker.terminate();
    this.worker = null;
    this.waiting = new Map();
    this.reject(error);
    for (const wait of waiting)
      wait.reject(error);
  }

  cancel() {
    const waiting = [...this.waiting.values()];
    this.worker?.terminate();
    this.start();
    for (const wait of waiting)
      wait.reject(new Cancelled("cancelled"));
  }
}
