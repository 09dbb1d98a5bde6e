// Runs the library, so that the page stays alive whatever a call takes.
import {callStrew, loadCompiled} from "./call.js";

let begin;
const library = new Promise((made) => { begin = made; });

// The first message is what compile.js has made.
onmessage = async ({data}) => {
  if (data.number === undefined) {
    begin(loadCompiled(data));
    return;
  }
  const {number, request, bytes} = data;
  try {
    postMessage({number, answer: callStrew(await library, request, bytes)});
  } catch (error) {
    postMessage({number, answer: {error: {code: "fault", message: String(error)}, restart: true}});
  }
};
