// How the console shows errors: the stack with the class's name in it, and then what else the error carries.

export default ({ primordials, names }) => {
  const {
    arrayIncludes, arrayIndexOf, arrayPush, arrayRemove, errorToString, isArray, stringEndsWith, stringIncludes, stringIndexOf, stringRepeat,
    stringSlice, stringSplit, stringStartsWith, arrayJoin,
  } = primordials;

  const SAID = ["name", "message", "stack"];

  const read = (error, name) => {
    try {
      return error[name];
    } catch {
      return undefined;
    }
  };

  const stackOf = (error) => {
    const stack = read(error, "stack");
    if (stack) return `${typeof stack === "string" ? stack : names.ownValue(error, "message") ?? "Error"}`;
    try {
      return errorToString(error);
    } catch {
      return "Error";
    }
  };

  const isHeading = (stack, name) =>
    stringStartsWith(stack, name) && (stack.length === name.length || stack[name.length] === ":" || stack[name.length] === "\n");

  // Puts the class's name into the heading, which has only the `name` property.
  const withClass = (stack, error, constructor, tag) => {
    const given = read(error, "name");
    let name = typeof given === "string" ? given : "Error";
    if (constructor !== null && !(stringEndsWith(name, "Error") && isHeading(stack, name))) return stack;
    if (constructor === null && !isHeading(stack, name)) name = "";
    const title = stringSlice(names.prefix(constructor, tag, name === "" ? "Error" : name), 0, -1);
    if (name === title) return stack;
    if (!stringIncludes(title, name)) return `${title} [${name}]${stringSlice(stack, name.length)}`;
    return name === "" ? `${title}: ${stack}` : `${title}${stringSlice(stack, name.length)}`;
  };

  // Takes what the stack says already out of `keys`, and adds the cause and the errors of an AggregateError.
  const listKeys = (error, keys, stack) => {
    for (let i = 0; i < SAID.length; i++) {
      const name = SAID[i];
      const at = arrayIndexOf(keys, name);
      const value = at === -1 ? undefined : read(error, name);
      if (at !== -1 && (typeof value !== "string" || stringIncludes(stack, value))) arrayRemove(keys, at);
    }
    if (names.ownValue(error, "cause") !== undefined && !arrayIncludes(keys, "cause")) arrayPush(keys, "cause");
    if (isArray(names.ownValue(error, "errors")) && !arrayIncludes(keys, "errors")) arrayPush(keys, "errors");
  };

  // The error without its properties; changes `keys` to those that are still to be shown.
  const errorBase = (error, constructor, tag, keys, indentation) => {
    let stack = stackOf(error);
    listKeys(error, keys, stack);
    stack = withClass(stack, error, constructor, tag);
    const message = read(error, "message");
    const at = typeof message === "string" && message !== "" ? stringIndexOf(stack, message) : -1;
    if (stringIndexOf(stack, "\n    at", at === -1 ? 0 : at + message.length) === -1) stack = `[${stack}]`;
    if (indentation === 0) return stack;
    return arrayJoin(stringSplit(stack, "\n"), `\n${stringRepeat(" ", indentation)}`);
  };

  return { errorBase };
};
