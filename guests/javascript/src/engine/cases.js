// What the changes of the engine must leave as it is. Gives how many cases there are, and those that failed.
(function () {
  "use strict";
  let count = 0;
  const failed = [];
  const told = (value) =>
    Array.isArray(value) ? `[${Array.from(value, told).join()}]` : Object.is(value, -0) ? "-0" : typeof value === "object" && value !== null ? JSON.stringify(value) : `${typeof value} ${String(value)}`;
  const same = (name, found, expected) => {
    count++;
    if (told(found) !== told(expected)) failed.push(`${name}: ${told(found)}, not ${told(expected)}`);
  };
  const thrown = (act) => {
    try {
      return told(act());
    } catch (error) {
      return error.name;
    }
  };
  const early = (name, act) => same(name, thrown(act), "ReferenceError");

  // Variables before their declaration.
  early("read", () => { x; let x = 1; });
  early("written", () => { x = 1; let x; });
  early("in its own declaration", () => { let x = x + 1; });
  early("typeof", () => { typeof x; const x = 1; });
  early("by a function that is called too early", () => { const f = () => x; f(); let x = 1; });
  early("in the head of its loop", () => { for (const x of [x]) return x; });
  early("in the head of its loop over keys", () => { for (const x in { a: x }) return x; });
  early("in another case", () => { switch (2) { case 1: let x = 1; case 2: return x; } });
  early("written in another case", () => { switch (2) { case 1: let x = 1; case 2: x = 2; } });
  early("in a default that comes first", () => { switch (3) { default: return x; case 1: let x = 1; } });
  early("in the second round of a loop", () => { for (let n = 0; n < 2; n++) { if (n === 1) x; let x = n; } });
  early("in a while loop", () => { let n = 0; while (n < 2) { if (n++ === 1) x++; let x = n; } });
  early("after a continue", () => { for (let n = 0; n < 3; n++) { if (n === 0) continue; if (n === 2) x; let x = n; } });
  early("in a destructuring default", () => { const { a = b, b } = {}; });
  early("a class in its own head", () => { class A extends A {} });
  early("a class before it", () => { new A(); class A {} });
  early("in finally", () => { try { return 1; } finally { x; } let x; });
  early("of a parameter", () => ((a = b, b = 1) => a)());
  same("compound before", thrown(() => { x += 1; let x = 0; }), "ReferenceError");
  same("constant", thrown(() => { const x = 1; x = 2; }), "TypeError");
  same("constant counted", thrown(() => { const x = 1; x++; }), "TypeError");
  same("shadowed", (() => { let x = 1; { let x = 2; x++; } return x; })(), 1);
  same("set in blocks", (() => { let x; if (true) { x = 1; let y = x; x += y; } return x; })(), 2);
  same("undefined anew in each round", (() => { const seen = []; for (let n = 0; n < 2; n++) { let x; seen.push(x); x = n; } return seen; })(), [undefined, undefined]);
  same("closures of each round", (() => { const all = []; for (let n = 0; n < 3; n++) { all.push(() => n++); n += 0; } return all.map((f) => f() + f()); })(), [1, 3, 5]);
  same("same case", (() => { switch (1) { case 1: let x = 1; x += 1; return x; } })(), 2);
  same("a block in a case", (() => { switch (1) { case 1: { let x = 1; x++; return x; } } })(), 2);
  same("a generator", [...(function* () { let x = 1; yield x; x += yield x; yield x; })()].length, 3);

  // Calls of functions by functions.
  const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
  same("recursion", fib(15), 610);
  same("too few arguments", ((a, b) => [a, b])(1), [1, undefined]);
  same("too many", (function (a) { return arguments.length + a; })(1, 2, 3), 4);
  same("arguments are kept", (() => { const f = (a, b, ...c) => { a = 5; return [a, b, c]; }; const x = [1, 2, 3]; return [f(...x), x]; })(), [[5, 2, [3]], [1, 2, 3]]);
  same("this of a method", (() => { const o = { v: 7, m() { return this.v; } }; return o.m() + (0, o.m).call({ v: 1 }); })(), 8);
  same("this of a function", (function () { return (function () { return this; })(); })(), undefined);
  same("this after a call", (function () { const f = () => 1; f(); return this.v + f(); }).call({ v: 2 }), 3);
  same("arguments after a call", (function (a, b) { const f = (x) => x; f(9); return arguments[1] + f(a) + b; })(1, 2), 5);
  same("new.target after a call", new (function () { (() => 0)(); this.is = new.target !== undefined; })().is, true);
  same("no new.target", (function () { return (function () { return new.target; })(); })(), undefined);
  same("a method of the parent", (() => { class A { m() { return 1; } } class B extends A { m() { return super.m() + (() => super.m())(); } } return new B().m(); })(), 2);
  same("constructors", (() => { class A { constructor(v) { this.v = ((x) => x)(v); } } class B extends A { constructor() { super(4); } } return new B().v; })(), 4);
  same("a class without new", thrown(() => { class A {} A(); }), "TypeError");
  same("what is no function", thrown(() => { const x = {}; x.y(); }), "TypeError");
  same("an error through frames", (() => { const f = (n) => { if (n === 0) throw new RangeError("deep"); return f(n - 1) + 1; }; try { f(20); } catch (error) { return error.message; } })(), "deep");
  same("caught in the middle", (() => { const f = (n) => { try { return n === 0 ? g() : f(n - 1); } catch { return n; } }; const g = () => { throw 1; }; return f(3); })(), 0);
  same("finally on the way", (() => { const seen = []; const f = (n) => { try { if (n === 0) throw 1; f(n - 1); } finally { seen.push(n); } }; try { f(3); } catch {} return seen; })(), [0, 1, 2, 3]);
  same("the last call", (() => { const even = (n) => (n === 0 ? true : odd(n - 1)); const odd = (n) => (n === 0 ? false : even(n - 1)); return even(100); })(), true);
  same("without end", thrown(() => { const f = (n) => f(n + 1) + 1; return f(0); }), "RangeError");
  same("without end, by methods", thrown(() => { const o = { f() { return this.f(); } }; return o.f(); }), "RangeError");
  same("after that", fib(12), 144);
  same("closures outlive their frames", (() => { const make = (n) => ({ up: () => ++n, get: () => n }); const a = make(1), b = make(5); a.up(); a.up(); b.up(); return [a.get(), b.get()]; })(), [3, 6]);
  same("generators between", (() => { const inc = (n) => n + 1; function* g() { let n = 0; while (n < 3) yield (n = inc(n)); } const all = []; for (const n of g()) all.push(inc(n)); return all; })(), [2, 3, 4]);
  same("by the engine", [3, 1, 2].map((n) => ((x) => x * 2)(n)), [6, 2, 4]);
  same("getters", (() => { const o = { get a() { return ((x) => x + 1)(1); } }; return o.a + o.a; })(), 4);
  same("names of frames", (() => { const inner = () => new Error("x").stack; const outer = () => inner() + ""; return /inner[\s\S]*outer/.test(outer()); })(), true);

  // Comparisons that branch.
  const numbers = [0, -0, 1, -1, 0.5, NaN, Infinity, -Infinity, 2147483647, -2147483648, 1e21, "1", "b", null, undefined, true, 10n];
  const compared = (a, b) => [a < b, a <= b, a > b, a >= b, a == b, a != b, a === b, a !== b];
  const branched = (a, b) => {
    const ends = [];
    if (a < b) ends.push(true); else ends.push(false);
    if (a <= b) ends.push(true); else ends.push(false);
    if (a > b) ends.push(true); else ends.push(false);
    if (a >= b) ends.push(true); else ends.push(false);
    if (a == b) ends.push(true); else ends.push(false);
    if (a != b) ends.push(true); else ends.push(false);
    if (a === b) ends.push(true); else ends.push(false);
    if (a !== b) ends.push(true); else ends.push(false);
    return ends;
  };
  for (const a of numbers) for (const b of numbers) same(`${String(a)} and ${String(b)}`, branched(a, b), compared(a, b));
  same("NaN is in no order", compared(NaN, NaN), [false, false, false, false, false, true, false, true]);

  // Sorting by numbers: as by functions that are not looked into.
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
  const list = (length, make) => Array.from({ length }, (_, at) => make(at));
  const lists = [];
  for (const length of [0, 1, 2, 3, 12, 13, 25, 100, 777]) {
    lists.push(list(length, random), list(length, () => (random() % 21) - 10), list(length, () => random() / 7 - 1e8), list(length, (at) => at), list(length, (at) => -at), list(length, () => 10 ** (random() % 9) * (random() % 2 ? -1 : 1)));
  }
  lists.push([0, -0, 0, -0, 1, -1], [3, NaN, 1], [2, Infinity, -Infinity, 1, Infinity], [2147483647, -2147483648, 0, 10, 9, -10, -9, 100, 1], [3, undefined, 1], [3, , 1], [3, "2", 10], [2, null, 1], [true, 0], [5n, 3n], [0.1, 10, 9.5, 1e21, 1e-7]);
  const text = (a, b) => { const x = String(a), y = String(b); return x < y ? -1 : x > y ? 1 : 0; };
  const byText = (values) => [...values.filter((value) => value !== undefined).sort(text), ...Array.from(values).filter((value, at) => value === undefined && at in values)];
  for (const values of lists) {
    const name = told(values).slice(0, 60);
    same(`${name} as text`, [...values].sort(), byText([...values]));
    const ends = (compare) => thrown(() => values.slice().sort(compare));
    same(`${name} up`, ends((a, b) => a - b), ends((a, b) => [a - b][0]));
    same(`${name} down`, ends((a, b) => b - a), ends((a, b) => [b - a][0]));
    same(`${name} copied`, thrown(() => values.toSorted((a, b) => a - b)), thrown(() => values.toSorted((a, b) => [a - b][0])));
    const rows = values.map((key, at) => ({ at, key }));
    const ats = (compare) => thrown(() => rows.slice().sort(compare).map(({ at }) => at));
    same(`${name} by key`, ats((a, b) => a.key - b.key), ats((a, b) => [a.key - b.key][0]));
    same(`${name} by key, down`, ats((a, b) => b.key - a.key), ats((a, b) => [b.key - a.key][0]));
  }
  same("getters are asked", (() => { let asked = 0; const row = (n) => ({ get key() { asked++; return n; } }); [row(2), row(1)].sort((a, b) => a.key - b.key); return asked; })(), 2);
  same("different keys", [{ a: 1, b: 2 }, { a: 3, b: 1 }].sort((x, y) => x.b - y.a).length, 2);
  same("keys that are inherited", [{ __proto__: { key: 2 } }, { __proto__: { key: 1 } }].sort((a, b) => a.key - b.key).map(({ key }) => key), [1, 2]);
  same("one that is missing", [{ key: 2 }, {}, { key: 1 }].sort((a, b) => a.key - b.key).length, 3);
  same("the same array", (() => { const values = [2, 1]; return values.sort() === values; })(), true);
  same("frozen", thrown(() => Object.freeze([2, 1]).sort()), "TypeError");
  same("what is like an array", Array.prototype.sort.call({ length: 2, 0: 5, 1: 3 }, (a, b) => a - b), { length: 2, 0: 3, 1: 5 });
  same("what is no function", thrown(() => [1].sort(1)), "TypeError");

  // New functions.
  const described = (f) => ["length", "name"].map((key) => Object.getOwnPropertyDescriptor(f, key)).map(({ value, writable, enumerable, configurable }) => [value, writable, enumerable, configurable]);
  same("a function's own", described((a, b) => a + b), [[2, false, false, true], ["", false, false, true]]);
  same("a method's own", described({ m(a) { return a; } }.m), [[1, false, false, true], ["m", false, false, true]]);
  same("a class's own", (() => { class A { static name() {} constructor(a, b, c) {} } return [A.length, typeof A.name]; })(), [3, "function"]);
  same("keys in order", Reflect.ownKeys(function f(a) {}).join(), "length,name,prototype");
  // Groups of regular expressions.
  const times = (count, item) => Array.from({ length: count }, (_, at) => item(at));
  for (const count of [2, 254, 255, 256, 257, 258, 513, 4000]) {
    const words = times(count - 2, (at) => `z${at}`);
    same(`one name in the first and the last of ${count}`, new RegExp(`^(?:(?<a>X)|${words.join("|")}|(?<a>Y))$`).exec("Y").groups.a, "Y");
    same(`${count} of one name`, new RegExp(times(count, (at) => `(?<a>${at}):`).join("|")).exec(`${count - 1}:`).groups.a, `${count - 1}`);
    const names = new RegExp(times(count, (at) => `(?<g${at}>.)`).join("") + `\\k<g${count - 1}>\\${count}`, "d");
    const text = times(count, (at) => String.fromCharCode(97 + (at % 26))).join("");
    const last = text.at(-1);
    const found = names.exec(text + last + last);
    same(`${count} names`, [Object.keys(found.groups).length, found.groups.g0, found.groups[`g${count - 1}`], found.length], [count, "a", last, count + 1]);
    same(`the places of ${count}`, found.indices.groups[`g${count - 1}`], [count - 1, count]);
    same(`${count} referred to in vain`, names.test(`${text}${last}!`), false);
    same(`${count} replaced`, `${text}${last}${last}.`.replace(names, `$<g${count - 1}>-$<g0>`), `${last}-a.`);
    const any = new RegExp(`^(?:${times(count, (at) => `(${at},)`).join("|")})*$`).exec(`${times(count, (at) => `${at},`).join("")}0,`);
    same(`of ${count} the last round alone`, any.filter((group) => group !== undefined), [any[0], "0,"]);
    same(`behind ${count}`, new RegExp(`(?<=^\\${count}${"(x)".repeat(count)})y`).test(`${"x".repeat(count + 1)}y`), true);
    same(`${count} without a match are reset`, new RegExp(`^(?:${"(x)?".repeat(count)}y)+\\${count}$`).exec(`${"x".repeat(count)}yy`).filter((group) => group !== undefined).length, 1);
  }
  const referred = new RegExp(`^(?:${times(600, (at) => `(?<y>q${at}),`).join("|")})\\k<y>$`);
  same("a reference to the one of 600 that matched", ["q500,q500", "q500,q501", "q3,q3"].map((text) => referred.test(text)), [true, false, true]);
  same("a reference before 300", new RegExp(`\\k<z>(?:${times(300, (at) => `(?<z>q${at}),`).join("|")})`).exec("q299,").groups.z, "q299");
  same("as many as can be", new RegExp("(x)".repeat(65534)).exec("x".repeat(65534)).length, 65535);
  same("one more", thrown(() => new RegExp("(x)".repeat(65535))), "SyntaxError");
  for (const twice of ["(?<a>x)(?<a>y)", "(?<a>x)(?:y|(?<a>z))", "(?:(?<a>x)|y)(?<a>z)", "(?<a>x|(?<a>y))", "(?:(?<a>x)|(?<b>y)(?<b>z))", "(?:(?:(?<a>x)|y)|z)(?<a>w)", "x|(?<a>y)(?:z|(?<a>w))", "(?=(?<a>x)|y)(?<a>z)"]) {
    same(`${twice} is refused`, thrown(() => new RegExp(twice)), "SyntaxError");
    same(`${twice} behind 300`, thrown(() => new RegExp(`${times(300, (at) => `(?<g${at}>x)`).join("|")}|${twice}`)), "SyntaxError");
  }
  for (const once of ["(?<a>x)|(?<a>y)", "(?:(?<a>x)|(?:(?<a>y)|(?<a>z)))", "(?<b>(?<a>x)|(?<a>y))", "(?:(?<a>x)|y)|(?<a>z)|(?:w|(?<a>v))"]) same(`${once} is taken`, new RegExp(once).exec("x")?.groups.a, "x");
  // BigInts, which integers of tools are that numbers can't tell apart.
  const ids = [9007199254740993n, 2, 1915883588174806058n, -9007199254740993n, 0.5, 1915883588174806057n, 18446744073709551616n, 2 ** 60];
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  same("BigInts and numbers up", ids.toSorted((a, b) => a - b), ids.toSorted(order));
  same("BigInts and numbers down", ids.toSorted((a, b) => b - a), ids.toSorted((a, b) => order(b, a)));
  same("rows by BigInts", ids.map((id) => ({ id })).sort((a, b) => a.id - b.id).map(({ id }) => id), ids.toSorted(order));
  same("nearest to one number", [7n, 3n, 5n].map((n) => n + (1n << 62n)).sort((a, b) => a - b).map((n) => n - (1n << 62n)), [3n, 5n, 7n]);
  same("too large to be sorted by numbers", [2n ** 200n, 1n, 2n ** 199n].sort((a, b) => a - b).map(String), [1n, 2n ** 199n, 2n ** 200n].map(String));
  same("what compares gives BigInts", [5n, 3n, 4n].sort((a, b) => 1n * (a - b)), [3n, 4n, 5n]);
  same("typed", [...new BigInt64Array([3n, -1n]).sort((a, b) => a - b)], [-1n, 3n]);
  same("negative ones and fractions", [-3n > -4.5, -3n < -2.5, -(2n ** 62n) < -1, 3n < 4.5], [true, true, true, true]);
  same("as JSON", JSON.stringify({ a: [2n ** 62n, Object(1n)] }), `{"a":["4611686018427387904","1"]}`);
  same("by a replacer", JSON.stringify([5n, 2n ** 62n], (key, value) => (value === 5n ? Number(value) : value), 1), `[\n 5,\n "4611686018427387904"\n]`);
  const said = (act) => { try { return act(); } catch (error) { return error.message; } };
  const id = 1915883588174806058n;
  same("with a number", said(() => id + 1), "1915883588174806058n is a BigInt and 1 a number, and + takes two of a kind: write `+ 1n`, or of a variable `+ BigInt(…)`");
  same("after a number", said(() => 2 * id), "2 is a number and 1915883588174806058n a BigInt, and * takes two of a kind: write `2n *`, or of a variable `BigInt(…) *`");
  same("with a fraction", said(() => id / 0.5), "1915883588174806058n is a BigInt and 0.5 a number, and / takes two of a kind: write `Number(…)` for the BigInt, which rounds it");
  for (const [sign, act] of Object.entries({ "-": () => id - 1, "%": () => id % 1, "**": () => id ** 1, "&": () => id & 1, "|": () => id | 1, "^": () => id ^ 1, "<<": () => id << 1, ">>": () => id >> 1 })) same(`${sign} with a number`, said(act).endsWith(`write \`${sign} 1n\`, or of a variable \`${sign} BigInt(…)\``), true);
  same("to functions of numbers", said(() => Math.max(id)), "cannot convert BigInt to number; write `Number(…)`, which rounds it");
  return { count, failed };
});
