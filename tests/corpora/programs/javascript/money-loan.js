function* schedule({ principal, rate, months }) {
  const monthly = rate / 12, payment = Math.ceil(principal * monthly / (1 - (1 + monthly) ** -months) * 100) / 100;
  for (let month = 1, balance = principal; month <= months && balance > 0; month++) {
    const interest = Math.round(balance * monthly * 100) / 100, part = Math.min(payment - interest, balance);
    balance = Math.round((balance - part) * 100) / 100;
    yield { month, payment, interest, part: +part.toFixed(2), balance };
  }
}
const rows = [...schedule({ principal: 250000, rate: 0.0375, months: 36 })];
console.table([...rows.slice(0, 2), ...rows.slice(-2)]);
console.table(rows.slice(0, 2), ["month", "balance"]);
const eur = new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" });
console.log(rows.length, eur.format(rows.reduce((sum, r) => sum + r.interest, 0)), rows.findIndex((r) => r.balance < 125000));
console.log("%s pays %d in %i months at %f%% %o %O %j %c done", "Ann", 1.9, 36.9, "3.75", [1], { a: 1 }, 2, "color: red");
const byYear = Object.groupBy(rows, ({ month }) => `year ${Math.ceil(month / 12)}`);
for (const [year, list] of Object.entries(byYear)) console.log(year.padEnd(8, "."), list.map((r) => r.interest).reduce((a, b) => a + b, 0).toFixed(2).padStart(10));
console.log(rows.at(-1), Math.max(...rows.map((r) => r.part)), Number.EPSILON > 0, (0.1).toFixed(1) === "0.1", 1.005 * 100, Math.round(1.005 * 100) / 100, Math.round(-0.5), Math.round(2.5), Math.trunc(-4.7), Math.fround(5.5), Math.hypot(3, 4), Math.sign(-0), Math.clz32(1), Math.imul(0xffffffff, 5), Math.log10(1000), Math.cbrt(27), Math.expm1(0));
console.log(parseFloat("3.14abc"), parseInt("12px"), Number(""), Number(" 12 "), Number("0x1f"), Number("1_000"), +[], +{}, +[5], Number(null), Number(undefined), parseInt("1e3"), parseInt(0.0000005), (12.345).toFixed(1), (-1.5).toFixed(0), (1e-7).toString(), 123456789012345680000 + "", 2 ** 53 + 1, 0.1 * 3, 5 % -3, -5 % 3, 2 ** -1, 7 / 0, Number.MAX_SAFE_INTEGER, Number.isInteger(5.0), (25).toString(36), 1 / 3);
