const offices = { "San Francisco": "America/Los_Angeles", "New York": "America/New_York", London: "Europe/London", Kathmandu: "Asia/Kathmandu", Adelaide: "Australia/Adelaide", Chatham: "Pacific/Chatham" };
const call = new Date("2024-10-31T15:00:00+01:00");
const locale = (timeZone, options) => call.toLocaleString("en-GB", { timeZone, ...options });
for (const [city, zone] of Object.entries(offices)) {
  const parts = Object.fromEntries(new Intl.DateTimeFormat("en-CA", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", weekday: "short" }).formatToParts(call).map((p) => [p.type, p.value]));
  console.log(city.padStart(14), `${parts.weekday} ${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}`, locale(zone, { timeZoneName: "short" }).split(" ").slice(2).join(" "), locale(zone, { timeZoneName: "longOffset", hour: "numeric" }));
}
const working = Object.keys(offices).filter((city) => { const hour = +call.toLocaleString("en-US", { timeZone: offices[city], hour: "numeric", hourCycle: "h23" }); return hour >= 9 && hour < 17; });
console.log(working);
console.log(call.toLocaleTimeString("en-US", { timeZone: "Asia/Tokyo", timeZoneName: "long" }), call.toLocaleString("de-DE", { timeZone: "Europe/Berlin", dateStyle: "full", timeStyle: "full" }));
for (const name of ["shortGeneric", "longGeneric", "shortOffset", "long"]) console.log(name, locale("America/New_York", { timeZoneName: name, month: "numeric" }), "|", call.toLocaleString("fr", { timeZone: "Europe/Paris", timeZoneName: name, hour: "2-digit" }));
console.log(new Intl.DateTimeFormat("en", { timeZone: "US/Pacific" }).resolvedOptions().timeZone, new Intl.DateTimeFormat("en", { timeZone: "europe/ROME" }).resolvedOptions().timeZone, new Intl.DateTimeFormat("en", { timeZone: "+05:30", timeStyle: "short" }).format(call), Intl.DateTimeFormat().resolvedOptions().timeZone);
