const paid = new Set<string>();
const { content } = await tools.files.readTextFile({ path: "payments.csv" });
for (const line of content.trim().split("\n").slice(1)) paid.add(line.split(",")[1]);

const open = [];
let cursor: string | null = null;
do {
  const page = await tools.demo.listOrders({ status: ["shipped", "delivered"], from: "2026-09-01", to: "2026-09-30", limit: 200, ...(cursor && { cursor }) });
  for (const { id, customerId, invoice } of page.items) {
    if (invoice && !invoice.paidAt && paid.has(invoice.number)) open.push({ order: id, customer: customerId, invoice: invoice.number });
  }
  cursor = page.nextCursor;
} while (cursor);
return open;
