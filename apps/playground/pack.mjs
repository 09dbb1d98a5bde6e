// Builds the page: node pack.mjs MODULE PICTURE FOLDER. MODULE is the folder of emscripten's loader.js and loader.wasm;
// PICTURE is the file of the picture that the page shows before the library is loaded.
//
// A page that is opened as a file may load only classic scripts: no modules, no fetch, no worker from a file. So the
// modules of js/ become one script, a second script holds the library as text, and a third holds the worker's code.
import {copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {Script} from "node:vm";
import {gzipSync} from "node:zlib";

const [built, picture, folder] = process.argv.slice(2);
const source = dirname(fileURLToPath(import.meta.url));
const read = (...path) => readFileSync(join(...path), "utf8");
const IMPORT = /^import .* from "\.\/(.*)";\n/gm;

// Returns the text of a file of js/ after the texts of the files that it imports. No file occurs twice.
function withImports(name, seen = new Set()) {
  if (seen.has(name)) return "";
  seen.add(name);
  const text = read(source, "js", name);
  const before = [...text.matchAll(IMPORT)].map(([, other]) => withImports(other, seen)).join("");
  return `${before}\n// ${name}\n${text.replace(IMPORT, "").replace(/^export /gm, "")}`;
}

// Returns the library's catalogue and its answer to the first example, so that the page need not wait for the library.
async function firstAnswers(loader, wasm, example) {
  globalThis.self = {location: {href: ""}};
  const make = new Function(`${loader}\n${withImports("call.js")}\n${withImports("state.js")}\nreturn {loadStrew, callStrew, parseFragment};`);
  const {loadStrew, callStrew, parseFragment} = make();
  const library = await loadStrew({instantiateWasm(imports, done) {
    WebAssembly.instantiate(wasm, imports).then(({instance}) => done(instance));
    return {};
  }});
  const catalogue = callStrew(library, {do: "catalogue"});
  const call = await parseFragment(example, catalogue);
  return {catalogue, first: callStrew(library, {do: "run", ...call, inputs: Object.values(call.operands)})};
}

const loader = read(built, "loader.js");
const wasm = readFileSync(join(built, "loader.wasm"));
const packed = gzipSync(wasm, {level: 9});
const examples = JSON.parse(read(source, "examples.json"));
const library = {
  ...await firstAnswers(loader, wasm, examples[0].call),
  examples,
  wasm: packed.toString("base64"),
};

rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});
for (const name of ["playground.css", "icon.svg"]) copyFileSync(join(source, name), join(folder, name));
// The page loads worker.js first, since a worker starts slowly, then strew.js, which holds the library. Both load
// asynchronously; the page's script waits for both and for the document. The page can also run the library itself, so
// that the first call need not wait for the worker.
writeFileSync(join(folder, "worker.js"), `function strewMeans() {${loader}${withImports("call.js")}
return {callStrew, loadCompiled};
}
const STREW_WORKER = {...strewMeans(), code: URL.createObjectURL(new Blob([
  \`const {callStrew, loadCompiled} = (\${strewMeans})();\`, ${JSON.stringify(withImports("worker.js", new Set(["call.js"])))}], {type: "text/javascript"}))};
STREW_WORKER.first = new Worker(STREW_WORKER.code);
dispatchEvent(new Event("strew"));
`);
writeFileSync(join(folder, "strew.js"), `const STREW = ${JSON.stringify(library)};
{${withImports("compile.js")}STREW.compiling = compile(STREW.wasm);}
dispatchEvent(new Event("strew"));
`);
const page = `"use strict";
function strewPage() {${withImports("main.js")}}
function strewBegins() {
  if (typeof STREW === "undefined" || typeof STREW_WORKER === "undefined") return;
  removeEventListener("strew", strewBegins);
  strewPage();
}
addEventListener("strew", strewBegins);
strewBegins();
`;
new Script(page); // throws if two files declare the same name
writeFileSync(join(folder, "playground.js"), page);

// Moves the style of the picture to a file, because the page's policy allows no style inside the page.
const first = read(picture);
const style = /<style>(.*)<\/style>\n/.exec(first);
writeFileSync(join(folder, "picture.css"), `${style[1]}\n`);
writeFileSync(join(folder, "index.html"), read(source, "index.html").replace("<!-- the first picture -->", () => first.replace(style[0], "")));
console.log(`${folder}: the library has ${packed.length} bytes with gzip -9`);
