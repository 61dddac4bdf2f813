// Exact decimals on BigInt, as a small library.
class Decimal {
  constructor(digits, scale) { while (scale > 0 && digits % 10n === 0n) { digits /= 10n; scale--; } this.digits = digits; this.scale = scale; }
  static parse(text) { const m = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(String(text)); if (!m || !(m[2] + m[3])) throw new SyntaxError(`Not a number: ${text}`); const e = Number(m[4] ?? 0) - m[3].length; const d = BigInt(m[1] + m[2] + m[3]); return e > 0 ? new Decimal(d * 10n ** BigInt(e), 0) : new Decimal(d, -e); }
  static align(a, b) { const scale = Math.max(a.scale, b.scale); return [a.digits * 10n ** BigInt(scale - a.scale), b.digits * 10n ** BigInt(scale - b.scale), scale]; }
  add(o) { const [a, b, s] = Decimal.align(this, o); return new Decimal(a + b, s); }
  sub(o) { return this.add(new Decimal(-o.digits, o.scale)); }
  mul(o) { return new Decimal(this.digits * o.digits, this.scale + o.scale); }
  div(o, places = 20) { if (!o.digits) throw new RangeError("Division by zero"); return new Decimal(this.digits * 10n ** BigInt(places + o.scale) / (o.digits * 10n ** BigInt(this.scale)), places); }
  round(places) { if (this.scale <= places) return this; const unit = 10n ** BigInt(this.scale - places), half = unit / 2n, q = (this.digits + (this.digits < 0n ? -half : half)) / unit; return new Decimal(q, places); }
  cmp(o) { const [a, b] = Decimal.align(this, o); return a < b ? -1 : +(a > b); }
  toString() { const s = String(this.digits < 0n ? -this.digits : this.digits).padStart(this.scale + 1, "0"); return (this.digits < 0n ? "-" : "") + (this.scale ? `${s.slice(0, -this.scale)}.${s.slice(-this.scale)}` : s); }
  toJSON() { return this.toString(); }
}
const d = (t) => Decimal.parse(t);
console.log(`${d("0.1").add(d("0.2"))}`, 0.1 + 0.2, `${d("1.10").mul(d("1.10"))}`, `${d("1").div(d("3"))}`, `${d("-7").div(d("0.2"))}`);
console.log(["2.675", "2.665", "-0.005", "1e-3", "1.5e3"].map((t) => `${d(t).round(2)}`));
console.log(JSON.stringify({ total: d("10.50"), parts: [d("-3"), d(".25")] }), ["10", "9.99", "-1", "1e1"].map(d).sort((a, b) => a.cmp(b)).map(String));
for (const bad of ["", ".", "1,5", "--1", "1e"]) try { console.log(String(d(bad))); } catch ({ name, message }) { console.log(name, message); }
try { d("1").div(d("0")); } catch (error) { console.log(`${error}`); }
let sum = d("0"); for (let i = 0; i < 1000; i++) sum = sum.add(d("0.001")); console.log(`${sum}`, Array.from({ length: 1000 }, () => 0.001).reduce((a, b) => a + b));
const sqrt = (x, places = 30) => { let n = x.digits * 10n ** BigInt(2 * places - x.scale), r = n, last; if (n) { r = 10n ** BigInt(Math.ceil(String(n).length / 2)); do { last = r; r = (r + n / r) >> 1n; } while (r < last); r = last; } return new Decimal(r, places); };
console.log(`${sqrt(d("2"))}`, `${sqrt(d("144"))}`, d("1.20"), { price: d("5") });
