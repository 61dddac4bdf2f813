// Runs a case in Node, the way the guest runs it: `node node.cjs NAME.js`. All console output goes to stdout.
"use strict";
const { readFileSync } = require("node:fs");
const { basename, join } = require("node:path");
process.stderr.write = process.stdout.write.bind(process.stdout);
const AsyncFunction = (async () => {}).constructor;
const source = readFileSync(process.argv[2], "utf8");
// Node 20 has no Temporal: npm's does what it says, and shares nothing with the guest's.
if (basename(process.argv[2]).startsWith("temporal")) require(join(process.env.AMPOULE_TEST_NODE, "node_modules/temporal-polyfill/global"));
// A case sees what the guest has: the globals, and nothing of Node's own.
delete globalThis.process;
new AsyncFunction(`"use strict";\n${source}`)();
