// `error.stack` as V8 words it: a first line with name and message, then the frames of the script alone. The engine's own
// stack has neither that line nor a view of which frames belong to the prelude.

export default ({ primordials }) => {
  const {
    arrayJoin, arrayPush, define, errorToString, objectDefineProperty, objectGetOwnPropertyDescriptor, reflectApply, stringIncludes,
    stringSplit, stringStartsWith,
  } = primordials;
  const { get } = objectGetOwnPropertyDescriptor(Error.prototype, "stack");
  const { captureStackTrace } = Error;

  // The frames of an engine's stack text that are not the prelude's, a line each; "" if there are none.
  const scriptFrames = (stack) => {
    const lines = stringSplit(stack, "\n");
    const frames = [];
    for (let i = 0; i < lines.length; i++) {
      if (stringStartsWith(lines[i], "    at ") && !stringIncludes(lines[i], "(ampoule:")) arrayPush(frames, lines[i]);
    }
    return arrayJoin(frames, "\n");
  };

  const headed = (error, stack) => {
    if (typeof stack !== "string") return stack;
    const frames = scriptFrames(stack);
    const heading = errorToString(error);
    return frames === "" ? heading : `${heading}\n${frames}`;
  };

  const hold = (error, stack) => {
    objectDefineProperty(error, "stack", { __proto__: null, value: stack, writable: true, configurable: true });
  };

  define(Error.prototype, {
    get stack() {
      return headed(this, reflectApply(get, this, []));
    },
    set stack(value) {
      hold(this, value);
    },
  });
  define(Error, {
    captureStackTrace(target, above) {
      captureStackTrace(target, above ?? Error.captureStackTrace);
      const own = objectGetOwnPropertyDescriptor(target, "stack");
      if (own === undefined || typeof own.value !== "string") return;
      hold(target, headed(target, own.value));
    },
  });
  return { headed };
};
