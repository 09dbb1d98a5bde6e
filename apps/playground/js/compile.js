// The library is unpacked and compiled while the page is still read.

function fromBase64(text) {
  return Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
}

// Compiled once, however many workers run it. The browser does so beside the page, while it unpacks.
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
