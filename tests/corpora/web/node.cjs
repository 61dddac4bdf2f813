// Runs a case in Node, the way the guest runs it: `node node.cjs NAME.js`. All console output goes to stdout.
"use strict";
const { readFileSync } = require("node:fs");
process.stderr.write = process.stdout.write.bind(process.stdout);
const AsyncFunction = (async () => {}).constructor;
const source = readFileSync(process.argv[2], "utf8");
// A case sees what the guest has: the globals, and nothing of Node's own.
delete globalThis.process;
new AsyncFunction(`"use strict";\n${source}`)();
