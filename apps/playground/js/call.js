// Instantiates the compiled library and calls it. pack.mjs puts emscripten's loadStrew before this file.

export function loadCompiled({compiled, problem}) {
  if (problem) return Promise.reject(new Error(problem));
  return new Promise((made, failed) => {
    loadStrew({instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then(done, failed);
      return {};
    }}).then(made, failed);
  });
}

// Returns the answer to a request; bridge.cc defines both objects. `bytes`: the ArrayBuffer of a file, if any.
export function callStrew(library, request, bytes) {
  const text = new TextEncoder().encode(`${JSON.stringify(request)}\0`);
  const size = bytes?.byteLength ?? 0;
  const place = library._malloc(text.length + size);
  if (place === 0) return {error: {code: "out of memory", message: "the page does not have enough memory for this"}};
  try {
    library.HEAPU8.set(text, place);
    if (size) library.HEAPU8.set(new Uint8Array(bytes), place + text.length);
    return JSON.parse(library.UTF8ToString(library._strew_call(place, place + text.length, size)));
  } finally {
    library._free(place);
  }
}
