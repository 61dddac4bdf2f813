// What the guest itself does in JavaScript, with the language as it was before any script could change it.
(function (shared) {
  "use strict";

  const { primordials, kindOf } = shared;
  const {
    arrayPush, bigIntValueOf, booleanValueOf, mapForEach, numberValueOf, reflectApply, setForEach, stringValueOf,
  } = primordials;
  const PromiseOf = Promise;
  const { all } = Promise;
  const { then } = Promise.prototype;
  const valueOf = {
    __proto__: null, bigint: bigIntValueOf, boolean: booleanValueOf, number: numberValueOf, string: stringValueOf,
  };

  return {
    error: Error.prototype,
    referenceError: ReferenceError.prototype,
    syntaxError: SyntaxError.prototype,
    all: (promises) => reflectApply(all, PromiseOf, [promises]),
    start: (evaluated, namespace) => {
      const start = () => {
        const main = namespace.default;
        return main();
      };
      return reflectApply(then, evaluated, [start]);
    },
    entries: (map) => {
      const entries = [];
      mapForEach(map, (value, key) => arrayPush(entries, [key, value]));
      return entries;
    },
    items: (set) => {
      const items = [];
      setForEach(set, (item) => arrayPush(items, item));
      return items;
    },
    unboxed: (object) => valueOf[kindOf(object)]?.(object),
  };
});
