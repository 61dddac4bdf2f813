// What QuickJS lacks, made of what the host gives each run: `console`, and numbers at random. Import it before all others.
import { write } from "ampoule:guest/console@0.1.0";
import { bytes } from "ampoule:guest/random@0.1.0";

const text = (value) => {
  if (typeof value === "string") return value;
  if (value instanceof Error) return `${value.name}: ${value.message}\n${value.stack}`.trimEnd();
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
};

const levels = ["debug", "log", "info", "warn", "error"];
globalThis.console = Object.fromEntries(
  levels.map((level) => [level, (...values) => write(level, values.map(text).join(" "))]),
);

Math.random = () => {
  const [high, low] = new Uint32Array(Uint8Array.from(bytes(8)).buffer);
  return ((high >>> 6) * 2 ** 27 + (low >>> 5)) / 2 ** 53;
};
