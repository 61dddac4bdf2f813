// As written before Temporal: offsets by Intl, arithmetic by milliseconds.
const offsetMinutes = (zone, date) => { const s = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "shortOffset" }).format(date).split(" ").pop(); const m = /GMT(?:([+-])(\d+)(?::(\d+))?)?/.exec(s); return m[1] ? (m[1] === "-" ? -1 : 1) * (m[2] * 60 + +(m[3] ?? 0)) : 0; };
const zones = ["Pacific/Honolulu", "America/St_Johns", "Atlantic/Azores", "Africa/Nairobi", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Tongatapu"];
for (const zone of zones) console.log(zone.padEnd(20), offsetMinutes(zone, new Date("2024-01-01")), offsetMinutes(zone, new Date("2024-07-01")));
const change = (zone, year) => { let low = Date.UTC(year, 0), high = Date.UTC(year, 6); const first = offsetMinutes(zone, low); if (first === offsetMinutes(zone, high)) return null; while (high - low > 1000) { const mid = Math.floor((low + high) / 2); if (offsetMinutes(zone, mid) === first) low = mid; else high = mid; } return new Date(Math.round(high / 1000) * 1000).toISOString(); };
console.log(["Europe/Athens", "America/Denver", "Asia/Seoul", "America/Santiago"].map((z) => [z, change(z, 2024)]));
const fmt = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/London", hour: "2-digit", minute: "2-digit", second: "2-digit" });
console.log([0, 1, 2].map((h) => fmt.format(Date.UTC(2024, 2, 31, h, 30))), [0, 1].map((h) => fmt.format(Date.UTC(2024, 9, 27, h, 30))));
console.log(new Date("2024-03-31T01:30:00+01:00").toLocaleString("en-GB", { timeZone: "Europe/London", timeZoneName: "short" }), new Date("2024-03-31 01:30").toISOString());
const d = new Date(2024, 2, 31, 2, 30); console.log(d.getHours(), d.toISOString(), d.toLocaleString("en-US"), d.toLocaleDateString("en-US", { weekday: "long" }));
console.log(new Intl.DateTimeFormat("en-US", { timeZone: "America/New_York", dateStyle: "short", timeStyle: "long" }).formatRange(Date.UTC(2024, 0, 1, 15), Date.UTC(2024, 0, 1, 20)), new Intl.DateTimeFormat("de", { timeZone: "Europe/Vienna", hour: "numeric", minute: "numeric" }).formatRange(0, 36e5));
