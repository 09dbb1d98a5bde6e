// The library in a worker: one call after the other, each ended after a while.

const PATIENCE = 5000; // ms

export class Module {
  #worker = null;
  #waiting = new Map(); // number of a call: {resolve, timer}
  #number = 0;

  #patience;

  constructor(patience = PATIENCE) {
    this.#patience = patience;
    this.#start();
  }

  #start() {
    this.#worker = new Worker(new URL("worker.js", import.meta.url), {type: "module"});
    this.#worker.onmessage = ({data}) => {
      this.#answer(data.number, data.answer);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#end({code: "fault", message: event.message || "the module could not be loaded"});
    };
  }

  #answer(number, answer) {
    const waiting = this.#waiting.get(number);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    this.#waiting.delete(number);
    waiting.resolve(answer);
  }

  #end(error) {
    this.#worker.terminate();
    for (const number of [...this.#waiting.keys()]) this.#answer(number, {error});
    this.#start();
  }

  // The answer to a request, an object as bridge.cc says. `bytes` is an ArrayBuffer that goes along.
  call(request, bytes) {
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve) => {
      const message = `stopped after ${this.#patience / 1000} s`;
      const timer = setTimeout(() => this.#end({code: "unsupported", message}), this.#patience);
      this.#waiting.set(number, {resolve, timer});
      this.#worker.postMessage({number, request, bytes}, bytes ? [bytes] : []);
    });
  }
}
