// The built-in functions that the prelude uses, as they were before any script ran: a script may change or delete
// any of them, and the prelude must keep working. `arrayPush(list, x)` stands for `list.push(x)`, and so on.

export default () => {
  const { call } = Function.prototype;
  const bind = call.bind(Function.prototype.bind);
  const uncurried = (method) => bind(call, method);
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const primordials = { __proto__: null };

  const capital = (name) => name[0].toUpperCase() + name.slice(1);
  const methods = (prefix, prototype, names) => {
    for (const name of names.split(" ")) primordials[prefix + capital(name)] = uncurried(prototype[name]);
  };
  const getters = (prefix, prototype, names) => {
    for (const name of names.split(" ")) {
      primordials[prefix + capital(name)] = uncurried(getOwnPropertyDescriptor(prototype, name).get);
    }
  };
  const statics = (prefix, owner, names) => {
    for (const name of names.split(" ")) primordials[prefix + capital(name)] = owner[name];
  };

  methods("array", Array.prototype, "includes indexOf join pop push sort");
  methods("string", String.prototype, "charCodeAt codePointAt endsWith includes indexOf lastIndexOf normalize padEnd padStart");
  methods("string", String.prototype, "repeat slice split startsWith toLowerCase toUpperCase toWellFormed trim");
  methods("regExp", RegExp.prototype, "exec");
  methods("map", Map.prototype, "delete forEach get has set");
  methods("set", Set.prototype, "add forEach");
  methods("date", Date.prototype, "getTime toISOString toString");
  methods("function", Function.prototype, "toString");
  methods("object", Object.prototype, "hasOwnProperty propertyIsEnumerable toString");
  methods("error", Error.prototype, "toString");
  methods("symbol", Symbol.prototype, "toString valueOf");
  methods("bigInt", BigInt.prototype, "toString valueOf");
  methods("number", Number.prototype, "toString toFixed valueOf");
  methods("boolean", Boolean.prototype, "valueOf");
  primordials.stringValueOf = uncurried(String.prototype.valueOf);
  primordials.functionHasInstance = uncurried(Function.prototype[Symbol.hasInstance]);

  const TypedArray = getPrototypeOf(Uint8Array);
  getters("typedArray", TypedArray.prototype, "length byteLength byteOffset buffer");
  methods("typedArray", TypedArray.prototype, "set");
  primordials.typedArrayTag = uncurried(getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get);
  getters("arrayBuffer", ArrayBuffer.prototype, "byteLength resizable maxByteLength");
  methods("arrayBuffer", ArrayBuffer.prototype, "slice transfer");
  getters("sharedArrayBuffer", SharedArrayBuffer.prototype, "byteLength");
  getters("dataView", DataView.prototype, "byteLength byteOffset buffer");
  getters("map", Map.prototype, "size");
  getters("set", Set.prototype, "size");
  getters("regExp", RegExp.prototype, "flags source");

  statics("object", Object, "defineProperty getOwnPropertyDescriptor getOwnPropertyNames getOwnPropertySymbols getPrototypeOf is keys setPrototypeOf");
  statics("reflect", Reflect, "apply construct");
  statics("json", JSON, "stringify");
  statics("math", Math, "floor max min round sqrt trunc");
  statics("number", Number, "isNaN parseFloat parseInt");
  primordials.isArray = Array.isArray;
  primordials.isView = ArrayBuffer.isView;
  primordials.symbolFor = Symbol.for;
  primordials.fromCharCode = String.fromCharCode;
  primordials.TypedArray = TypedArray;
  // The constructors themselves, since a script may replace the globals.
  for (const name of ["ArrayBuffer", "Boolean", "DataView", "Date", "Error", "Map", "Number", "Object",
    "RangeError", "RegExp", "Set", "String", "TypeError", "Uint8Array"]) {
    primordials[name] = globalThis[name];
  }

  // The language's own slice, splice and concat ask the array's constructor, which is the script's, what to make.
  primordials.arrayCopy = (list) => {
    const copy = [];
    for (let i = 0; i < list.length; i++) primordials.arrayPush(copy, list[i]);
    return copy;
  };
  primordials.arrayRemove = (list, at) => {
    for (let i = at + 1; i < list.length; i++) list[i - 1] = list[i];
    list.length -= 1;
  };
  // The engine compiles template literals to calls of this method, so that replacing it would break all of them.
  Object.defineProperty(String.prototype, "concat", { writable: false, configurable: false });

  // Defines what is not enumerable, as built-ins are.
  primordials.define = (owner, properties) => {
    const keys = Reflect.ownKeys(properties);
    for (let i = 0; i < keys.length; i++) {
      const descriptor = getOwnPropertyDescriptor(properties, keys[i]);
      descriptor.enumerable = false;
      Object.defineProperty(owner, keys[i], descriptor);
    }
  };
  // A readable name for `Object.prototype.toString` and the console.
  primordials.tagged = (constructor, tag = constructor.name) => {
    Object.defineProperty(constructor.prototype, Symbol.toStringTag, { value: tag, configurable: true });
  };
  // Web classes' members are enumerable, unlike those of built-ins.
  primordials.enumerable = (prototype, names) => {
    for (const name of names.split(" ")) Object.defineProperty(prototype, name, { enumerable: true });
  };
  return { primordials: Object.freeze(primordials) };
};
