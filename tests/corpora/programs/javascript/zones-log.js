const LOG = `2025-03-30T00:59:59+00:00 ann Europe/Berlin login
2025-03-30T01:00:00+00:00 ann Europe/Berlin purchase
2025-03-29T20:15:00-07:00 bob America/Los_Angeles login
2025-03-30T10:00:00+05:45 cid Asia/Kathmandu login
1743292800 dee Pacific/Auckland login`;
const events = LOG.split("\n").map((line) => { const [when, user, zone, event] = line.split(" "); return { at: /^\d+$/.test(when) ? new Date(when * 1000) : new Date(when), user, zone, event }; }).sort((a, b) => a.at - b.at);
const local = ({ at, zone }) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }).format(at);
events.forEach((e) => console.log(e.at.toISOString(), "|", local(e), "|", e.user, e.event));
const byDay = events.reduce((days, e) => { (days[local(e).slice(0, 10)] ??= []).push(`${e.user}:${e.event}`); return days; }, {});
console.log(byDay);
function fromLocal(text, timeZone) {
  const guess = Date.parse(text + "Z"), offset = (t) => { const p = Object.fromEntries(new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" }).formatToParts(t).map(({ type, value }) => [type, +value])); return Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second) - t; };
  return new Date(guess - offset(guess - offset(guess)));
}
for (const [t, z] of [["2025-07-04T09:00:00", "America/Denver"], ["2025-01-04T09:00:00", "Asia/Kathmandu"], ["2025-03-30T02:30:00", "Europe/Berlin"]]) console.log(t, z, fromLocal(t, z).toISOString(), Temporal.PlainDateTime.from(t).toZonedDateTime(z).toInstant().toString());
console.log(events.map((e) => e.at.toLocaleTimeString("en-US", { timeZone: e.zone, hour: "numeric", dayPeriod: "short" })));
const span = events.at(-1).at - events[0].at; console.log(span, new Date(span).toISOString().slice(11, 19), Math.floor(span / 36e5));
