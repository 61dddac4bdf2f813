// The locales that scripts use to get 2024-01-05.
const dates = [new Date(Date.UTC(2024, 0, 5, 15, 4, 9)), new Date(0), new Date(Date.UTC(2023, 11, 31, 0, 30))];
const numeric = { year: "numeric", month: "2-digit", day: "2-digit" };
for (const date of dates) {
  for (const locale of ["en-CA", "sv-SE", "sv"]) {
    console.log(locale, date.toLocaleDateString(locale), date.toLocaleDateString(locale, { timeZone: "UTC" }));
    console.log(locale, date.toLocaleDateString(locale, numeric), date.toLocaleDateString(locale, { year: "numeric", month: "2-digit" }));
    console.log(locale, date.toLocaleString(locale), "|", date.toLocaleTimeString(locale));
    console.log(locale, new Intl.DateTimeFormat(locale).format(date), new Intl.DateTimeFormat(locale, { dateStyle: "short" }).format(date));
    console.log(locale, new Intl.DateTimeFormat(locale, numeric).formatToParts(date).map((part) => part.type).join(" "));
    console.log(locale, date.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hour12: false }));
    console.log(locale, date.toLocaleString(locale, { ...numeric, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }));
  }
  console.log(date.toLocaleDateString(["en-CA", "en-US"]), date.toLocaleDateString("en-CA", { year: "numeric", month: "short", day: "numeric" }));
}
console.log(new Intl.DateTimeFormat("sv-SE").resolvedOptions().locale, new Intl.DateTimeFormat("en-CA").resolvedOptions().locale);
