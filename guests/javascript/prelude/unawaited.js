// A promise that is used as if it were its value says so. Only what a promise lacks leads here: it costs nothing where promises
// are used as promises.
(function (native) {
  "use strict";

  const { get: getFrom } = Reflect;
  const { create, getPrototypeOf, setPrototypeOf } = Object;
  const ProxyOf = Proxy;
  const PromiseOf = Promise;
  const promisePrototype = Promise.prototype;
  const objectPrototype = Object.prototype;
  const { iterator, toPrimitive } = Symbol;
  const bare = (properties) => setPrototypeOf(properties, null);

  // Promises of calls that ended before anyone listened. All that listens reads `constructor`.
  const unheard = create(promisePrototype, bare({
    constructor: bare({
      get() {
        native.heard(this);
        return PromiseOf;
      },
      configurable: true,
    }),
  }));

  // A class that extends Promise has members of its own, which may not be there yet.
  const isPlain = (promise) => {
    const prototype = getPrototypeOf(promise);
    return prototype === promisePrototype || prototype === unheard;
  };
  // Names that programs ask any object for.
  const usual = bare({ then: 1, inspect: 1, nodeType: 1, asymmetricMatch: 1, $$typeof: 1, __esModule: 1, default: 1 });

  const noValue = bare({ string: "it is not a text yet", number: "it is not a number yet", default: "it is not a value yet" });
  const asPrimitive = function (hint) {
    native.refuse(this, noValue[hint] ?? noValue.default);
  };
  const toJSON = function () {
    native.refuse(this, "it can't be written as JSON yet");
  };
  const lacking = new ProxyOf(create(objectPrototype), bare({
    get: (target, key, promise) => {
      if (key in target || !isPlain(promise)) return getFrom(target, key, promise);
      if (typeof key === "symbol") {
        if (key === toPrimitive) return asPrimitive;
        if (key === iterator) native.refuse(promise, "it can't be iterated yet");
        return undefined;
      }
      if (key === "toJSON") return toJSON;
      if (!(key in usual)) native.refuse(promise, `it has no \`${key}\` yet`);
      return undefined;
    },
  }));
  setPrototypeOf(promisePrototype, lacking);
  return { unheard, toJSON };
});
