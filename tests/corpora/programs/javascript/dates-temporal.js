const due = Temporal.PlainDate.from("2024-01-31");
for (const months of [1, 2, 13, -11]) console.log(months, due.add({ months }).toString(), due.add({ months }).dayOfWeek, due.add({ months }).inLeapYear);
console.log(due.until("2025-03-01", { largestUnit: "years" }).toString(), due.until("2025-03-01").days, due.since("2023-02-28", { largestUnit: "month" }).toString());
console.log(due.with({ day: 15 }).toString(), due.weekOfYear, due.yearOfWeek, due.dayOfYear, due.daysInMonth, due.equals("2024-01-31"), due.toPlainYearMonth().toString(), due.toPlainMonthDay().toString());
for (const text of ["2024-02-30", "2024-W05-1", "nonsense", "2024-1-1"]) {
  try { console.log(Temporal.PlainDate.from(text).toString()); } catch (error) { console.log(error.name, text); }
}
try { Temporal.PlainDate.from({ year: 2024, month: 2, day: 31 }, { overflow: "reject" }); } catch (error) { console.log(error.constructor.name); }
console.log(Temporal.PlainDate.from({ year: 2024, month: 2, day: 31 }).toString(), Temporal.PlainDate.compare("2024-01-01", "2023-12-31"));
const d = Temporal.Duration.from({ hours: 36, minutes: 90, seconds: 3661 });
console.log(d.toString(), d.round({ largestUnit: "day" }).toString(), d.total("minutes"), d.negated().sign, d.blank, Temporal.Duration.from("P1M").total({ unit: "days", relativeTo: "2024-02-01" }));
console.log(Temporal.PlainTime.from("23:30").add({ minutes: 45 }).toString(), Temporal.PlainDateTime.from("2024-02-29T12:00").round({ smallestUnit: "day" }).toString(), Temporal.Instant.fromEpochMilliseconds(1e12).toString(), Temporal.Instant.from("2024-01-01T00:00Z").epochNanoseconds);
console.log(JSON.stringify({ due, d }), `${due}`, Object.prototype.toString.call(due), [due, due.subtract({ weeks: 1 })].sort(Temporal.PlainDate.compare).map(String));
try { due < 5; due.valueOf(); } catch (error) { console.log(error.name); }
console.log(Temporal.PlainYearMonth.from("2024-02").daysInMonth, Temporal.PlainMonthDay.from("02-29").toPlainDate({ year: 2023 }).toString(), Temporal.PlainDate.from("2024-05-05[u-ca=hebrew]").year, due.withCalendar("japanese").eraYear, due.toLocaleString("en-GB", { dateStyle: "full" }));
