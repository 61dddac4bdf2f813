// Modules of Node that scripts reach for.
for (const name of ["node:fs", "node:path", "node:buffer", "node:fs/promises"]) { const module = await import(name); console.log(name, typeof module.default); }
for (const name of ["node:util", "node:events", "node:assert", "node:crypto", "node:os", "node:child_process", "node:http", "node:stream", "node:url", "node:timers/promises", "node:worker_threads", "node:zlib", "node:readline"]) {
  try { const module = await import(name); console.log(name, "there", Object.keys(module).length > 0); } catch (error) { console.log(name, error.name); }
}
console.log(typeof process, typeof Buffer, typeof require, typeof module);
