const summer = new Date("2024-07-01T12:00:00Z"), winter = new Date("2024-01-01T12:00:00Z");
const name = (zone, date, locale, style) => new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: style }).formatToParts(date).find((p) => p.type === "timeZoneName").value;
for (const zone of ["America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Sydney", "Asia/Tokyo", "America/Sao_Paulo", "Africa/Lagos", "UTC", "Europe/London", "America/Phoenix"])
  console.log(zone.padEnd(18), [name(zone, winter, "en-US", "short"), name(zone, summer, "en-US", "short"), name(zone, summer, "en-US", "long"), name(zone, summer, "de-DE", "long"), name(zone, winter, "ja-JP", "short")].join(" | "));
console.log(Intl.supportedValuesOf("timeZone").length > 400, Intl.supportedValuesOf("timeZone").includes("Europe/Rome"), Intl.supportedValuesOf("timeZone").slice(0, 3));
console.log(new Intl.Locale("de-CH").getTimeZones?.(), new Intl.Locale("en-NZ").getTimeZones?.());
const offsets = new Map();
for (const zone of ["Asia/Kathmandu", "Asia/Kolkata", "Australia/Eucla", "Pacific/Marquesas", "America/St_Johns", "Pacific/Kiritimati", "Etc/GMT+12"]) { const o = name(zone, winter, "en", "longOffset"); offsets.set(o, [...(offsets.get(o) ?? []), zone]); }
console.log(offsets);
for (const zone of ["EST", "GMT+5", "Europe/Kyiv", "Europe/Kiev", "Asia/Calcutta", "utc", "", "America/Indianapolis", "+25:00"]) try { console.log(zone, new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone); } catch (error) { console.log(error.name, error.message); }
const date = new Date(2024, 6, 1, 12); console.log(date.toString(), date.getTimezoneOffset(), date.getHours() === date.getUTCHours(), date.toTimeString());
