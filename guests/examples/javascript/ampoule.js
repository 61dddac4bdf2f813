// What QuickJS lacks, made of what the host gives each run: `console`, and numbers at random. Import it before all others.
import { write } from "ampoule:guest/console@0.1.0";
import { bytes } from "ampoule:guest/random@0.1.0";

/** @param {unknown} value */
const text = (value) => {
  if (typeof value === "string") return value;
  if (value instanceof Error) return `${value.name}: ${value.message}\n${value.stack}`.trimEnd();
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
};

/** @param {import("ampoule:guest/console@0.1.0").Level} level */
const writer = (level) => (/** @type {unknown[]} */ ...values) => write(level, values.map(text).join(" "));

const levels = /** @type {const} */ (["debug", "log", "info", "warn", "error"]);
Object.assign(globalThis, { console: Object.fromEntries(levels.map((level) => [level, writer(level)])) });

Math.random = () => {
  const [high, low] = new Uint32Array(Uint8Array.from(bytes(8)).buffer);
  return ((high >>> 6) * 2 ** 27 + (low >>> 5)) / 2 ** 53;
};
