const header = "Mo Tu We Th Fr Sa Su";
function month(year, index) {
  const first = new Date(Date.UTC(year, index, 1)), days = new Date(Date.UTC(year, index + 1, 0)).getUTCDate();
  const cells = [...Array((first.getUTCDay() + 6) % 7).fill("  "), ...Array.from({ length: days }, (_, i) => String(i + 1).padStart(2))];
  const title = first.toLocaleDateString("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
  const lines = [title.padStart(title.length + Math.floor((header.length - title.length) / 2)), header];
  for (let i = 0; i < cells.length; i += 7) lines.push(cells.slice(i, i + 7).join(" "));
  return lines.join("\n");
}
console.log(month(2024, 1));
console.log(month(2026, 10));
const easter = (y) => { const a = y % 19, b = y / 100 | 0, c = y % 100, d = b >> 2, e = b & 3, g = (8 * b + 13) / 25 | 0, h = (19 * a + b - d - g + 15) % 30, i = c >> 2, k = c & 3, l = (32 + 2 * e + 2 * i - h - k) % 7, m = (a + 11 * h + 19 * l) / 433 | 0, n = (h + l - 7 * m + 90) / 25 | 0; return new Date(Date.UTC(y, n - 1, (h + l - 7 * m + 33 * n + 19) % 32)); };
for (let y = 2023; y < 2027; y++) console.log(y, easter(y).toUTCString(), easter(y).toLocaleDateString("de-DE", { weekday: "short", day: "2-digit", month: "short", timeZone: "UTC" }));
const isoWeek = (d) => { const t = new Date(d); t.setUTCDate(t.getUTCDate() + 4 - (t.getUTCDay() || 7)); return `${t.getUTCFullYear()}-W${String(Math.ceil(((t - Date.UTC(t.getUTCFullYear(), 0, 1)) / 864e5 + 1) / 7)).padStart(2, "0")}`; };
console.log(["2024-12-30", "2021-01-03", "2020-12-31"].map((s) => isoWeek(new Date(s))));
console.log([..."MTWTFSS"].map((_, i) => new Intl.DateTimeFormat("fr", { weekday: "long", timeZone: "UTC" }).format(Date.UTC(2024, 0, i + 1))), new Intl.Locale("en-US").getWeekInfo?.(), new Intl.Locale("de").getWeekInfo?.().firstDay);
console.log(Object.groupBy(Array.from({ length: 12 }, (_, i) => i + 1), (m) => new Date(2023, m, 0).getDate()));
