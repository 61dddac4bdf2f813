// The console. Each call writes one text to the host, at its level.

export default ({ native, primordials, format, shown, tableOf, text }) => {
  const { arrayConcat, arrayJoin, define, mapDelete, mapGet, mapSet, numberToFixed, stringIncludes, stringSplit, Error, Map } = primordials;
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
      return typeof value === "symbol" ? text.symbol(value) : `${value}`;
    } catch {
      return shown(value);
    }
  };

  const duration = (ms) => {
    if (ms < 1000) return `${Number(numberToFixed(ms, 3))}ms`;
    const seconds = ms / 1000;
    if (seconds < 60) return `${numberToFixed(seconds, 3)}s`;
    const minutes = Math.floor(seconds / 60);
    const rest = numberToFixed(seconds - minutes * 60, 3);
    const padded = (part, width) => `${part}`.padStart(width, "0");
    if (minutes < 60) return `${minutes}:${padded(rest, 6)} (m:ss.mmm)`;
    return `${Math.floor(minutes / 60)}:${padded(minutes % 60, 2)}:${padded(rest, 6)} (h:mm:ss.mmm)`;
  };
  // Writes the time since the timer began, or a warning that there is no such timer.
  const lap = (method, label, rest) => {
    const start = mapGet(timers, label);
    if (start === undefined) put("warn", `Warning: No such label '${label}' for console.${method}()`);
    else put("log", format(arrayConcat([`%s: %s`, label, duration(elapsedMs() - start)], rest)));
    return start !== undefined;
  };

  const console = {
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
      put("error", stringIncludes(frames, "\n") ? heading + frames.slice(frames.indexOf("\n")) : heading);
    },
    group(...args) {
      if (args.length > 0) put("log", format(args));
      indent += "  ";
    },
    groupCollapsed(...args) { console.group(...args); },
    groupEnd() { indent = indent.slice(2); },
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
  Object.defineProperty(console, Symbol.toStringTag, { value: "console", configurable: true });
  define(globalThis, { console });
  return {};
};
