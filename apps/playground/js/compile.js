// Unpacks and compiles the library while the browser still reads the page.

function fromBase64(text) {
  return Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
}

// Compiles the library once for all workers. The browser compiles it on another thread while this one unpacks.
export async function compile(wasm) {
  try {
    const packed = new ReadableStream({start(stream) {
      stream.enqueue(fromBase64(wasm));
      stream.close();
    }});
    const answer = new Response(packed.pipeThrough(new DecompressionStream("gzip")), {headers: {"content-type": "application/wasm"}});
    return {compiled: await WebAssembly.compileStreaming(answer)};
  } catch (error) {
    return {problem: String(error)};
  }
}
