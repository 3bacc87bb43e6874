/* Warpwait's command line, in a worker. Requests are answered in their order. What runs for too long is ended with its
 * worker, and another worker begins. */
export class Cancelled extends Error {}

export class Engine {
  constructor() {
    this.number = 0;
    this.start();
  }

  start() {
    const worker = new Worker("worker.js");
    this.worker = worker;
    this.waiting = new Map();
    this.ready = new Promise((resolve, reject) => {
      worker.onmessage = ({data}) => "ready" in data ? data.ready ? resolve(data.version) : reject(new Error(data.err))
                                                     : this.answer(data);
      worker.onerror = event => {
        event.preventDefault();
        const error = new Error(`worker.js: ${event.message || "cannot be loaded"}`);
        reject(error);
        this.restart(error);
      };
    });
    this.ready.catch(() => {});
  }

  answer(data) {
    const wait = this.waiting.get(data.id);
    this.waiting.delete(data.id);
    if (wait)
      wait.resolve(data);
  }

  /* {status, out, err, files: {name: bytes}} */
  async run(words, files, wanted = []) {
    await this.ready;
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.worker.postMessage({id, words, files, wanted});
    });
  }

  restart(error) {
    const waiting = [...this.waiting.values()];
    this.worker.terminate();
    if (waiting.length)
      this.start();
    for (const wait of waiting)
      wait.reject(error);
  }

  cancel() {
    this.restart(new Cancelled("cancelled"));
  }
}
