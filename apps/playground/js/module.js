// Runs the library in a worker, one call after another, and stops calls that take too long.

const PATIENCE = 5000; // ms
const MOST_AT_ONCE = 4096; // maximum number of elements of a call that may run on the page's thread

let spare = STREW_WORKER.first; // started before the browser read the page

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
    const worker = spare ?? new Worker(STREW_WORKER.code);
    spare = null;
    this.#worker = worker;
    STREW.compiling.then((message) => worker.postMessage(message));
    this.#worker.onmessage = ({data}) => {
      this.#answer(data.number, data.answer);
      if (data.answer.restart) this.#end(data.answer.error);
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

  // Returns the answer to the first call of a page. Runs a small call on the page's thread, since a worker starts slowly.
  async firstCall(request) {
    const elements = request.inputs.reduce((sum, tensor) => sum + (tensor?.values.length ?? 0), 0);
    if (elements > MOST_AT_ONCE) return this.call(request);
    try {
      const {callStrew: call, loadCompiled: load} = STREW_WORKER;
      return call(await load(await STREW.compiling), request);
    } catch {
      return this.call(request); // its answer has the error
    }
  }

  // Returns the answer to a request, as callStrew does. Moves `bytes` to the worker.
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
