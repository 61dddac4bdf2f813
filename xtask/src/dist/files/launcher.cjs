#!/usr/bin/env node
// Starts the program, which is in a package of this platform's own.

"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const platform = `${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`@ampoule/${platform}/bin/ampoule`);
} catch {
  console.error(
    `ampoule: the package @ampoule/${platform} is missing. ` +
      "If it was omitted (npm's --omit=optional does that), install again without that option; " +
      "if this platform has no package, build Ampoule from source.",
  );
  process.exit(2);
}

const args = process.argv.slice(2);
if (typeof process.execve === "function") {
  // This process becomes the program: no process stands between it and its parent.
  process.execve(program, [program, ...args], process.env);
}

const child = spawn(program, args, { stdio: "inherit" });
// Signals to this process are meant for the program. A terminal's Ctrl-C reaches both by itself.
for (const signal of ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
  process.on(signal, () => child.kill(signal));
}
process.on("SIGINT", () => {
  if (!process.stdin.isTTY) child.kill("SIGINT");
});
child.on("error", (error) => {
  console.error(`ampoule: ${program} can't be started: ${error.message}`);
  process.exit(5);
});
child.on("exit", (code, signal) => {
  // 128 and the signal's number, as a shell says it.
  process.exit(signal ? 128 + os.constants.signals[signal] : code);
});
