const log = []; const step = (name) => () => log.push(name);
setTimeout(step("timeout 0"), 0); setTimeout(step("timeout 15"), 15); 
(async () => { log.push("async start"); await null; log.push("after await"); await new Promise((r) => setTimeout(r, 5)); log.push("after 5ms"); })();
Promise.resolve().then(step("then 1")).then(step("then 2")).then(step("then 3")); queueMicrotask(() => { log.push("micro"); queueMicrotask(step("nested micro")); });
new Promise((resolve) => { log.push("executor"); resolve(); log.push("after resolve"); }).finally(step("finally")); log.push("sync end");
await new Promise((r) => setTimeout(r, 40)); console.log(log);
const races = []; const thenable = { then(resolve) { races.push("then called"); resolve("v"); } }; Promise.resolve(thenable).then(() => races.push("thenable")); Promise.resolve(Promise.resolve(1)).then(() => races.push("promise")); (async () => Promise.resolve(2))().then(() => races.push("async return")); (async () => 3)().then(() => races.push("async value")); await new Promise((r) => setTimeout(r, 1)); console.log(races);
function fib(n, memo = {}) { return n < 2 ? BigInt(n) : (memo[n] ??= fib(n - 1, memo) + fib(n - 2, memo)); } console.log(fib(150), fib.length, fib.name);
const results = []; const source = async function* () { yield* [1, Promise.resolve(2)]; return 3; }; for await (const x of source()) results.push(x); console.log(results, Object.prototype.toString.call(source()), source.constructor.name);
let caught; try { await (async () => { try { await Promise.reject(new Error("a")); } finally { throw new Error("b"); } })(); } catch (e) { caught = e.message; } console.log(caught, await (async () => { try { return await Promise.reject(1); } catch { return "recovered"; } finally { } })());
label: for (const i of [1, 2, 3]) { for (const j of [1, 2, 3]) { if (j === 2) continue label; if (i === 3) break label; console.log(i, j); } }
const unhandled = Promise.reject(new Error("handled later")); setTimeout(() => unhandled.catch(() => {}), 0); unhandled.catch((e) => console.log(e.message));
const gate = (() => { let open; const p = new Promise((r) => (open = r)); return { wait: () => p, open }; })(); const woken = []; for (const n of [1, 2, 3]) gate.wait().then(() => woken.push(n)); gate.open(); await gate.wait(); await null; console.log(woken);
class Lazy extends Promise { static get [Symbol.species]() { return Promise; } static from(fn) { return new Lazy((r) => r(fn())); } } const lazy = Lazy.from(() => 9); console.log(lazy instanceof Lazy, lazy.then((x) => x) instanceof Lazy, await lazy, lazy);
console.log(await Promise.all({ *[Symbol.iterator]() { yield 1; yield Promise.resolve(2); } }), await Promise.all([]), await Promise.allSettled("ab"), (await Promise.any([1])).toString());
