// Runs a program in Node as a module, as the guest does: `node native.mjs FILE`, in a folder of its own.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const file = process.argv[2];
let source = readFileSync(file, "utf8");
if (file.endsWith(".ts")) {
  const typescript = createRequire(import.meta.url)("typescript");
  const { ModuleKind, ScriptTarget } = typescript;
  source = typescript.transpileModule(source, { compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ESNext } }).outputText;
}
const copy = join(process.cwd(), basename(file).replace(/\.[jt]s$/, ".mjs"));
writeFileSync(copy, source);
globalThis.require = createRequire(copy);
await import(pathToFileURL(copy));
