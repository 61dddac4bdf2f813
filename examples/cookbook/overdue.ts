const orders = await tools.demo.listOrders({ from: "2026-08-10", to: "2026-08-31", limit: 200 });
const late = orders.items.filter(({ invoice }) => invoice?.paidAt === null);
const owed = late.reduce((sum, order) => sum + order.totalEurCent, 0);
return { late: late.length, owed };
