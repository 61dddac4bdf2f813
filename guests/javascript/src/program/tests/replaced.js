// Everything that tools and results might use, replaced before they are used. Returns what they gave nevertheless.
const { keys, defineProperty } = Object;
const controller = new AbortController();
const boom = () => { throw "polluted"; };
const values = [new Map([["a", 1]]), new Set([1]), new Uint8Array([2]).buffer, new Number(3), new String("s"), [Promise.resolve(4)]];
const names = [
  "Array", "Boolean", "Error", "Function", "JSON", "Map", "Number", "Object", "Promise", "Proxy", "ReferenceError", "Reflect", "Set",
  "String", "Symbol", "SyntaxError", "TypeError", "Uint8Array", "WeakMap",
];
const replaced = [
  [Array, "from"], [Array, "isArray"], [Array.prototype, Symbol.iterator], [Array.prototype, "push"], [Array.prototype, "join"],
  [Map.prototype, Symbol.iterator], [Map.prototype, "entries"], [Map.prototype, "forEach"], [Set.prototype, Symbol.iterator],
  [Set.prototype, "forEach"], [Number.prototype, "valueOf"], [String.prototype, "valueOf"], [Function.prototype, "bind"],
  [Function.prototype, "call"], [EventTarget.prototype, "addEventListener"], [EventTarget.prototype, "removeEventListener"],
];
for (let at = 0; at < replaced.length; at++) defineProperty(replaced[at][0], replaced[at][1], { value: boom, configurable: true });
for (let at = 0; at < names.length; at++) globalThis[names[at]] = undefined;

const attempt = async (name, action) => {
  try {
    return await action();
  } catch (error) {
    return `${name}: ${error?.name}`;
  }
};
return [
  await attempt("call", () => tools.demo.echo({ a: values[0] })),
  await attempt("abortable", () => tools.demo.echo({ b: 1 }, { signal: controller.signal })),
  await attempt("search", () => tools.$search("echo").length),
  await attempt("wrong", () => tools.demo.echo([])),
  await attempt("unknown", () => tools.nope),
  await attempt("missing", () => import("./none")),
  keys(tools.demo),
  values,
];
