class Heap { #a = []; constructor(less) { this.less = less; } push(x) { const a = this.#a; a.push(x); for (let i = a.length - 1; i > 0;) { const p = (i - 1) >> 1; if (!this.less(a[i], a[p])) break; [a[i], a[p]] = [a[p], a[i]]; i = p; } } pop() { const a = this.#a, top = a[0], last = a.pop(); if (a.length) { a[0] = last; for (let i = 0; ;) { let c = 2 * i + 1; if (c >= a.length) break; if (c + 1 < a.length && this.less(a[c + 1], a[c])) c++; if (!this.less(a[c], a[i])) break; [a[i], a[c]] = [a[c], a[i]]; i = c; } } return top; } get size() { return this.#a.length; } }
const text = "she sells sea shells by the sea shore — ünïcode ✓ 😀";
const weights = new Map(); for (const c of text) weights.set(c, (weights.get(c) ?? 0) + 1);
let order = 0; const heap = new Heap((a, b) => a.w - b.w || a.n - b.n ? (a.w - b.w || a.n - b.n) < 0 : false);
for (const [c, w] of [...weights].sort(([a], [b]) => (a < b ? -1 : 1))) heap.push({ w, n: order++, c });
while (heap.size > 1) { const l = heap.pop(), r = heap.pop(); heap.push({ w: l.w + r.w, n: order++, l, r }); }
const codes = {}; (function walk(node, prefix) { if (node.c) codes[node.c] = prefix; else { walk(node.l, prefix + 0); walk(node.r, prefix + 1); } })(heap.pop(), "");
console.log(Object.entries(codes).sort(([a, x], [b, y]) => x.length - y.length || (a < b ? -1 : 1)).slice(0, 6));
const bits = [...text].map((c) => codes[c]).join(""), packed = new Uint8Array(Math.ceil(bits.length / 8));
for (let i = 0; i < bits.length; i++) packed[i >> 3] |= bits[i] << (7 - (i & 7));
console.log(new TextEncoder().encode(text).length, packed.length, Buffer.from(packed).toString("hex"), Buffer.from(packed).toString("base64"));
const back = Object.fromEntries(Object.entries(codes).map(([k, v]) => [v, k])); let out = "", word = "";
for (let i = 0; i < bits.length; i++) { word += (packed[i >> 3] >> (7 - (i & 7))) & 1; if (back[word]) { out += back[word]; word = ""; } }
console.log(out === text, Object.values(codes).reduce((s, c) => s + 2 ** -c.length, 0), packed.subarray(0, 4), [...weights].filter(([, n]) => n > 3));
