// Dates and times in en-US and UTC.
const dates = [Date.UTC(2024, 0, 5, 0, 3, 7, 45), Date.UTC(2024, 10, 25, 14, 30, 9, 678), Date.UTC(1999, 11, 31, 12, 0, 0), Date.UTC(2020, 1, 29, 23, 59, 59, 999)].map((ms) => new Date(ms));
const show = (f) => {
  try {
    console.log(JSON.stringify(f()));
  } catch (e) {
    console.log(e.name, e.message);
  }
};
const options = [
  undefined, {}, { dateStyle: "full" }, { dateStyle: "long" }, { dateStyle: "medium" }, { dateStyle: "short" }, { timeStyle: "full" }, { timeStyle: "long" }, { timeStyle: "medium" },
  { timeStyle: "short" }, { dateStyle: "full", timeStyle: "full" }, { dateStyle: "long", timeStyle: "long" }, { dateStyle: "medium", timeStyle: "medium" }, { dateStyle: "short", timeStyle: "short" },
  { dateStyle: "full", timeStyle: "short" }, { dateStyle: "medium", timeStyle: "short" }, { dateStyle: "short", timeStyle: "long", hour12: false },
  { year: "numeric", month: "long", day: "numeric" }, { weekday: "long", year: "numeric", month: "long", day: "numeric" }, { year: "numeric", month: "short", day: "numeric" },
  { weekday: "short", year: "numeric", month: "short", day: "2-digit" }, { year: "numeric", month: "2-digit", day: "2-digit" }, { year: "2-digit", month: "numeric", day: "numeric" },
  { month: "long", year: "numeric" }, { month: "short", year: "2-digit" }, { month: "long" }, { month: "short" }, { month: "narrow" }, { month: "numeric" }, { month: "2-digit" },
  { month: "short", day: "numeric" }, { month: "long", day: "numeric" }, { month: "numeric", day: "numeric" }, { year: "numeric", month: "2-digit" }, { year: "numeric" }, { year: "2-digit" },
  { day: "numeric" }, { day: "2-digit" }, { weekday: "long" }, { weekday: "short" }, { weekday: "narrow" }, { weekday: "short", month: "short", day: "numeric" },
  { weekday: "long", month: "numeric", day: "numeric" }, { weekday: "short", day: "numeric" }, { weekday: "long", month: "long" },
  { hour: "numeric" }, { hour: "2-digit" }, { hour: "numeric", minute: "2-digit" }, { hour: "2-digit", minute: "2-digit" }, { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  { hour: "numeric", minute: "numeric", second: "numeric", fractionalSecondDigits: 3 }, { minute: "2-digit", second: "2-digit" }, { minute: "numeric" }, { second: "numeric" }, { fractionalSecondDigits: 2 },
  { hour12: false }, { hour12: true }, { hourCycle: "h23" }, { hour: "numeric", hour12: false }, { hour: "2-digit", minute: "2-digit", hour12: false }, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  { hour: "numeric", minute: "2-digit", hourCycle: "h11" }, { timeZone: "UTC" }, { timeZone: "utc", timeZoneName: "short" }, { timeZoneName: "short" }, { timeZoneName: "long" }, { timeZone: "Etc/UTC" },
  { hour: "numeric", minute: "2-digit", timeZoneName: "short" }, { year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit" },
  { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" },
  { weekday: "long", hour: "numeric" }, { weekday: "short", hour: "numeric", minute: "2-digit" }, { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false },
  { weekday: "long", year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "numeric", timeZoneName: "short" }, { month: "long", day: "numeric", hour: "numeric" },
];
for (const option of options) {
  console.log(JSON.stringify(option));
  for (const method of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) show(() => dates.map((date) => date[method]("en-US", option)));
  show(() => dates.map((date) => new Intl.DateTimeFormat("en-US", option).format(date)));
}
for (const option of [undefined, { dateStyle: "medium", timeStyle: "long" }, { weekday: "long", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", hour12: true }]) {
  show(() => new Intl.DateTimeFormat("en-US", option).formatToParts(dates[1]));
}
for (const bad of [{ dateStyle: "x" }, { month: "x" }, { dateStyle: "short", hour: "numeric" }, { timeStyle: "short", month: "long" }, { hourCycle: "h25" }, { fractionalSecondDigits: 4 }]) {
  show(() => dates[0].toLocaleString("en-US", bad));
}
show(() => dates[0].toLocaleDateString("en-US", { timeStyle: "short" }));
show(() => dates[0].toLocaleTimeString("en-US", { dateStyle: "short" }));
show(() => new Date(NaN).toLocaleString());
show(() => new Intl.DateTimeFormat("en-US").format(new Date(NaN)));
show(() => new Intl.DateTimeFormat("en-US").format(0));
show(() => Intl.DateTimeFormat("en-US").format(dates[0]));
show(() => dates.map(new Intl.DateTimeFormat("en-US").format));
show(() => [dates[0].toLocaleString(), dates[0].toLocaleDateString(), dates[0].toLocaleTimeString(), dates[0].toLocaleDateString("en"), dates[0].toLocaleDateString(undefined, { month: "short" })]);
for (const option of [undefined, { dateStyle: "short" }, { hour: "numeric" }, { timeStyle: "short", hourCycle: "h23" }]) {
  show(() => new Intl.DateTimeFormat("en-US", option).resolvedOptions());
}
show(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
try {
  new Intl.DateTimeFormat("en-US", { timeZone: "Nowhere/Town" });
} catch (e) {
  console.log(e.name, e.message.startsWith("Invalid time zone specified: Nowhere/Town"));
}
