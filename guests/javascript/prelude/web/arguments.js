// The errors that web functions throw for wrong arguments, worded as Node words them.

export default ({ primordials, inspect, names, text }) => {
  const { arrayJoin, arrayPush, stringSlice, RangeError, TypeError } = primordials;

  const coded = (error, code) => {
    error.code = code;
    return error;
  };

  const received = (value) => {
    if (value === null || value === undefined) return ` Received ${value}`;
    if (typeof value === "function") return ` Received function ${names.ownValue(value, "name") ?? ""}`;
    if (typeof value === "object") {
      const { constructor } = value;
      const name = typeof constructor === "function" ? names.ownValue(constructor, "name") : undefined;
      return name ? ` Received an instance of ${name}` : ` Received ${inspect(value, { depth: -1 })}`;
    }
    const shown = typeof value === "string" && value.length > 28 ? text.quoted(`${stringSlice(value, 0, 25)}...`) : inspect(value);
    return ` Received type ${typeof value} (${shown})`;
  };

  // `expected` begins with "of type" or "an instance of".
  const wrongType = (name, expected, value) =>
    coded(new TypeError(`The "${name}" argument must be ${expected}.${received(value)}`), "ERR_INVALID_ARG_TYPE");

  const outOfRange = (name, range, value) =>
    coded(new RangeError(`The value of "${name}" is out of range. It must be ${range}. Received ${inspect(value)}`), "ERR_OUT_OF_RANGE");

  // Throws unless there are as many arguments as there are names.
  const require = (count, ...needed) => {
    if (count >= needed.length) return;
    const quoted = [];
    for (let i = 0; i < needed.length; i++) arrayPush(quoted, `"${needed[i]}"`);
    const list = arrayJoin(quoted, " and ");
    throw coded(new TypeError(`The ${list} argument${needed.length > 1 ? "s" : ""} must be specified`), "ERR_MISSING_ARGS");
  };

  return { args: { coded, wrongType, outOfRange, require } };
};
