type Currency = "EUR" | "USD" | "JPY";
const DIGITS: Record<Currency, number> = { EUR: 2, USD: 2, JPY: 0 };
class Money<C extends Currency = Currency> {
  private constructor(readonly minor: bigint, readonly currency: C) {}
  static of<C extends Currency>(text: string, currency: C): Money<C> {
    const m = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
    if (!m) throw new TypeError(`no amount: ${text}`);
    const digits = DIGITS[currency], fraction = (m[3] ?? "").padEnd(digits, "0");
    if (fraction.length > digits) throw new RangeError(`${currency} has ${digits} digits`);
    return new Money(BigInt(`${m[1]}${m[2]}${fraction}`), currency);
  }
  plus(other: Money<C>): Money<C> { return new Money(this.minor + other.minor, this.currency); }
  times(numerator: number, denominator = 1): Money<C> {
    const a = this.minor * BigInt(numerator) * 2n, b = BigInt(denominator) * 2n, half = b / 2n;
    return new Money((a + (a < 0n ? -half : half)) / b, this.currency);
  }
  allocate(...ratios: number[]): Money<C>[] {
    const total = BigInt(ratios.reduce((a, b) => a + b)); let rest = this.minor;
    const parts = ratios.map((r) => { const part = (this.minor * BigInt(r)) / total; rest -= part; return part; });
    for (let i = 0; rest > 0n; i++, rest--) parts[i]!++;
    return parts.map((p) => new Money(p, this.currency));
  }
  toString(): string { const d = DIGITS[this.currency], s = (this.minor < 0n ? -this.minor : this.minor).toString().padStart(d + 1, "0"); return `${this.minor < 0n ? "-" : ""}${d ? `${s.slice(0, -d)}.${s.slice(-d)}` : s} ${this.currency}`; }
  get [Symbol.toStringTag]() { return "Money"; }
}
const price = Money.of("19.99", "EUR");
console.log(String(price), `${price.times(3)}`, `${price.times(19, 100)}`, `${Money.of("-0.05", "EUR").times(1, 2)}`, `${Money.of("98765", "JPY").times(11, 10)}`);
console.log(Money.of("100.00", "USD").allocate(1, 1, 1).map(String), Money.of("0.05", "USD").allocate(3, 7).join(" + "));
for (const bad of [() => Money.of("1,5", "EUR"), () => Money.of("1.5", "JPY"), () => price.times(0.5), () => (price.minor as unknown as number) * 2, () => BigInt("x"), () => 5n / 0n]) try { console.log(bad()); } catch (error) { console.log((error as Error).name); }
console.log(Object.prototype.toString.call(price), price.plus(Money.of("0.01", "EUR")).minor === 2000n, price, [price.times(2)]);
const ledger = new Map<string, Money<"EUR">>(); for (const [who, amount] of [["ann", "5.00"], ["bob", "7.25"], ["ann", "-1.10"]] as const) ledger.set(who, (ledger.get(who) ?? Money.of("0", "EUR")).plus(Money.of(amount, "EUR")));
console.log([...ledger].map(([k, v]) => `${k}=${v}`).join("; "), typeof price.minor, 7n ** 30n, -7n / 2n, -7n % 3n, BigInt.asUintN(8, -1n), BigInt.asIntN(8, 255n), 0x1fn, BigInt(2 ** 60), 10n > 9, 2n == 2, 5n.toString(2));
