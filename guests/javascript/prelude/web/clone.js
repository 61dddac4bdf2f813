// structuredClone: deep copies of everything but functions, symbols and class identity.

export default ({ native, primordials, args, kindOf, DOMException }) => {
  const {
    arrayBufferByteLength, arrayBufferMaxByteLength, arrayBufferResizable, arrayBufferSlice, arrayBufferTransfer, arrayPush, bigIntValueOf, booleanValueOf,
    dataViewBuffer, dataViewByteLength, dataViewByteOffset, dateGetTime, define, mapForEach, mapGet, mapHas, mapSet, numberValueOf, objectDefineProperty,
    objectGetOwnPropertyDescriptor, objectKeys, objectToString, regExpFlags, regExpSource, setAdd, setForEach, stringValueOf, typedArrayBuffer,
    typedArrayByteOffset, typedArrayLength, typedArrayTag, functionToString, symbolToString,
    ArrayBuffer, DataView, Date, Error, Map, Object, RegExp, Set, TypeError, Uint8Array,
  } = primordials;
  const VIEWS = { __proto__: null };
  for (const name of ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
    "Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"]) {
    if (globalThis[name] !== undefined) VIEWS[name] = globalThis[name];
  }
  const ERRORS = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const BOXED = { __proto__: null, number: numberValueOf, string: stringValueOf, boolean: booleanValueOf, bigint: bigIntValueOf };

  const refuse = (what) => {
    throw new DOMException(`${what} could not be cloned.`, "DataCloneError");
  };
  const named = (value, kind) => {
    if (typeof value === "symbol") return symbolToString(value);
    if (typeof value === "function") return functionToString(value);
    if (kind === "proxy") return "#<Object>";
    return kind === "symbol" || kind === "generator" ? objectToString(value) : `#<${nameOf(value)}>`;
  };
  const nameOf = (value) => {
    const { constructor } = value;
    return typeof constructor === "function" && typeof constructor.name === "string" ? constructor.name : "Object";
  };
  const put = (target, key, value) =>
    objectDefineProperty(target, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  class Cloning {
    constructor() {
      this.copies = new Map();
    }

    value(value) {
      if (value === null || (typeof value !== "object" && typeof value !== "function")) {
        return typeof value === "symbol" ? refuse(named(value)) : value;
      }
      if (mapHas(this.copies, value)) return mapGet(this.copies, value);
      if (typeof value === "function") refuse(named(value));
      return this.object(value, kindOf(value));
    }

    keep(original, copy) {
      mapSet(this.copies, original, copy);
      return copy;
    }

    object(value, kind) {
      switch (kind) {
        case undefined:
        case "arguments": return this.properties(value, this.keep(value, {}));
        case "array": return this.array(value);
        case "date": return this.keep(value, new Date(dateGetTime(value)));
        case "regexp": return this.keep(value, new RegExp(regExpSource(value), regExpFlags(value)));
        case "map": return this.map(value);
        case "set": return this.set(value);
        case "error": return this.error(value);
        case "domException": return this.keep(value, new DOMException(value.message, value.name));
        case "arrayBuffer": return this.keep(value, this.buffer(value));
        case "sharedArrayBuffer": return value;
        case "temporal": return this.keep(value, native.temporal.convert(value, native.temporal.kind(value)));
        case "dataView": return this.dataView(value);
        case "typedArray": return this.typedArray(value);
        default:
          return BOXED[kind] === undefined ? refuse(named(value, kind)) : this.keep(value, Object(BOXED[kind](value)));
      }
    }

    properties(value, copy) {
      const keys = objectKeys(value);
      for (let i = 0; i < keys.length; i++) put(copy, keys[i], this.value(value[keys[i]]));
      return copy;
    }

    array(value) {
      const copy = this.keep(value, []);
      copy.length = value.length;
      return this.properties(value, copy);
    }

    map(value) {
      const copy = this.keep(value, new Map());
      const flat = [];
      mapForEach(value, (item, key) => arrayPush(flat, key, item));
      for (let i = 0; i < flat.length; i += 2) {
        const key = this.value(flat[i]);
        mapSet(copy, key, this.value(flat[i + 1]));
      }
      return copy;
    }

    set(value) {
      const copy = this.keep(value, new Set());
      const items = [];
      setForEach(value, (item) => arrayPush(items, item));
      for (let i = 0; i < items.length; i++) setAdd(copy, this.value(items[i]));
      return copy;
    }

    error(value) {
      const { name } = value;
      const copy = this.keep(value, new (ERRORS[name] ?? Error)());
      const own = (key) => objectGetOwnPropertyDescriptor(value, key);
      const hide = (key, held) => objectDefineProperty(copy, key, { __proto__: null, value: held, writable: true, configurable: true });
      const message = own("message");
      if (message !== undefined && "value" in message) hide("message", `${message.value}`);
      if (typeof value.stack === "string") hide("stack", value.stack);
      const cause = own("cause");
      if (cause !== undefined && "value" in cause) hide("cause", this.value(cause.value));
      return copy;
    }

    buffer(value) {
      const copy = arrayBufferSlice(value, 0, arrayBufferByteLength(value));
      if (!arrayBufferResizable(value)) return copy;
      const resizable = new ArrayBuffer(arrayBufferByteLength(value), { maxByteLength: arrayBufferMaxByteLength(value) });
      new Uint8Array(resizable).set(new Uint8Array(copy));
      return resizable;
    }

    typedArray(value) {
      const buffer = this.value(typedArrayBuffer(value));
      const View = VIEWS[typedArrayTag(value)];
      return this.keep(value, new View(buffer, typedArrayByteOffset(value), typedArrayLength(value)));
    }

    dataView(value) {
      const buffer = this.value(dataViewBuffer(value));
      return this.keep(value, new DataView(buffer, dataViewByteOffset(value), dataViewByteLength(value)));
    }

    // Moves the buffers into the copy. They are detached only if all of them can be.
    transfer(list) {
      for (let i = 0; i < list.length; i++) {
        const buffer = list[i];
        if (kindOf(buffer) !== "arrayBuffer") throw args.coded(new TypeError("Found invalid object in transferList"), "ERR_INVALID_TRANSFER_OBJECT");
        if (buffer.detached) throw new DOMException("An ArrayBuffer is detached and could not be cloned.", "DataCloneError");
        for (let j = 0; j < i; j++) {
          if (list[j] === buffer) throw new DOMException("Transfer list contains duplicate ArrayBuffer", "DataCloneError");
        }
      }
    }
  }

  const structuredClone = function structuredClone(value, options) {
    args.require(arguments.length, "value");
    const transferred = [];
    if (options?.transfer !== undefined && options.transfer !== null) for (const item of options.transfer) arrayPush(transferred, item);
    const cloning = new Cloning();
    cloning.transfer(transferred);
    // What is transferred is copied like the rest, and taken from its owner once nothing can fail any more.
    const copy = cloning.value(value);
    for (let i = 0; i < transferred.length; i++) arrayBufferTransfer(transferred[i]);
    return copy;
  };
  define(globalThis, { structuredClone });
  return {};
};
