const entries = `2024-01-03 rent -850.00
2024-01-05 salary 3200.00
2024-01-09 food -45.10
2024-01-21 food -82.35
2024-02-03 rent -850.00
2024-02-05 salary 3200.00
2024-02-14 gifts -120.99`.split("\n").map((line) => { const [day, what, amount] = line.split(" "); return { day, what, cents: Math.round(Number(amount) * 100) }; });
const euro = (cents, locale = "de-DE") => (cents / 100).toLocaleString(locale, { style: "currency", currency: "EUR" });
const sums = entries.reduce((out, { day, what, cents }) => { const month = (out[day.slice(0, 7)] ??= {}); month[what] = (month[what] ?? 0) + cents; return out; }, {});
console.log(sums);
let balance = 0;
for (const { day, what, cents } of entries) console.log(day, what.padEnd(7), euro(cents).padStart(12), euro((balance += cents)).padStart(12));
for (const [month, list] of Object.entries(sums)) console.log(new Date(`${month}-01`).toLocaleDateString("fr-FR", { month: "long", year: "numeric" }), Object.entries(list).sort(([, a], [, b]) => a - b).map(([k, v]) => `${k}: ${euro(v, "fr-FR")}`).join("; "));
console.log(["en-US", "en-IN", "ja-JP", "nl-NL", "pl-PL"].map((l) => euro(-123456789, l)));
