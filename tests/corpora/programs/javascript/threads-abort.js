const sleep = (ms, { signal } = {}) => new Promise((resolve, reject) => {
  signal?.throwIfAborted();
  const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); resolve("slept"); }, ms);
  const stop = () => { clearTimeout(timer); reject(signal.reason); };
  signal?.addEventListener("abort", stop, { once: true });
});
const controller = new AbortController(); setTimeout(() => controller.abort(), 5);
try { await sleep(1000, controller); } catch (error) { console.log(error.name, error.code, error instanceof DOMException, error instanceof Error); }
console.log(controller.signal.aborted, controller.signal.reason.message);
const custom = new AbortController(); custom.abort(new RangeError("my reason")); await sleep(1, custom).catch((e) => console.log(String(e)));
try { await sleep(1000, { signal: AbortSignal.timeout(5) }); } catch (error) { console.log(error.name, error.code); }
const [a, b] = [new AbortController(), new AbortController()]; const any = AbortSignal.any([a.signal, b.signal]); any.onabort = (event) => console.log("any:", event.type, event.target === any, any.reason); b.abort("because"); console.log(any.aborted, a.signal.aborted, AbortSignal.abort("x").reason);
const target = new EventTarget(), log = []; const handler = { handleEvent(e) { log.push(`object ${e.type}`); } };
target.addEventListener("ping", (e) => { log.push(e.detail); e.preventDefault(); }, { once: true }); target.addEventListener("ping", handler); target.addEventListener("ping", (e) => { e.stopImmediatePropagation(); log.push("stop"); }); target.addEventListener("ping", () => log.push("never"));
console.log(target.dispatchEvent(new CustomEvent("ping", { detail: { n: 1 }, cancelable: true })), target.dispatchEvent(new Event("ping"))); target.removeEventListener("ping", handler); target.dispatchEvent(new Event("ping")); console.log(log);
const cleanup = new AbortController(); let hits = 0; target.addEventListener("hit", () => hits++, { signal: cleanup.signal }); target.dispatchEvent(new Event("hit")); cleanup.abort(); target.dispatchEvent(new Event("hit")); console.log(hits);
const clone = structuredClone({ date: new Date(0), map: new Map([[1, new Set([2])]]), re: /x/gi, buf: new Uint8Array([1, 2]), big: 5n, u: undefined, nested: { a: [NaN, -0] } }); console.log(clone);
const cyclic = { name: "c" }; cyclic.self = cyclic; const copy = structuredClone(cyclic); console.log(copy.self === copy, copy); for (const bad of [() => {}, Symbol("s"), { f() {} }, new WeakMap(), Promise.resolve()]) try { structuredClone(bad); } catch (error) { console.log(error.name, error.code); }
const interval = await new Promise((done) => { let n = 0; const id = setInterval(() => { if (++n === 3) { clearInterval(id); done(n); } }, 2); }); console.log(interval, typeof setImmediate, typeof queueMicrotask);
