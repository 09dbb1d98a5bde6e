// The library in a worker: one call after the other, each ended after a while.

const PATIENCE = 5000; // ms

function fromBase64(text) {
  return Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
}

// Compiled once, however many workers run it. The browser does so beside the page, while it unpacks.
async function compile() {
  try {
    const bytes = new Blob([fromBase64(STREW.wasm)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const answer = new Response(bytes, {headers: {"content-type": "application/wasm"}});
    return {compiled: await WebAssembly.compileStreaming(answer)};
  } catch (error) {
    return {problem: String(error)};
  }
}

const code = URL.createObjectURL(new Blob([STREW.worker], {type: "text/javascript"}));
const compiling = compile();

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
    const worker = new Worker(code);
    this.#worker = worker;
    compiling.then((message) => worker.postMessage(message));
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
