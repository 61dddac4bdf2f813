// DOMException with a stack as other errors have it: the engine's own begins with the frames. Also atob and btoa, which throw it.

export default ({ primordials, args, headed }) => {
  const { define, objectDefineProperty, objectGetOwnPropertyDescriptor, reflectConstruct } = primordials;
  const Native = globalThis.DOMException;

  function DOMException(message = "", name = "Error") {
    if (new.target === undefined) throw new primordials.TypeError("Class constructor DOMException cannot be invoked without 'new'");
    const given = typeof name === "object" && name !== null ? name.name : name;
    const exception = reflectConstruct(Native, [message, given ?? "Error"], new.target);
    const { value } = objectGetOwnPropertyDescriptor(exception, "stack") ?? {};
    objectDefineProperty(exception, "stack", { __proto__: null, value: headed(exception, value), writable: true, configurable: true });
    if (typeof name === "object" && name !== null && "cause" in name) define(exception, { cause: name.cause });
    return exception;
  }
  for (const key of Reflect.ownKeys(Native)) {
    if (key !== "length" && key !== "name") objectDefineProperty(DOMException, key, objectGetOwnPropertyDescriptor(Native, key));
  }
  define(Native.prototype, { constructor: DOMException });

  const { atob, btoa } = globalThis;
  define(globalThis, {
    DOMException,
    atob(data) {
      args.require(arguments.length, "data");
      try {
        return atob(`${data}`);
      } catch {
        throw new DOMException("The string to be decoded is not correctly encoded.", "InvalidCharacterError");
      }
    },
    btoa(data) {
      args.require(arguments.length, "data");
      try {
        return btoa(`${data}`);
      } catch {
        throw new DOMException("Invalid character: btoa takes code points up to 255; encode other text with TextEncoder first.", "InvalidCharacterError");
      }
    },
  });
  return { DOMException };
};
