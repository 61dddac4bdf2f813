const flights = [["LAX", "America/Los_Angeles", "2024-03-09T22:30", "SYD", "Australia/Sydney", 15 * 60 + 5], ["LHR", "Europe/London", "2024-03-31T00:30", "JFK", "America/New_York", 8 * 60], ["NRT", "Asia/Tokyo", "2024-06-01T17:00", "HNL", "Pacific/Honolulu", 7 * 60 + 25], ["DEL", "Asia/Kolkata", "2024-11-02T23:55", "KTM", "Asia/Kathmandu", 100]];
for (const [from, zone, at, to, other, minutes] of flights) {
  const leaves = Temporal.PlainDateTime.from(at).toZonedDateTime(zone), lands = leaves.add({ minutes }).withTimeZone(other);
  const days = leaves.toPlainDate().until(lands.toPlainDate()).days;
  console.log(`${from} ${leaves.toPlainTime().toString({ smallestUnit: "minute" })} (${leaves.offset}) → ${to} ${lands.toPlainTime().toString({ smallestUnit: "minute" })} (${lands.offset})${days ? ` ${days > 0 ? "+" : ""}${days}d` : ""}`);
}
const difference = (a, b, at) => { const t = Temporal.Instant.from(at); return (t.toZonedDateTimeISO(b).offsetNanoseconds - t.toZonedDateTimeISO(a).offsetNanoseconds) / 36e11; };
console.log(["2024-01-15T00:00Z", "2024-03-15T00:00Z", "2024-07-15T00:00Z", "2024-10-29T00:00Z"].map((t) => difference("America/New_York", "Europe/Paris", t)));
