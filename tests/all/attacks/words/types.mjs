// Writes the types that jco makes of a world `program`: `node types.mjs PACKAGES WIT OUT`. Those of components are in `OUT/guest`, those of who runs them in `OUT/host`.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [packages, wit, out] = process.argv.slice(2);
const inside = (file) => import(pathToFileURL(path.join(packages, "node_modules/@bytecodealliance", file)));

// jco is a component itself, and sees the folders that it is given.
const { _setPreopens } = await inside("preview2-shim/dist/nodejs/filesystem.js");
_setPreopens({ "/": "/" });
const { generateGuestTypes, generateHostTypes } = await inside("jco-transpile/dist/index.js");

for (const [kind, generate] of Object.entries({ guest: generateGuestTypes, host: generateHostTypes })) {
  const files = await generate(wit, { name: "program", worldName: "program", outDir: path.join(out, kind) });
  for (const [file, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }
}
