enum Region { Americas = "AMER", Europe = "EMEA", Asia = "APAC" }
type Office = Readonly<{ city: string; zone: string; region: Region; hours: readonly [number, number] }>;
const offices: readonly Office[] = [
  { city: "Lima", zone: "America/Lima", region: Region.Americas, hours: [9, 18] }, { city: "Berlin", zone: "Europe/Berlin", region: Region.Europe, hours: [8, 17] },
  { city: "Mumbai", zone: "Asia/Kolkata", region: Region.Asia, hours: [10, 19] }, { city: "Sydney", zone: "Australia/Sydney", region: Region.Asia, hours: [9, 17] },
];
const isOpen = ({ zone, hours: [from, to] }: Office, at: Temporal.Instant): boolean => { const local = at.toZonedDateTimeISO(zone); return local.dayOfWeek <= 5 && local.hour >= from && local.hour < to; };
const day = Temporal.Instant.from("2024-04-05T00:00Z");
for (const office of offices) console.log(office.city.padEnd(7), Array.from({ length: 24 }, (_, h) => (isOpen(office, day.add({ hours: h })) ? "█" : "·")).join(""));
function overlap(...names: string[]): string[] { const chosen = offices.filter((o) => names.includes(o.city)); return Array.from({ length: 24 }, (_, h) => h).filter((h) => chosen.every((o) => isOpen(o, day.add({ hours: h })))).map((h) => `${h}h`); }
console.log(overlap("Berlin", "Mumbai"), overlap("Lima", "Sydney"), overlap("Lima", "Berlin"));
const grouped = Object.entries(Object.groupBy(offices, ({ region }) => region)).map(([region, list]) => `${region}: ${list!.map((o) => o.city)}`);
console.log(grouped, Object.values(Region), Region.Asia, Object.keys(Region).length);
const clocks = offices.map(({ city, zone }) => ({ city, winter: new Date("2024-01-15T12:00Z").toLocaleTimeString("en-US", { timeZone: zone, timeStyle: "short" }), summer: new Date("2024-07-15T12:00Z").toLocaleTimeString("en-US", { timeZone: zone, timeStyle: "short" }) }));
console.table(clocks);
class Clock<T extends string> { constructor(private readonly zones: Map<T, string>) {} at(zone: T, t: Temporal.Instant): string { return t.toZonedDateTimeISO(this.zones.get(zone)!).toPlainTime().toString({ smallestUnit: "minute" }); } }
const clock = new Clock(new Map(offices.map((o) => [o.city, o.zone] as const))); console.log(clock.at("Mumbai", day), clock.at("Lima", day)); console.log(clock);
