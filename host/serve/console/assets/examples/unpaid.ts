// Which orders of August are not paid, and how much is that by customer?
const owed = new Map<string, number>();
let cursor: string | undefined;
do {
  const page = await tools.demo.listOrders({ from: "2026-08-01", to: "2026-08-31", limit: 200, cursor });
  for (const order of page.items) {
    if (order.invoice?.paidAt === null) {
      owed.set(order.customerId, (owed.get(order.customerId) ?? 0) + order.totalEurCents);
    }
  }
  cursor = page.nextCursor ?? undefined;
} while (cursor);

const most = [...owed].sort((one, other) => other[1] - one[1]).slice(0, 5);
for (const [customer, cents] of most) console.log(customer, (cents / 100).toFixed(2), "EUR");
return { customers: owed.size, cents: [...owed.values()].reduce((sum, cents) => sum + cents, 0) };
