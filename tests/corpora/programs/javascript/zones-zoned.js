const flight = Temporal.ZonedDateTime.from("2024-03-09T23:15[America/New_York]").add({ hours: 6, minutes: 50 });
console.log(flight.toString(), flight.withTimeZone("Europe/London").toString(), flight.offsetNanoseconds / 36e11);
console.log(Temporal.ZonedDateTime.from("2024-03-10T02:30[America/New_York]").toString(), Temporal.ZonedDateTime.from("2024-11-03T01:30[America/New_York]").offset);
for (const disambiguation of ["compatible", "earlier", "later", "reject"]) {
  for (const text of ["2024-03-10T02:30", "2024-11-03T01:30"]) try { console.log(disambiguation, Temporal.PlainDateTime.from(text).toZonedDateTime("America/New_York", { disambiguation }).toString()); } catch (error) { console.log(disambiguation, error.name); }
}
for (const offset of ["use", "ignore", "prefer", "reject"]) try { console.log(offset, Temporal.ZonedDateTime.from("2024-07-01T12:00+09:00[Europe/Paris]", { offset }).toString()); } catch (error) { console.log(offset, error.name); }
const before = Temporal.ZonedDateTime.from("2024-10-26T12:00[Europe/Berlin]");
console.log(before.add({ days: 1 }).toString(), before.add({ hours: 24 }).toString(), before.until(before.add({ days: 1 })).toString(), before.add({ days: 1 }).hoursInDay);
console.log(before.getTimeZoneTransition("next").toString(), before.getTimeZoneTransition("previous").toString(), Temporal.ZonedDateTime.from("2024-01-01[UTC]").getTimeZoneTransition("next"));
console.log(before.equals(before.withTimeZone("Europe/Paris")), Temporal.ZonedDateTime.compare(before, before.withTimeZone("Asia/Tokyo")), before.toInstant().toString(), before.toInstant().toString({ timeZone: "Asia/Kolkata", smallestUnit: "minute" }));
console.log(before.toLocaleString("en-US"), "|", before.toLocaleString("de", { dateStyle: "medium" }), "|", Temporal.Instant.from("2024-01-01T00:00Z").toLocaleString("en-GB", { timeZone: "Asia/Dubai", timeStyle: "long" }));
for (const bad of ["2024-01-01T00:00", "2024-01-01[Mars/X]", "2024-01-01T00:00+01:00"]) try { Temporal.ZonedDateTime.from(bad); } catch (error) { console.log(error.name, bad); }
