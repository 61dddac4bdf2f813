const OPEN = { 1: [9, 17], 2: [9, 17], 3: [9, 12], 4: [9, 17], 5: [9, 15] };
function workingMinutes(from, to) {
  let minutes = 0;
  for (let day = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate())); day < to; day.setUTCDate(day.getUTCDate() + 1)) {
    const hours = OPEN[day.getUTCDay()];
    if (!hours) continue;
    const [start, end] = hours.map((h) => +day + h * 36e5);
    minutes += Math.max(0, Math.min(end, to) - Math.max(start, from)) / 6e4;
  }
  return minutes;
}
const cases = [["2024-03-01T08:00Z", "2024-03-01T18:00Z"], ["2024-03-01T14:00Z", "2024-03-04T10:30Z"], ["2024-03-02T00:00Z", "2024-03-03T23:00Z"], ["2024-02-26T00:00Z", "2024-03-04T00:00Z"]];
for (const [a, b] of cases) console.log(a, b, workingMinutes(new Date(a), new Date(b)), `${Math.floor(workingMinutes(new Date(a), new Date(b)) / 60)}h`);
const due = (from, minutes) => { let t = +from; while (minutes > 0) { const d = new Date(t), hours = OPEN[d.getUTCDay()]; const h = d.getUTCHours() + d.getUTCMinutes() / 60; if (hours && h >= hours[0] && h < hours[1]) minutes--; t += 6e4; } return new Date(t).toISOString(); };
console.log(due(new Date("2024-03-01T14:30Z"), 90), due(new Date("2024-03-02T14:30Z"), 1));
