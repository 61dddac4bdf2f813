const target = Temporal.ZonedDateTime.from("2025-01-01T00:00[Pacific/Auckland]");
const zones = ["Pacific/Kiritimati", "Pacific/Auckland", "Asia/Tokyo", "Asia/Kolkata", "Europe/Paris", "America/Sao_Paulo", "America/Los_Angeles", "Pacific/Pago_Pago"] as const;
const midnights = zones.map((zone) => ({ zone, at: Temporal.ZonedDateTime.from({ year: 2025, month: 1, day: 1, timeZone: zone }) }));
for (const { zone, at } of midnights) console.log(zone.padEnd(20), at.toInstant().toString(), target.until(at).toString());
const span = midnights[0]!.at.until(midnights.at(-1)!.at, { largestUnit: "hours" });
console.log(span.hours, span.toString(), Temporal.Duration.compare(span, { days: 1 }) > 0);
console.log(midnights.map(({ at }) => at.epochMilliseconds).every((t, i, all) => !i || t >= all[i - 1]!));
