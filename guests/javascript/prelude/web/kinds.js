// What a value really is, whatever its prototype or tag says: from the engine's own class of the object.

export default ({ native, namespace }) => {
  const { classOf } = native;
  const { proxy } = Proxy.revocable({}, {});
  const samples = {
    array: [[]],
    error: [new Error()],
    domException: [new DOMException()],
    number: [Object(1)],
    string: [Object("")],
    boolean: [Object(true)],
    symbol: [Object(Symbol.iterator)],
    bigint: [Object(1n)],
    arguments: [(function () { return arguments; })(), Function("a", "return arguments")(1)],
    date: [new Date(0)],
    regexp: [/x/],
    arrayBuffer: [new ArrayBuffer(0)],
    sharedArrayBuffer: [new SharedArrayBuffer(0)],
    dataView: [new DataView(new ArrayBuffer(0))],
    map: [new Map()],
    set: [new Set()],
    weakMap: [new WeakMap()],
    weakSet: [new WeakSet()],
    promise: [Promise.resolve()],
    proxy: [proxy],
    namespace: [namespace],
    generatorFunction: [function* () {}],
    asyncFunction: [async () => {}],
    asyncGeneratorFunction: [async function* () {}],
    generator: [(function* () {})()],
    asyncGenerator: [(async function* () {})()],
    mapIterator: [new Map().keys()],
    setIterator: [new Set().keys()],
    typedArray: [Uint8Array, Uint8ClampedArray, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array,
      Float32Array, Float64Array, BigInt64Array, BigUint64Array, globalThis.Float16Array ?? Float32Array].map((Type) => new Type()),
  };
  const kinds = { __proto__: null };
  for (const [kind, values] of Object.entries(samples)) {
    for (const value of values) kinds[classOf(value)] = kind;
  }
  // The name of an object's kind, or undefined for ordinary objects, plain functions and what is not an object.
  const kindOf = (value) => kinds[classOf(value)];
  // Kinds of which there is no sample yet.
  const addKind = (kind, sample) => {
    kinds[classOf(sample)] = kind;
  };
  return { kindOf, addKind };
};
