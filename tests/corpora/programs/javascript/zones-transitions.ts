interface Transition { at: Temporal.ZonedDateTime; before: string; after: string }
function* transitions(zone: string, year: number): Iterable<Transition> {
  let at = Temporal.ZonedDateTime.from(`${year}-01-01T00:00[${zone}]`);
  while (true) {
    const next = at.getTimeZoneTransition("next");
    if (!next || next.year !== year) return;
    yield { at: next, before: next.subtract({ nanoseconds: 1 }).offset, after: next.offset };
    at = next;
  }
}
const cases: [string, number][] = [["Europe/Paris", 2025], ["America/Sao_Paulo", 2018], ["Australia/Lord_Howe", 2024], ["Africa/Casablanca", 2024], ["Pacific/Apia", 2011], ["Asia/Tokyo", 2024], ["America/Caracas", 2016], ["Europe/London", 1968], ["Asia/Gaza", 2023], ["Antarctica/Troll", 2024]];
for (const [zone, year] of cases) {
  const all = [...transitions(zone, year)];
  console.log(zone.padEnd(20), all.length ? all.map(({ at, before, after }) => `${at.toPlainDateTime()} ${before}→${after}`).join("; ") : "none");
}
const offsetAt = (zone: string, date: string): string => new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(new Date(date)).find(({ type }) => type === "timeZoneName")!.value;
for (const [zone, date] of [["Europe/Moscow", "2012-07-01"], ["Asia/Shanghai", "1988-07-01"], ["Africa/Monrovia", "1971-06-01"], ["America/New_York", "1850-01-01"], ["Europe/Amsterdam", "1930-07-01"], ["Asia/Pyongyang", "2016-01-01"], ["Europe/Rome", "2200-07-01"]]) console.log(zone, date, offsetAt(zone, date));
const day = Temporal.PlainDate.from("2011-12-29").toZonedDateTime("Pacific/Apia");
console.log(day.add({ days: 1 }).toString(), day.hoursInDay, day.until(day.add({ hours: 24 }), { largestUnit: "day" }).toString());
