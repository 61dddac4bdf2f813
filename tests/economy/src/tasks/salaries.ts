const { content } = await tools.files.readTextFile({ path: "staff.csv" });
const departments: Record<string, { people: number; sum: number }> = {};
for (const line of content.trim().split("\n").slice(1)) {
  const [, , department, salary] = line.split(",");
  const it = (departments[department] ??= { people: 0, sum: 0 });
  it.people += 1;
  it.sum += Number(salary);
}
return Object.keys(departments).sort().map((department) => {
  const { people, sum } = departments[department];
  return { department, people, average: Math.floor(sum / people) };
});
