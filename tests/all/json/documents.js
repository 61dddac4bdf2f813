// Documents made at random, written by `JSON.stringify`, by a call's arguments and by a writer that only walks; read by
// `JSON.parse` and from a call's result. Gives the first that differs.
let seed = 1;
const random = (below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};
const pick = (list) => list[random(list.length)];
const characters = ["\\", '"', "\n", "\u0001", "\u001f", "\u007f", "\u00e9", "\u5ba2", "\ud83d\ude00", "/", " "];
const text = () => Array.from({ length: pick([0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 70]) }, () => (random(12) ? "x" : pick(characters))).join("");
const numbers = [
  () => random(100), () => -random(2 ** 32), () => random(1e7) / 100, () => -random(1e9) / 1e6, () => random(2 ** 32) * random(2 ** 21),
  () => (random(2 ** 32) / 2 ** 32) * 10 ** (random(30) - 12), () => 1 / (1 + random(1000)), () => 0.1 * random(1000),
];
const keys = ["id", "name", "k", "customer", "fifteen bytes..", "sixteen bytes...", "a key of more than twenty-four bytes", "\u00e9\u5ba2", "\n\"", ""];
const made = (depth) => {
  const kind = random(depth > 0 ? 9 : 5);
  if (kind === 0) return pick([null, true, false]);
  if (kind < 3) return pick(numbers)();
  if (kind < 5) return text();
  if (kind === 5) return Array.from({ length: random(7) }, () => made(depth - 1));
  const object = {};
  for (const key of keys) if (random(4)) object[key] = made(depth - 1);
  return object;
};

const escapes = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const escaped = (character) => escapes[character] ?? (character < " " ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : character);
const quoted = (text) => `"${[...text].map(escaped).join("")}"`;
const walked = (value) => {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(walked).join(",")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  return `{${Object.keys(value).map((key) => `${quoted(key)}:${walked(value[key])}`).join(",")}}`;
};
// With what a text hides: the sign of a zero, and the class of a number. Integers that numbers can't tell apart come as BigInts.
const same = (a, b) => {
  if (typeof a === "bigint") return typeof b === "number" && Number(a) === b && !Number.isSafeInteger(b);
  if (typeof a !== "object" || a === null) return Object.is(a, b) || (a === 0 && b === 0);
  const names = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || names.join("\0") !== Object.keys(b).join("\0")) return false;
  return names.every((name) => same(a[name], b[name]));
};

for (let round = 0; round < 40; round++) {
  const value = made(5);
  const expected = walked(value);
  if (JSON.stringify(value) !== expected) return { round, wrote: JSON.stringify(value), expected };
  if (JSON.stringify(value, null, 1).replace(/\n */g, "").length < expected.length) return { round, indented: JSON.stringify(value, null, 1) };
  for (const json of [expected, JSON.stringify(value, null, 3), expected.replaceAll("\u5ba2", "\\u5ba2"), `${expected} `]) {
    if (!same(JSON.parse(json), value)) return { round, read: JSON.parse(json), expected };
  }
  const echoed = await tools.testTools.echo({ value });
  if (!same(echoed, value)) return { round, echoed, expected };
  for (const at of [random(expected.length), expected.length - 1]) {
    const cut = expected.slice(0, at);
    try {
      JSON.parse(cut);
      if (typeof value !== "number") return { round, accepted: cut };
    } catch (error) {
      if (!(error instanceof SyntaxError)) return { round, cut, error: String(error) };
    }
  }
}
return "alike";
