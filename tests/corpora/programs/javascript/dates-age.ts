const people: Record<string, string> = { Ada: "1815-12-10", Leap: "2000-02-29", Grace: "1906-12-09", Today: "2025-06-30" };
const now = Temporal.PlainDate.from("2025-06-30");
for (const [name, text] of Object.entries(people)) {
  const born = Temporal.PlainDate.from(text);
  const { years, months, days } = born.until(now, { largestUnit: "years" });
  let next = born.with({ year: now.year });
  if (Temporal.PlainDate.compare(next, now) <= 0) next = born.with({ year: now.year + 1 });
  console.log(`${name.padEnd(6)} ${born.toLocaleString("en-GB", { dateStyle: "full" })}: ${years}y ${months}m ${days}d; next ${next} in ${now.until(next).days} days`);
}
const oldest = Object.entries(people).toSorted(([, a], [, b]) => a.localeCompare(b))[0]!;
console.log(oldest, Object.values(people).map((p) => new Date(p).getUTCDay()), now.dayOfYear, now.weekOfYear);
