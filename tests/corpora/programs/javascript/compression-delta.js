const series = Array.from({ length: 64 }, (_, i) => Math.round(1000 + 50 * Math.sin(i / 5) + (i % 7)));
const zigzag = (n) => (n << 1) ^ (n >> 31), unzigzag = (n) => (n >>> 1) ^ -(n & 1);
const varint = (list) => { const out = []; for (let n of list) { while (n > 127) { out.push((n & 127) | 128); n >>>= 7; } out.push(n); } return Uint8Array.from(out); };
function* unvarint(bytes) { let n = 0, shift = 0; for (const b of bytes) { n |= (b & 127) << shift; if (b & 128) shift += 7; else { yield n; n = shift = 0; } } }
const packed = varint(series.map((n, i) => zigzag(n - (series[i - 1] ?? 0))));
let last = 0; const back = [...unvarint(packed)].map((d) => (last += unzigzag(d)));
console.log(series.slice(0, 8), packed.length, packed.subarray(0, 10), back.every((n, i) => n === series[i]));
const bits = (list, width) => { const out = new Uint8Array(Math.ceil((list.length * width) / 8)); list.forEach((n, i) => { for (let b = 0; b < width; b++) if ((n >> b) & 1) out[(i * width + b) >> 3] |= 1 << ((i * width + b) & 7); }); return out; };
console.log(bits([1, 2, 3, 4, 5, 6, 7], 3), [...bits([5, 10], 4)].map((x) => x.toString(2).padStart(8, "0")), packed.buffer.byteLength, Array.from(packed.slice(-3)));
const lz = (s, window = 32) => { const out = []; for (let i = 0; i < s.length; ) { let best = [0, 0]; for (let j = Math.max(0, i - window); j < i; j++) { let n = 0; while (n < 15 && i + n < s.length && s[j + n] === s[i + n]) n++; if (n > best[1]) best = [i - j, n]; } if (best[1] > 3) { out.push(best); i += best[1]; } else out.push(s[i++]); } return out; };
const unlz = (t) => t.reduce((s, x) => { if (typeof x === "string") return s + x; for (let i = 0; i < x[1]; i++) s += s[s.length - x[0]]; return s; }, ""); const text = "abracadabra abracadabra aaaaaaaaaaaa"; console.log(lz(text), unlz(lz(text)) === text);
