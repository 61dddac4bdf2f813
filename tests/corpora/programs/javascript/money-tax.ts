interface Bracket { readonly upTo: number; readonly rate: number }
const brackets: readonly Bracket[] = [{ upTo: 11_000, rate: 0 }, { upTo: 30_000, rate: 0.2 }, { upTo: 80_000, rate: 0.35 }, { upTo: Infinity, rate: 0.45 }];
function tax(income: number): { total: number; parts: number[] } { let from = 0; const parts: number[] = []; for (const { upTo, rate } of brackets) { if (income <= from) break; parts.push(Math.round((Math.min(income, upTo) - from) * rate * 100) / 100); from = upTo; } return { total: parts.reduce((a, b) => a + b, 0), parts }; }
for (const income of [0, 10_999.99, 11_000, 45_678.9, 250_000]) { const { total, parts } = tax(income); console.log(income.toLocaleString("en-US", { style: "currency", currency: "USD" }).padStart(12), total.toFixed(2).padStart(10), (income && total / income).toLocaleString("en", { style: "percent", minimumFractionDigits: 1 }).padStart(6), parts); }
const gross = (net: number): number => { let [low, high] = [net, net * 3]; while (high - low > 0.005) { const middle = (low + high) / 2; if (middle - tax(middle).total < net) low = middle; else high = middle; } return Math.round(high * 100) / 100; };
console.log([20_000, 50_000].map((n) => gross(n)));
console.table(brackets); console.log(brackets.map(({ upTo }) => new Intl.NumberFormat("de", { notation: "compact" }).format(upTo)));
