const { content } = await tools.files.listDirectory({ path: "inbox" });
const names = content.split("\n").map((line) => line.replace("[FILE] ", "")).sort();
await tools.files.createDirectory({ path: "done" });

const invoices = await Promise.all(names.map(async (name) => {
  const { content } = await tools.files.readTextFile({ path: `inbox/${name}` });
  const field = (label: string) => content.match(new RegExp(`^${label}: (.*)$`, "m"))![1];
  return { from: field("From"), number: field("Invoice"), due: field("Due"), total: Number(field("Total").replace(" EUR", "")) };
}));

const lines = invoices.map((it) => `${it.number},${it.from},${it.due},${it.total.toFixed(2)}`);
await tools.files.writeFile({ path: "ledger.csv", content: ["number,from,due,total", ...lines].join("\n") + "\n" });
await Promise.all(names.map((name) => tools.files.moveFile({ source: `inbox/${name}`, destination: `done/${name}` })));
const total = invoices.reduce((sum, it) => sum + Math.round(it.total * 100), 0);
return { documents: names.length, cents: total };
