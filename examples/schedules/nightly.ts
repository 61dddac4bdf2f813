// How many orders are new and how much they are worth, for the person who looks at the night's run.
let orders = 0;
let value = 0;
let cursor: string | undefined;
do {
  const page = await tools.demo.listOrders({ status: ["shipped"], limit: 100, cursor });
  orders += page.items.length;
  value += page.items.reduce((sum, order) => sum + order.totalEurCents, 0);
  cursor = page.nextCursor ?? undefined;
} while (cursor);
return { due: env.input?.due, orders, value };
