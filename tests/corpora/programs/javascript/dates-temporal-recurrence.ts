type Rule = { every: Temporal.DurationLike; count: number; skip?: (day: Temporal.PlainDate) => boolean };
function* occurrences(start: Temporal.PlainDate, { every, count, skip = () => false }: Rule): Generator<Temporal.PlainDate> {
  let n = 0, found = 0;
  while (found < count) {
    const step = Object.fromEntries(Object.entries(every).map(([unit, value]) => [unit, (value as number) * n])) as Temporal.DurationLike;
    const day = start.add(step);
    n++;
    if (!skip(day)) { found++; yield day; }
  }
}
const weekend = (day: Temporal.PlainDate): boolean => day.dayOfWeek > 5;
const rules: Record<string, Rule> = { monthly: { every: { months: 1 }, count: 5 }, "every 3 weeks": { every: { weeks: 3 }, count: 4 }, workdays: { every: { days: 1 }, count: 6, skip: weekend }, yearly: { every: { years: 1 }, count: 5 } };
for (const [name, rule] of Object.entries(rules)) console.log(name.padEnd(14), [...occurrences(Temporal.PlainDate.from("2024-02-29"), rule)].map((d) => d.toString().slice(2)).join(" "));
const lastFriday = (month: Temporal.PlainYearMonth) => { const last = month.toPlainDate({ day: month.daysInMonth }); return last.subtract({ days: (last.dayOfWeek + 2) % 7 }); };
console.log(Array.from({ length: 4 }, (_, i) => lastFriday(Temporal.PlainYearMonth.from("2024-03").add({ months: i * 3 })).toString()));
const age = (born: string, on: string) => { const { years, months, days } = Temporal.PlainDate.from(born).until(on, { largestUnit: "year" }); return `${years}y ${months}m ${days}d`; };
console.log(age("2000-02-29", "2023-02-28"), age("2000-02-29", "2023-03-01"), age("1990-12-31", "2024-01-01"));
const quarters = new Map<string, number>();
for (const d of occurrences(Temporal.PlainDate.from("2023-01-15"), { every: { days: 40 }, count: 15 })) { const q = `${d.year}Q${Math.ceil(d.month / 3)}`; quarters.set(q, (quarters.get(q) ?? 0) + 1); }
console.log(quarters);
console.log(Temporal.Duration.compare({ hours: 24 }, { days: 1 }), Temporal.Duration.from("-P1Y2M3W4DT5H6M7.008009S").abs().toString(), Temporal.PlainDateTime.from("2024-12-31T23:59:59.999").until("2025-01-01", { smallestUnit: "microsecond" }).toString());
