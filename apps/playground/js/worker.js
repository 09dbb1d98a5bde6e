// Runs the library in a worker, so that long calls do not block the page.
import {callStrew, loadCompiled} from "./call.js";

let begin;
const library = new Promise((made) => { begin = made; });

// Receives the result of compile.js as the first message, then requests.
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
