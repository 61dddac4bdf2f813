// What programs of a session have besides: `session`. And what is told of a value that they leave.
(function (native, shared) {
  "use strict";

  const { kindOf } = shared;
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const { defineProperty, setPrototypeOf } = Object;
  const { isArray } = Array;
  const { isInteger } = Number;
  const { RangeError, TypeError } = globalThis;
  const { hasOwnProperty } = Object.prototype;
  const sizeOfMap = getOwnPropertyDescriptor(Map.prototype, "size").get;
  const sizeOfSet = getOwnPropertyDescriptor(Set.prototype, "size").get;
  const bytesOfBuffer = getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get;
  const lengthOfTyped = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), "length").get;
  const bare = (properties) => setPrototypeOf(properties, null);

  const session = {
    /** Keeps a copy of what this run leaves, as another session. */
    fork(name) {
      if (typeof name !== "string" || !native.fork(name)) {
        throw new TypeError("session.fork takes a name for the copy: letters, digits, `.`, `_` and `-`, at most 64, and a letter or digit first");
      }
    },
    /** Goes back to what was there so many runs before this one, when this one ends. */
    rewind(runs = 0) {
      const back = native.back();
      if (!isInteger(runs) || runs < 0 || runs > back) {
        throw new RangeError(`session.rewind takes how many runs to undo besides this one: from 0 to ${back}`);
      }
      native.rewind(runs);
    },
    get name() {
      return native.name();
    },
  };
  const define = () => {
    if (apply(hasOwnProperty, globalThis, ["session"])) return;
    defineProperty(globalThis, "session", bare({ value: session, writable: true, enumerable: false, configurable: true }));
  };

  // The name of the class that an object was made by. Nothing of the script runs for it.
  const classOf = (object) => {
    let at = object;
    for (let depth = 0; depth < 8; depth++) {
      if (at === null || kindOf(at) === "proxy") return "object";
      const made = getOwnPropertyDescriptor(at, "constructor");
      if (made !== undefined) {
        const name = typeof made.value === "function" && kindOf(made.value) !== "proxy" && getOwnPropertyDescriptor(made.value, "name");
        return name && typeof name.value === "string" && name.value !== "" ? name.value : "object";
      }
      at = getPrototypeOf(at);
    }
    return "object";
  };
  const sizes = bare({ map: sizeOfMap, set: sizeOfSet, arrayBuffer: bytesOfBuffer, typedArray: lengthOfTyped });
  // A value's kind, and its size if it has one.
  const describe = (value) => {
    if (value === null) return ["null"];
    if (typeof value === "string") return ["string", value.length];
    if (typeof value === "function") {
      const text = kindOf(value);
      return [text === undefined || text === "proxy" ? "function" : text];
    }
    if (typeof value !== "object") return [typeof value];
    const kind = kindOf(value);
    if (kind === "proxy") return ["proxy"];
    if (isArray(value)) return ["Array", value.length];
    const size = sizes[kind];
    if (size !== undefined) return [classOf(value), apply(size, value, [])];
    return [kind === undefined || kind === "error" || kind === "date" || kind === "regexp" ? classOf(value) : kind,
      kind === undefined ? ownKeys(value).length : undefined];
  };
  return { define, describe };
});
