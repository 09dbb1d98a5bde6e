// Runs the library, so that the page stays alive whatever a call takes.
import load from "../strew.mjs";

const ready = load();

async function answerTo(request, bytes) {
  const module = await ready;
  const text = new TextEncoder().encode(`${JSON.stringify(request)}\0`);
  const size = bytes?.byteLength ?? 0;
  const place = module._malloc(text.length + size);
  if (place === 0) return {error: {code: "out of memory", message: "the page has no memory for this"}};
  try {
    module.HEAPU8.set(text, place);
    if (size) module.HEAPU8.set(new Uint8Array(bytes), place + text.length);
    return JSON.parse(module.UTF8ToString(module._strew_call(place, place + text.length, size)));
  } finally {
    module._free(place);
  }
}

onmessage = async ({data: {number, request, bytes}}) => {
  const answer = await answerTo(request, bytes).catch((error) => ({error: {code: "fault", message: String(error)}}));
  postMessage({number, answer});
};
