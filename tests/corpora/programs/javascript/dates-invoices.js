// Due dates and late fees with plain Date objects in UTC.
const DAY = 24 * 60 * 60 * 1000;
const parse = (text) => { const [y, m, d] = text.split("-").map(Number); return new Date(Date.UTC(y, m - 1, d)); };
const addDays = (date, n) => new Date(date.getTime() + n * DAY);
const iso = (date) => date.toISOString().slice(0, 10);
const today = parse("2024-03-01");
const invoices = [
  { number: "A-1", issued: "2024-01-31", terms: 30, amount: 1200.5 },
  { number: "A-2", issued: "2023-12-15", terms: 60, amount: 99.99 },
  { number: "A-3", issued: "2024-02-29", terms: 14, amount: 10000 },
].map((invoice) => ({ ...invoice, due: addDays(parse(invoice.issued), invoice.terms) }));
invoices.sort((a, b) => a.due - b.due);
for (const { number, due, amount } of invoices) {
  const late = Math.max(0, Math.round((today - due) / DAY));
  console.log(`${number.padEnd(5)} due ${iso(due)} late ${String(late).padStart(3)} fee ${(amount * 0.015 * late / 30).toFixed(2)}`);
}
console.table(invoices.map(({ number, due, amount }) => ({ number, due: iso(due), amount })));
console.log(invoices[0]);
console.log(new Date(2024, 0, 31).toString(), new Date(NaN).getTime(), String(new Date(NaN)), new Date("2024-02-30").getDate());
try { new Date(NaN).toISOString(); } catch (error) { console.log(error.name); }
console.log(JSON.stringify({ at: today, bad: new Date(NaN) }), today.toUTCString(), today.toDateString(), Date.UTC(99, 0), typeof (today + 1), today * 1);
console.log([new Date(0, 0).getFullYear(), new Date(8.64e15).toISOString(), new Date(8.64e15 + 1).valueOf(), new Date(2024, 12, 0, 25).toISOString()]);
