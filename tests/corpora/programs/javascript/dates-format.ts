const when: Date = new Date(Date.UTC(2024, 1, 29, 15, 4, 5, 678));
const locales = ["en-US", "en-GB", "de-DE", "fr-CA", "ja-JP", "ar-EG", "hi-IN", "pt-BR", "ko-KR", "th-TH"] as const;
for (const locale of locales) {
  const row = (["full", "long", "medium", "short"] as const).map((dateStyle) => new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: dateStyle === "full" ? undefined : "short", timeZone: "UTC" }).format(when));
  console.log(locale, JSON.stringify(row));
}
const options: Intl.DateTimeFormatOptions[] = [{ weekday: "short", hour: "numeric" }, { month: "narrow", day: "numeric" }, { year: "2-digit", month: "2-digit", day: "2-digit" }, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 2, hour12: false }, { era: "short", year: "numeric" }, { dayPeriod: "long", hour: "numeric" }, { hour: "numeric", hourCycle: "h23", timeZoneName: "short" }, { month: "long" }, { timeZoneName: "longOffset", minute: "numeric" }];
for (const option of options) console.log(JSON.stringify(option), "|", when.toLocaleString("en-US", { timeZone: "UTC", ...option }), "|", when.toLocaleString("de", { timeZone: "UTC", ...option }));
const parts = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" }).formatToParts(when);
console.log(Object.fromEntries(parts.filter((p) => p.type !== "literal").map((p) => [p.type, p.value] as [string, string])), parts.length);
const range = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", year: "numeric", timeZone: "UTC" });
console.log(range.formatRange(when, new Date(+when + 864e5)), "|", range.formatRange(when, new Date(+when + 864e5 * 400)), "|", range.formatRange(when, when));
console.log(when.toLocaleDateString(), when.toLocaleTimeString(), when.toLocaleString(undefined, { month: "long" }), new Intl.DateTimeFormat().resolvedOptions().locale, new Intl.DateTimeFormat("xx-invalid").resolvedOptions().locale);
for (const bad of [() => new Intl.DateTimeFormat("e"), () => new Intl.DateTimeFormat("en", { timeZone: "Mars/X" }), () => new Intl.DateTimeFormat("en", { dateStyle: "huge" as "full" }), () => new Intl.DateTimeFormat("en").format(NaN), () => new Intl.DateTimeFormat("en", { dateStyle: "short", hour: "numeric" })])
  try { bad(); } catch (error) { console.log((error as Error).name); }
