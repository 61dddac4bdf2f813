// Every property of every built-in class replaced by one that throws, and then the classes themselves. The prelude kept what it
// needs, so that most of it works; what does not throws an ordinary error.
const { log, error, table, dir, count, group, groupEnd, assert } = console;
const boom = () => { throw "polluted"; };
const web = { setTimeout, structuredClone, TextEncoder, TextDecoder, URL, URLSearchParams, AbortController, EventTarget, Event, crypto, atob, btoa, Temporal };
const samples = [new Map([[1, { a: [1, 2] }]]), new Set([1]), new Date(0), new RangeError("err", { cause: [1] }), [1, 2, 3], { a: { b: "it's" } }, () => {}, /x/g, new BigUint64Array(1), Promise.resolve(1), 10n, Symbol("s"), Object(1)];
const classes = [Object, Function, Array, String, Number, Boolean, Symbol, BigInt, RegExp, Map, Set, WeakMap, WeakSet, Date, Error, TypeError, Promise, Iterator, ArrayBuffer, DataView, Uint8Array, Object.getPrototypeOf(Uint8Array), URL, URLSearchParams, AbortSignal, AbortController, EventTarget, Event, TextEncoder, TextDecoder];
const todo = [];
for (const owner of classes) {
  for (const target of [owner, owner.prototype]) {
    for (const name of Reflect.ownKeys(target)) if (name !== "prototype") todo.push({ target, name });
  }
}
for (const target of [Reflect, JSON, Math, console, Intl]) for (const name of Reflect.ownKeys(target)) todo.push({ target, name });
const globals = ["Array", "Map", "Set", "String", "Number", "Object", "Error", "TypeError", "RangeError", "Symbol", "Reflect", "JSON", "Math", "Promise", "Uint8Array", "Date", "RegExp", "DOMException", "ArrayBuffer", "Intl", "queueMicrotask"];
const define = Object.defineProperty;
for (let i = 0; i < todo.length; i++) {
  try {
    define(todo[i].target, todo[i].name, { get: boom, set: boom, configurable: true });
  } catch {
    // It can't be replaced.
  }
}
for (let i = 0; i < globals.length; i++) globalThis[globals[i]] = boom;

log("string", 1, -0, 10n, true, null, undefined);
log("%s %d %j %o", "a", 1, 2, 3);
for (let i = 0; i < samples.length; i++) log(samples[i]);
error("err");
table(samples[4]);
group("g");
count();
groupEnd();
assert(false, "x");
dir(samples[5]);
const step = (name, f) => {
  try {
    log(name, f());
  } catch {
    log(name, "threw");
  }
};
step("clone", () => web.structuredClone(samples[0]));
step("encode", () => new web.TextEncoder());
step("decode", () => new web.TextDecoder());
step("url", () => new web.URL("http://a/?b=c"));
step("params", () => new web.URLSearchParams("a=1"));
step("base64", () => web.atob(web.btoa("x")));
step("uuid", () => web.crypto);
step("abort", () => new web.AbortController());
step("event", () => new web.EventTarget());
step("number", () => (1234.5).toLocaleString());
step("temporal", () => web.Temporal.PlainDate.from({ year: 2026, month: 11, day: 29 }).add({ months: 1 }));
step("timer", () => web.setTimeout(() => log("survived"), 5) !== undefined);
