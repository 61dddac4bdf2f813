// Each case by its name, and how it ends: run with the engine's own JSON and with ours, which must agree.
(function () {
  "use strict";
  const ends = [];
  // A value to its last detail: the order of keys, -0, halves of characters, what is no plain value.
  const told = (value) => {
    if (typeof value === "string") return `"${Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(36)).join(" ")}"`;
    if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : `${typeof value} ${String(value)}`;
    if (Array.isArray(value)) return `[${value.length}: ${Array.from(value, told).join(", ")}]`;
    const proto = Object.getPrototypeOf(value);
    const kind = proto === Object.prototype ? "" : proto === null ? "bare " : `${proto.constructor?.name} `;
    const members = Reflect.ownKeys(value).map((key) => {
      const { value: held, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(value, key);
      return `${told(key)}${writable && enumerable && configurable ? "" : "!"}: ${told(held)}`;
    });
    return `${kind}{${members.join(", ")}}`;
  };
  const tried = (name, act) => {
    let end;
    try {
      end = told(act());
    } catch (error) {
      end = `${error?.name}: ${error?.message} ${String(error?.stack).replace(/\d+/g, "")}`;
    }
    ends.push(`${name} -> ${end}`);
  };
  const parsed = (text, reviver) => tried(`parse ${told(text)}`, () => JSON.parse(text, reviver));
  const written = (name, make, ...rest) => {
    tried(`stringify ${name}`, () => JSON.stringify(make(), ...rest));
    for (const space of [2, "\t", "ab\u00e9", "--> "]) tried(`stringify ${name} by ${space}`, () => JSON.stringify(make(), null, space));
  };

  // Texts, right and wrong.
  const texts = [
    "", " ", "null", " true ", "false", "nul", "truee", "tru", "-", "-0", "0", "-0.0", "0.0", "00", "01", "-01", "1.", ".5", "+1", "1e5",
    "1E+5", "1e-5", "1e", "1e+", "1.5e300", "1e400", "-1e400", "1e-400", "123456789", "2147483647", "2147483648", "-2147483648",
    "-2147483649", "9007199254740993", "12345678901234567890", "99999999999999999999", "99.999999999999999999", "123456789012345678901234567890", "0.1", "0.30000000000000004",
    "1.7976931348623157e308", "5e-324", "0.1234567890123456789", "0.12345678901234567891", "99999999999999999.99", "1.0000000000000002",
    "9007199254740993.0", "0.000000000000000000001", "179.76931348623157", "9999999999999999999", "18446744073709551615", "1.2.3", "1-2",
    '"a', '"a\\', '"a\\"', '"\\u12"', '"\\u12g4"', '"\\x"', '"\\', '"a\nb"', '"a\tb"', '"\u007f"', '"\u0000"', '"\u001f"', '"\u2028"',
    '"\\ud83d\\ude00"', '"\ud83d\ude00"', '"\ud83d"', '"\\ud83d"', '"\\udc00\\ud800"', '"\u00e9"', '"\u00ff\\n"', '"caf\u00e9 \\u0041"',
    '"\u5ba2\u6237"', '"\\b\\f\\n\\r\\t\\/\\\\\\""', '"0123456789abcdef"', '"0123456789abcdef\\n"', '"0123456789abcdef0123456789abcdef"',
    "[", "]", "[]", "[ ]", "[1", "[1,", "[1,]", "[,]", "[1 2]", "[1,2]]", "[1]x", "[[[[]]]]", "[1,[2,[3,{}]]]", "[\u00a01]", "[\f1]", "[1\v]",
    "{", "}", "{}", "{ }", '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', "{a:1}", "{'a':1}", '{"a" 1}', '{"a":1 "b":2}', '{,}',
    '{"a":1,"a":2}', '{"a":1,"b":2,"a":3,"c":4}', '[{"a":1,"b":2},{"a":1,"b":2,"a":3},{"a":4,"b":5}]', '{"__proto__":1}',
    '{"__proto__":{"x":1},"y":2}', '[{"__proto__":[]},{"__proto__":{}}]', '{"constructor":1,"toJSON":2,"length":3}', '{"":1}', '{"":1,"":2}',
    '{"2":"b","1":"a","x":0,"10":1,"01":2,"-1":3,"4294967295":4,"4294967294":5,"2147483648":6}', '{"\\u0061":1,"a":2}', '{"a\\n":1}',
    '{"\u00e9":1,"\u5ba2":2,"\\u00e9":3}', '{"a":{"a":{"a":{"a":1}}}}', '\ufeff1', '1\u0000', "// 1", "/* */1", "undefined", "NaN",
    '[{"a":1},{"b":1},{"c":1},{"d":1},{"e":1},{"f":1},{"g":1},{"h":1},{"i":1},{"j":1},{"a":2,"b":1},{"a":2,"c":1}]',
    '[{"a rather long key that goes on":1,"a rather long key that goes om":2},{"a rather long key that goes on":3,"a rather long key that goes om":4}]',
    '[{"0123456789abcde":1},{"0123456789abcdef":1},{"0123456789abcdeg":1},{"0123456789abcde":2},{"0123456789abcdef":2}]',
    `[{"${"k".repeat(64)}":1},{"${"k".repeat(64)}":2},{"${"k".repeat(65)}":3},{"${"k".repeat(65)}":4}]`,
  ];
  for (const text of texts) {
    parsed(text);
    parsed(`[${text},"\u5ba2",${text}]`);
    parsed(`   {"k":${text} , "l" : [ ${text} ]}${" ".repeat(20)}`);
    parsed(`x${text}`.slice(1));
    parsed(`{"long":"${"text ".repeat(120)}","k":${text},"again":${text}}`);
  }
  parsed('{"a":[1,2,{"b":3}]}', (key, value) => (Array.isArray(value) ? value.length : value));
  parsed('{"a":1.50}', (key, value, context) => context?.source ?? value);
  for (const given of [null, undefined, 12, true, {}, [1], { toString: () => '{"a":1}' }, { toString: () => { throw new Error("no"); } }, Symbol("s"), 1n, new String("[1]")])
    tried(`parse ${typeof given}`, () => JSON.parse(given));
  tried("parse a rope", () => JSON.parse(["[", "1,".repeat(500), "2]"].reduce((all, part) => all + part, "")));
  for (const depth of [10, 198, 199, 200, 201, 1000]) {
    parsed("[".repeat(depth) + "]".repeat(depth));
    parsed('{"a":'.repeat(depth) + "1" + "}".repeat(depth));
    parsed("[".repeat(depth));
  }
  const many = (count, key) => `{${Array.from({ length: count }, (_, at) => `"${key(at)}":${at}`).join(",")}}`;
  for (const count of [199, 200, 201, 5000]) {
    parsed(many(count, (at) => `k${at}`));
    parsed(`[${many(count, (at) => at)},${many(count, (at) => at)}]`);
    parsed(many(count, (at) => `k${at % 190}`));
  }
  parsed(`[${Array.from({ length: 3000 }, (_, at) => `{"a":1,"k${at}":{"b":2}}`).join(",")}]`);

  // Values that are not plain.
  class Point { constructor() { this.x = 1; this.y = 2; } get z() { return 3; } }
  class Told { constructor() { this.x = 1; } toJSON(key) { return `told ${key}`; } }
  const log = [];
  const logged = (name, value) => ({ get [name]() { log.push(name); return value; }, after: 1 });
  const cases = {
    undefined: () => undefined, function: () => () => 1, symbol: () => Symbol("s"), bigint: () => 1n, text: () => "a", "text of halves": () => "\ud800a\udc00\ud83d\ude00",
    "text of controls": () => Array.from({ length: 256 }, (_, at) => String.fromCharCode(at)).join(""), "wide text": () => "\u5ba2\u6237\n\"\u2028\ud83d\ude00 0123456789abcdef",
    rope: () => ["a\n", "\u5ba2".repeat(300), "b".repeat(900)].reduce((all, part) => all + part, ""), slice: () => ("0123456789".repeat(100)).slice(3, 950),
    numbers: () => [0, -0, 1, -1, 1.5, -1.5, 0.1, 0.1 + 0.2, 1e21, 1e20, 123456789012345680000, 1e-6, 1e-7, 1.5e-6, 5e-324, 1.7976931348623157e308, NaN, Infinity, -Infinity,
      2 ** 31, -(2 ** 31), 2 ** 53, 999999999, 1e9, 999999999.999999, 1234567.891, 0.000001, 0.0000015, 100.25, 1 / 3, 4294967296.5, 1e15 + 0.5, -0.001],
    "list of anything": () => [undefined, () => 1, Symbol("s"), null, true, false, "", "a", [], {}],
    "object of anything": () => ({ a: undefined, b: () => 1, c: Symbol("s"), d: null, e: true, [Symbol("k")]: 1, f: [], g: {}, "": 1, "k\u5ba2\n": 1, "long key, longer than is kept anywhere": 1 }),
    "left out first": () => ({ a: undefined, b: 1 }), "all left out": () => ({ a: undefined }), "left out last": () => [{ b: 1, a: undefined }],
    indices: () => ({ b: 1, 2: "two", a: 2, 1: "one" }), bare: () => Object.assign(Object.create(null), { a: 1, toJSON: 2 }),
    "bare told": () => Object.assign(Object.create(null), { toJSON: () => "bare" }), class: () => [new Point(), { p: new Point() }], told: () => [new Told(), { p: new Told() }, { toJSON: () => ({ toJSON: 1 }) }],
    "told absent": () => [{ toJSON: () => undefined, a: 1 }, { k: { toJSON: () => undefined } }, { k: { toJSON: () => () => 1 } }],
    "told itself": () => { const it = { a: 1, toJSON() { return this; } }; return [it, it]; }, "told no function": () => ({ toJSON: 1, a: 2 }),
    "told getter": () => ({ get toJSON() { log.push("toJSON"); return () => "got"; } }), "told text": () => ({ toJSON: "x" }),
    getters: () => [logged("a", 1), logged("b", undefined), { get c() { return { d: 1 }; } }], "hidden": () => Object.defineProperty({ b: 1 }, "a", { value: 1, enumerable: false }),
    date: () => [new Date(0), { at: new Date(NaN) }], boxed: () => [new Number(1.5), new String("s\n\u5ba2"), new Boolean(false), Object.assign(new Number(2), { valueOf: () => 7 }), Object.assign(new String("t"), { toString: () => "u\u00e9" })],
    "boxed bigint": () => [Object(1n)], raw: () => (JSON.rawJSON ? [JSON.rawJSON("1.50"), { r: JSON.rawJSON('"\\ud800 \ud800 \u00e9"') }, JSON.rawJSON('"\ud800"')] : 0),
    map: () => [new Map([[1, 2]]), new Set([1]), /x/g, new Error("e"), Object.assign(new Map(), { k: 1 })], typed: () => [new Uint8Array([1, 2]), new Float64Array([0.5])],
    holes: () => [, 1, , 2], "long list": () => { const list = [1]; list.length = 3; return list; }, "list with more": () => Object.assign([1, 2], { k: 1, toJSON: 3 }),
    "list told": () => Object.assign([1, 2], { toJSON: (key) => `list ${key}` }), "class of list": () => { class L extends Array {} return L.from([1, { a: 1 }]); },
    "list without prototype": () => Object.setPrototypeOf([1, 2], null), arguments: () => (function () { return arguments; })(1, 2),
    deleted: () => { const it = { a: 1, b: 2, c: 3 }; delete it.b; it.d = 4; return [it, { a: 1 }]; }, frozen: () => [Object.freeze({ a: 1 }), Object.freeze([1, { b: 2 }])],
    "a prototype": () => [Point.prototype, Object.prototype, Object.create({ inherited: 1 })], global: () => [Math, Reflect],
    proxy: () => [new Proxy({ a: 1, b: { c: 1 } }, { ownKeys: (it) => (log.push("keys"), Reflect.ownKeys(it)), get: (it, key) => (log.push(`get ${String(key)}`), it[key]) }), new Proxy([1, 2], {})],
    revoked: () => { const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return [1, proxy]; },
    circle: () => { const it = { a: { b: [] } }; it.a.b.push(it); return it; }, "list in itself": () => { const it = [1]; it.push([it]); return it; }, "twice": () => { const it = { a: 1 }; return [it, it, { it }]; },
    "told a circle": () => { const it = { k: { toJSON: () => it } }; return it; }, throws: () => ({ a: 1, get b() { throw new RangeError("b"); } }), "told throws": () => [1, { toJSON() { throw new TypeError("t"); } }],
    "bigint in it": () => ({ a: 1, b: [2n] }), "nested stringify": () => { const it = { a: { toJSON: () => JSON.stringify({ x: [1] }) } }; it.b = it.a; return it; },
    "changes as it is asked": () => { const it = { a: 1, b: { toJSON() { delete it.c; it.d = 5; it.e = { n: 1 }; return 2; } }, c: 3, d: 4, f: "f" }; return it; },
    "grows as it is asked": () => { const it = { a: { toJSON() { it.later = 1; return 0; } }, b: 1 }; return it; },
    "becomes a getter": () => { const it = { a: { toJSON() { Object.defineProperty(it, "b", { get: () => "got", enumerable: true }); return 0; } }, b: 1, c: 2 }; return it; },
    "list shrinks": () => { const it = [{ toJSON() { it.length = 1; return 0; } }, 1, 2, { a: 1 }]; return it; }, "list grows": () => { const it = [{ toJSON() { it.push(9); return 0; } }, 1]; return it; },
    "list loses prototype": () => { const it = [{ toJSON() { Object.setPrototypeOf(it, { 2: "inherited" }); delete it[2]; return 0; } }, 1, 2]; return it; },
    "item goes": () => { const it = [{ a: [{ toJSON() { it[0] = 0; it.length = 1; return 1; } }, 2], b: 3 }, 4]; return it; },
    "list changes within": () => { const it = [{ a: [{ toJSON() { Object.defineProperty(it, 1, { get: () => "got", enumerable: true }); return 1; } }] }, 2, 3]; return it; },
    "toJSON appears": () => { const it = [{ toJSON() { Object.prototype.toJSON = function () { return "by prototype"; }; return 0; } }, { a: 1 }, [1]]; return it; },
    "toJSON is there still": () => [{ a: 1 }, [2], "s", 1], "toJSON goes": () => { delete Object.prototype.toJSON; return [{ a: 1 }, [1]]; },
    "arrays' toJSON": () => { Array.prototype.toJSON = function (key) { return `array ${key}`; }; return { a: [1], b: { c: 1 } }; }, "arrays' toJSON goes": () => { delete Array.prototype.toJSON; return [[1]]; },
    "bigints' toJSON": () => { BigInt.prototype.toJSON = function () { return `${this}n`; }; return [1n, { a: 2n }]; }, "bigints' toJSON goes": () => { delete BigInt.prototype.toJSON; return 3n; },
    "strings' toJSON": () => { String.prototype.toJSON = () => "no"; return ["s", { a: "s" }]; }, "strings' toJSON goes": () => { delete String.prototype.toJSON; return "s"; },
    "arrays inherit": () => { Object.setPrototypeOf(Array.prototype, { toJSON: () => "inherited" }); return [[1]]; }, "arrays inherit no more": () => { Object.setPrototypeOf(Array.prototype, Object.prototype); return [[1]]; },
    "many shapes": () => Array.from({ length: 200 }, (_, at) => ({ [`k${at}`]: at, same: { [`l${at % 90}`]: "\u00e9" } })), "many keys": () => Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key ${at}`, { at }])),
  };
  for (const name of Object.keys(cases)) written(name, cases[name]);
  ends.push(`asked: ${log.join(" ")}`);
  const replaced = { b: 1, a: [new Date(0), { b: 2, c: 3 }] };
  for (const replacer of [["a", "b", 1], (key, value) => (typeof value === "number" ? value + 1 : value), null, undefined, 5, {}, []])
    tried("replaced", () => JSON.stringify(replaced, replacer, 1));
  for (const space of [0, 1, 10, 11, -1, 2.9, NaN, "", "0123456789abc", "\u5ba2", new Number(3), new String("x"), {}, null, true, 1n, Symbol("s")])
    tried(`space ${typeof space}`, () => JSON.stringify({ a: [1, {}, []], b: {} }, null, space));
  tried("no arguments", () => [JSON.stringify(), JSON.stringify.length, JSON.parse.length, JSON.stringify.name, JSON.parse.name]);
  tried("properties", () => ["parse", "stringify"].map((name) => Object.getOwnPropertyDescriptor(JSON, name)).map(({ writable, enumerable, configurable }) => [writable, enumerable, configurable]));
  tried("keys", () => Reflect.ownKeys(JSON).map(String));
  tried("constructed", () => new JSON.parse("1"));
  tried("too deep", () => JSON.stringify(Array.from({ length: 100000 }).reduce((inner) => [inner], 1)).length > 0);

  // Documents made at random, and what becomes of them where a character of theirs is changed.
  let seed = 12345;
  const random = (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const pick = (list) => list[random(list.length)];
  const characters = ["a", "b", "z", " ", "0", "\\", '"', "\n", "\u0001", "\u007f", "\u00e9", "\u5ba2", "\ud83d\ude00", "\ud800", "/", "{"];
  const text = () => Array.from({ length: pick([0, 1, 3, 8, 15, 16, 17, 40]) }, () => (random(3) ? "x" : pick(characters))).join("");
  const number = () => pick([() => random(100), () => -random(1e6), () => random(1e6) / 100, () => random(2 ** 31) * random(2 ** 31), () => (random(2 ** 31) / 2 ** 31) * 10 ** (random(40) - 20), () => random(1e9) / 10 ** random(12)])();
  const keys = ["id", "name", "amount", "a key of more than sixteen bytes", "customer", "\u00e9", "7", "__proto__", "k\n"];
  const value = (depth) => {
    const kind = random(depth > 0 ? 8 : 5);
    if (kind === 0) return pick([null, true, false]);
    if (kind < 3) return number();
    if (kind < 5) return text();
    if (kind === 5) return Array.from({ length: random(6) }, () => value(depth - 1));
    const object = {};
    for (const key of keys) if (random(3)) Object.defineProperty(object, key, { value: value(depth - 1), writable: true, enumerable: true, configurable: true });
    return object;
  };
  tried("random numbers", () => JSON.stringify(Array.from({ length: 5000 }, number)));
  for (let round = 0; round < 400; round++) {
    const made = value(5);
    const json = JSON.stringify(made, null, pick([undefined, 1, "\t"]));
    tried("random, written", () => json);
    tried("random, read", () => JSON.parse(json));
    const at = random(json.length);
    const changed = json.slice(0, at) + pick([...characters, "", ",", "]", "}", ":", "9", "e", "-", "."]) + json.slice(at + 1);
    parsed(changed);
    parsed(json.slice(0, at));
  }
  return ends;
});
