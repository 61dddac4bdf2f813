// The console. Each call writes one text to the host, at its level.

export default ({ native, primordials, format, shown, reason, tableOf, text }) => {
  const {
    arrayJoin, define, mapDelete, mapGet, mapSet, mathFloor, numberToFixed, reflectApply, stringIncludes, stringIndexOf, stringPadStart,
    stringSlice, stringSplit, Error, Map,
  } = primordials;
  const { write, elapsedMs } = native;
  let indent = "";
  const counts = new Map();
  const timers = new Map();

  const put = (level, message) => {
    if (indent !== "") message = indent + (stringIncludes(message, "\n") ? arrayJoin(stringSplit(message, "\n"), `\n${indent}`) : message);
    write(level, message);
  };
  const named = (label) => (label === undefined ? "default" : `${label}`);

  const asString = (value) => {
    try {
      return typeof value === "symbol" ? text.primitive(value) : `${value}`;
    } catch {
      return shown(value);
    }
  };

  const duration = (ms) => {
    if (ms < 1000) return `${+numberToFixed(ms, 3)}ms`;
    const seconds = ms / 1000;
    if (seconds < 60) return `${numberToFixed(seconds, 3)}s`;
    const minutes = mathFloor(seconds / 60);
    const rest = numberToFixed(seconds - minutes * 60, 3);
    const padded = (part, width) => stringPadStart(`${part}`, width, "0");
    if (minutes < 60) return `${minutes}:${padded(rest, 6)} (m:ss.mmm)`;
    return `${mathFloor(minutes / 60)}:${padded(minutes % 60, 2)}:${padded(rest, 6)} (h:mm:ss.mmm)`;
  };
  // Writes the time since the timer began, or a warning that there is no such timer.
  const lap = (method, label, rest) => {
    const start = mapGet(timers, label);
    if (start === undefined) put("warn", `Warning: No such label '${label}' for console.${method}()`);
    else {
      const time = `${label}: ${duration(elapsedMs() - start)}`;
      put("log", rest.length === 0 ? time : `${time} ${format(rest)}`);
    }
    return start !== undefined;
  };

  const methods = {
    log(...args) { put("log", format(args)); },
    info(...args) { put("info", format(args)); },
    debug(...args) { put("debug", format(args)); },
    warn(...args) { put("warn", format(args)); },
    error(...args) { put("error", format(args)); },
    dir(value, options) { put("log", shown(value, { ...options })); },
    dirxml(...args) { put("log", format(args)); },
    assert(condition, ...args) {
      if (condition) return;
      args[0] = args.length === 0 ? "Assertion failed" : `Assertion failed: ${asString(args[0])}`;
      put("warn", format(args));
    },
    trace(...args) {
      const error = new Error();
      const heading = args.length === 0 ? "Trace" : `Trace: ${format(args)}`;
      const frames = `${error.stack}`;
      put("error", stringIncludes(frames, "\n") ? heading + stringSlice(frames, stringIndexOf(frames, "\n")) : heading);
    },
    group(...args) {
      if (args.length > 0) put("log", format(args));
      indent += "  ";
    },
    groupCollapsed(...args) { methods.group(...args); },
    groupEnd() { indent = stringSlice(indent, 2); },
    count(label) {
      label = named(label);
      const count = (mapGet(counts, label) ?? 0) + 1;
      mapSet(counts, label, count);
      put("log", `${label}: ${count}`);
    },
    countReset(label) {
      label = named(label);
      if (!mapDelete(counts, label)) put("warn", `Warning: Count for '${label}' does not exist`);
    },
    time(label) {
      label = named(label);
      if (mapGet(timers, label) !== undefined) put("warn", `Warning: Label '${label}' already exists for console.time()`);
      else mapSet(timers, label, elapsedMs());
    },
    timeLog(label, ...rest) { lap("timeLog", named(label), rest); },
    timeEnd(label) {
      label = named(label);
      if (lap("timeEnd", label, [])) mapDelete(timers, label);
    },
    table(data, columns) {
      const table = tableOf(data, columns);
      put("log", table === undefined ? format([data]) : table);
    },
    clear() {},
  };
  // A console that throws would be a trap for whoever looks for another error: what a hostile value throws is noted instead.
  const console = {};
  for (const name of Object.keys(methods)) {
    const method = methods[name];
    const guarded = {
      [name](...args) {
        try {
          reflectApply(method, undefined, args);
        } catch (error) {
          put("warn", `[not shown: console.${name} threw ${reason(error)}]`);
        }
      },
    };
    console[name] = guarded[name];
  }
  Object.defineProperty(console, Symbol.toStringTag, { value: "console", configurable: true });
  define(globalThis, { console });
  return {};
};
