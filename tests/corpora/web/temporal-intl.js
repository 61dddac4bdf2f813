// Values of Temporal as locales show them.
const { Instant, PlainDate, PlainDateTime, PlainMonthDay, PlainTime, PlainYearMonth, ZonedDateTime } = Temporal;
const values = {
  date: PlainDate.from("2026-03-07"), time: PlainTime.from("15:04:09.876"), dateTime: PlainDateTime.from("2024-12-31T23:59:08"), instant: Instant.from("2026-07-01T09:30:05Z"),
  month: PlainYearMonth.from("2026-03-01[u-ca=gregory]"), day: PlainMonthDay.from("1972-12-24[u-ca=gregory]"), zoned: ZonedDateTime.from("2026-07-01T09:30:05[America/New_York]"),
};
const later = {
  date: PlainDate.from("2026-03-11"), time: PlainTime.from("17:30"), dateTime: PlainDateTime.from("2025-01-02T08:00"), instant: Instant.from("2026-07-01T19:30:05Z"),
  month: PlainYearMonth.from("2026-05-01[u-ca=gregory]"), day: PlainMonthDay.from("1972-12-26[u-ca=gregory]"),
};
const options = [
  undefined, {}, { dateStyle: "full" }, { dateStyle: "long" }, { dateStyle: "medium" }, { dateStyle: "short" }, { timeStyle: "full" }, { timeStyle: "long" }, { timeStyle: "medium" }, { timeStyle: "short" },
  { dateStyle: "full", timeStyle: "full" }, { dateStyle: "medium", timeStyle: "short" }, { dateStyle: "short", timeStyle: "long" },
  { year: "numeric", month: "long", day: "numeric" }, { weekday: "short", month: "short", day: "numeric" }, { month: "long" }, { year: "2-digit", month: "2-digit", day: "2-digit" }, { weekday: "long" },
  { hour: "numeric" }, { hour: "2-digit", minute: "2-digit" }, { hour: "numeric", minute: "numeric", hourCycle: "h23" }, { minute: "2-digit", second: "2-digit", fractionalSecondDigits: 2 },
  { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }, { era: "short", year: "numeric" }, { day: "numeric" }, { timeZone: "Asia/Tokyo" }, { timeZoneName: "short" },
  { timeZone: "Asia/Tokyo", dateStyle: "medium", timeStyle: "long" },
];
const TIMES = ["hour", "minute", "second", "fractionalSecondDigits"];
const DATES = ["weekday", "year", "month", "day"];
const show = (name, of) => {
  let shown;
  try {
    // Versions of CLDR differ in spaces alone.
    shown = `${of()}`.replace(/[\u202f\u2009\u00a0]/g, " ");
  } catch (error) {
    shown = error.name;
  }
  console.log(name, shown);
};
for (const locale of ["en-US", "en-GB", "de-DE", "fr-FR", "es-MX"]) {
  for (const option of options) {
    for (const [name, value] of Object.entries(values)) {
      // What is left of a style for a month is the engine's choice.
      if ((name === "month" || name === "day") && option?.dateStyle !== undefined && locale !== "en-US") continue;
      const title = `${locale} ${name} ${JSON.stringify(option)}`;
      // Of fields that the value has not, the polyfill makes errors where the language leaves them out.
      const hasRange = name === "date" || name === "time" || (name === "dateTime" && option?.day === undefined);
      const foreign = { date: TIMES, time: DATES, month: [...TIMES, "day", "weekday"], day: [...TIMES, "year", "weekday"] }[name] ?? [];
      if (!foreign.some((field) => option?.[field] !== undefined)) show(title, () => value.toLocaleString(locale, option));
      if (name === "zoned") continue;
      show(`${title} format`, () => new Intl.DateTimeFormat(locale, option).format(value));
      if (hasRange && (locale === "en-US" || locale === "de-DE")) show(`${title} range`, () => new Intl.DateTimeFormat(locale, option).formatRange(value, later[name]));
    }
  }
}
