const ISO = /^(?<sign>[+-])?P(?!$)(?:(?<weeks>\d+)W)?(?:(?<days>\d+)D)?(?:T(?=\d)(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+(?:[.,]\d+)?)S)?)?$/u;
const SECONDS = { weeks: 604800, days: 86400, hours: 3600, minutes: 60, seconds: 1 };
const parse = (text) => {
  const groups = ISO.exec(text)?.groups;
  if (!groups) throw new SyntaxError(`no duration: ${text}`);
  const total = Object.entries(SECONDS).reduce((sum, [unit, size]) => sum + Number((groups[unit] ?? "0").replace(",", ".")) * size, 0);
  return groups.sign === "-" ? -total : total;
};
const human = (seconds) => {
  const parts = [];
  for (const [unit, size] of Object.entries(SECONDS)) { const n = Math.floor(seconds / size); if (n) parts.push(`${n} ${n === 1 ? unit.slice(0, -1) : unit}`); seconds -= n * size; }
  return parts.length ? new Intl.ListFormat("en").format(parts) : "nothing";
};
for (const text of ["P1D", "PT36H", "P2W3DT4H5M6.789S", "-PT15M", "P", "PT", "P1Y", "PT0,5S"]) try { const s = parse(text); console.log(text.padEnd(18), s, human(Math.abs(s))); } catch (error) { console.log(text.padEnd(18), String(error)); }
const stopwatch = (ms) => [36e5, 6e4, 1e3, 1].map((unit, i, all) => Math.trunc((i ? ms % all[i - 1] : ms) / unit)).map((n, i) => String(n).padStart(i === 3 ? 3 : 2, "0")).join(":").replace(/:(\d+)$/, ".$1");
console.log(stopwatch(3723004), stopwatch(0), stopwatch(86399999));
const d = Temporal.Duration.from("P1Y2M10DT2H30M");
console.log(d.with({ months: 0 }).toString(), d.years, Object.getOwnPropertyNames(d), d.toJSON(), Temporal.Duration.from({ milliseconds: 1500 }).toString(), Temporal.Duration.from({ minutes: 130 }).round({ largestUnit: "hours", smallestUnit: "hours", roundingMode: "halfExpand" }).toString());
for (const bad of [() => Temporal.Duration.from({ hours: 1, minutes: -1 }), () => Temporal.Duration.from({ hour: 1 }), () => d.round("days"), () => Temporal.Duration.from({ days: 1.5 }), () => d.total("hours"), () => new Temporal.Duration(Infinity)]) try { console.log(String(bad())); } catch (error) { console.log(error.name); }
