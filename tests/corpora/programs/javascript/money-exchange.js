const rates = new Map([["USD/EUR", 0.92], ["EUR/GBP", 0.86], ["GBP/USD", 1.271], ["USD/JPY", 149.5], ["JPY/EUR", 0.00618], ["GBP/CHF", 1.11]]);
const names = [...new Set([...rates.keys()].flatMap((pair) => pair.split("/")))].sort();
function best(source) {
  const distance = Object.fromEntries(names.map((n) => [n, n === source ? 0 : Infinity])), before = {};
  for (let round = 1; round < names.length; round++) for (const [pair, rate] of rates) {
    const [a, b] = pair.split("/");
    if (b !== source && distance[a] - Math.log(rate) < distance[b] - 1e-12) { distance[b] = distance[a] - Math.log(rate); before[b] = a; }
  }
  return { distance, before };
}
const { distance, before } = best("USD");
for (const name of names) { const path = [name]; while (path[0] in before) path.unshift(before[path[0]]); console.log(`USD→${name}: ${Math.exp(-distance[name]).toFixed(6)} via ${path.join(">")}`); }
const permutations = (list, n) => n === 0 ? [[]] : list.flatMap((x, i) => permutations([...list.slice(0, i), ...list.slice(i + 1)], n - 1).map((rest) => [x, ...rest]));
const cycles = permutations(names, 3).filter(([a, b, c]) => a < b && a < c).map((p) => [p, [...p, p[0]].slice(1).reduce((value, name, i) => value * (rates.get(`${p[i]}/${name}`) ?? NaN), 1)]).filter(([, v]) => !Number.isNaN(v));
console.log(cycles.map(([p, v]) => `${p.join("→")} ${v.toFixed(8)}`));
console.log(rates, new Set(names), names.map((n) => new Intl.DisplayNames("en", { type: "currency" }).of(n)), new Intl.DisplayNames("de", { type: "currency" }).of("USD"));
console.log(Object.entries(distance).map(([k, v]) => [k, +v.toFixed(4)]), JSON.stringify(distance, (key, value) => value === 0 ? undefined : typeof value === "number" ? +value.toFixed(2) : value, " "), JSON.stringify([Infinity, NaN, -0]));
const luhn = (digits) => [...digits].reverse().reduce((sum, d, i) => sum + (i % 2 ? (d *= 2) > 9 ? d - 9 : d : +d), 0) % 10 === 0;
const iban = (text) => { const t = text.replace(/\s/g, ""); return [...t.slice(4), ...t.slice(0, 4)].map((c) => parseInt(c, 36)).join("").match(/\d{1,7}/g).reduce((rest, part) => Number(rest + part) % 97, "") === 1; };
console.log(luhn("4539578763621486"), luhn("1234567812345678"), iban("GB82 WEST 1234 5698 7654 32"), iban("DE89370400440532013000"), iban("DE89370400440532013001"));
const roman = (n) => Object.entries({ M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 }).reduce((s, [k, v]) => { while (n >= v) { s += k; n -= v; } return s; }, ""); console.log([4, 9, 1994, 2024, 3999].map(roman));
