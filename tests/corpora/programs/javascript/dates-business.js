const holidays = new Set(["2024-12-25", "2024-12-26", "2025-01-01"]);
const isBusiness = (day) => day.dayOfWeek < 6 && !holidays.has(day.toString());
function addBusinessDays(day, n) {
  const step = { days: Math.sign(n) };
  while (n !== 0) { day = day.add(step); if (isBusiness(day)) n -= Math.sign(n); }
  return day;
}
const start = Temporal.PlainDate.from("2024-12-23");
for (const n of [1, 5, 10, -3, 0]) console.log(String(n).padStart(3), addBusinessDays(start, n).toLocaleString("en-US", { weekday: "short", month: "short", day: "numeric" }));
const days = [];
for (let d = start; Temporal.PlainDate.compare(d, "2025-01-08") < 0; d = d.add({ days: 1 })) days.push(d);
const weeks = Map.groupBy(days.filter(isBusiness), (d) => `${d.yearOfWeek}-W${d.weekOfYear}`);
for (const [week, list] of weeks) console.log(week, list.map((d) => d.day).join(" "));
console.log(days.filter(isBusiness).length, days.find((d) => d.dayOfWeek === 7)?.toString(), days.findLast((d) => !isBusiness(d)).toString(), days.every((d) => d instanceof Temporal.PlainDate));
const sla = Temporal.ZonedDateTime.from("2024-12-24T15:30[America/New_York]");
const deadline = addBusinessDays(sla.toPlainDate(), 2).toZonedDateTime({ timeZone: sla.timeZoneId, plainTime: "09:00" });
console.log(deadline.toString(), sla.until(deadline).toString(), sla.until(deadline, { largestUnit: "day" }).toString(), deadline.withTimeZone("Asia/Tokyo").toPlainDateTime().toString());
console.log(deadline.startOfDay().toString({ timeZoneName: "never" }), deadline.hoursInDay, deadline.offset, deadline.epochMilliseconds, deadline.round({ smallestUnit: "hour", roundingMode: "ceil" }).hour);
