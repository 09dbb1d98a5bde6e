// Runs the library, so that the page stays alive whatever a call takes. emscripten's loadStrew stands before it.
import {callStrew} from "./call.js";

let begin;
const library = new Promise((made) => { begin = made; });

// The first message is the compiled library, or why there is none.
function load({compiled, problem}) {
  if (problem) return Promise.reject(new Error(problem));
  return new Promise((made, failed) => {
    loadStrew({instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then(done, failed);
      return {};
    }}).then(made, failed);
  });
}

onmessage = async ({data}) => {
  if (data.number === undefined) {
    begin(load(data));
    return;
  }
  const {number, request, bytes} = data;
  try {
    postMessage({number, answer: callStrew(await library, request, bytes)});
  } catch (error) {
    postMessage({number, answer: {error: {code: "fault", message: String(error)}, restart: true}});
  }
};
