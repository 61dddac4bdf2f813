// The texts of console.log's arguments: format specifiers in the first one, strings as they are, all else inspected.

export default ({ primordials, inspect, kindOf, names, text }) => {
  const {
    arrayJoin, arrayPush, errorToString, jsonStringify, numberParseFloat, numberParseInt, objectGetPrototypeOf,
    objectHasOwnProperty, stringCharCodeAt, stringIndexOf, stringSlice, Number, String,
  } = primordials;
  const BUILT_IN = { __proto__: null };
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (typeof globalThis[name] === "function" && name[0] >= "A" && name[0] <= "Z") BUILT_IN[name] = true;
  }

  // Never throws: what a hostile getter or proxy throws is noted instead.
  const shown = (value, options) => {
    try {
      return inspect(value, options);
    } catch (error) {
      return `[not shown: inspecting it threw ${reason(error)}]`;
    }
  };
  const reason = (error) => {
    try {
      return typeof error === "object" ? text.escaped(`${errorToString(error)}`, -1) : text.primitive(error);
    } catch {
      return "an error";
    }
  };

  // Whether `toString` is the language's own, so that inspecting says more than calling it.
  const hasBuiltInToString = (value) => {
    if (kindOf(value) === "proxy") return true;
    if (objectHasOwnProperty(value, "toString") || objectHasOwnProperty(value, Symbol.toPrimitive)) return false;
    let owner = value;
    while (owner !== null && !objectHasOwnProperty(owner, "toString")) owner = objectGetPrototypeOf(owner);
    if (owner === null) return true;
    const constructor = names.ownValue(owner, "constructor");
    return typeof constructor === "function" && BUILT_IN[names.ownValue(constructor, "name")] === true;
  };

  const asString = (value) => {
    if (typeof value === "number" || typeof value === "bigint") return text.primitive(value);
    if (typeof value !== "object" || value === null || !hasBuiltInToString(value)) return String(value);
    return shown(value, { depth: 0 });
  };
  // Whether it can be made a number without throwing.
  const isNumeric = (value) => typeof value !== "symbol" && kindOf(value) !== "promise";
  const asNumber = (value) => {
    if (typeof value === "bigint") return text.primitive(value);
    return isNumeric(value) ? text.number(Number(value)) : "NaN";
  };
  const asInteger = (value) => {
    if (typeof value === "bigint") return text.primitive(value);
    return isNumeric(value) ? text.number(numberParseInt(value)) : "NaN";
  };
  const asJson = (value) => {
    try {
      return `${jsonStringify(value)}`;
    } catch (error) {
      if (names.ownValue(error, "message") === "circular reference") return "[Circular]";
      throw error;
    }
  };

  // The text of one format specifier, or undefined if the letter is none.
  const specified = (letter, value) => {
    switch (letter) {
      case 115: return asString(value);
      case 100: return asNumber(value);
      case 105: return asInteger(value);
      case 102: return isNumeric(value) ? text.number(numberParseFloat(value)) : "NaN";
      case 106: return asJson(value);
      case 79: return shown(value);
      case 111: return shown(value, { depth: 4, showHidden: true, showProxy: true });
      case 99: return "";
      default: return undefined;
    }
  };
  const safely = (letter, value) => {
    try {
      return specified(letter, value);
    } catch (error) {
      return `[not shown: converting it threw ${reason(error)}]`;
    }
  };

  // Puts the arguments into the template. Gives its text and how many arguments it took.
  const filled = (template, args) => {
    let used = 1;
    let from = 0;
    let result = "";
    for (let at = stringIndexOf(template, "%"); at !== -1 && at < template.length - 1; at = stringIndexOf(template, "%", at)) {
      const letter = stringCharCodeAt(template, at + 1);
      let replacement;
      if (letter === 37) replacement = "%";
      else if (used < args.length) {
        replacement = safely(letter, args[used]);
        if (replacement !== undefined) used++;
      }
      if (replacement !== undefined) {
        result += stringSlice(template, from, at) + replacement;
        from = at + 2;
      }
      at += letter === 37 || replacement !== undefined ? 2 : 1;
    }
    return { result: result + stringSlice(template, from), used };
  };

  // One line of output for the arguments of console.log.
  const format = (args) => {
    const parts = [];
    let i = 0;
    if (typeof args[0] === "string") {
      if (args.length === 1) return args[0];
      const { result, used } = filled(args[0], args);
      arrayPush(parts, result);
      i = used;
    }
    for (; i < args.length; i++) arrayPush(parts, typeof args[i] === "string" ? args[i] : shown(args[i]));
    return arrayJoin(parts, " ");
  };

  return { format, shown, reason };
};
