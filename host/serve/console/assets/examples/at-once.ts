// All open tickets with their customers: the calls go out together.
const { items } = await tools.demo.listTickets({ status: "open", limit: 20 });
const names = [...new Set(items.map((ticket) => ticket.customerId))];
const customers = await Promise.all(names.map((customerId) => tools.demo.getCustomer({ customerId })));

const segments: Record<string, number> = {};
for (const { segment } of customers) segments[segment] = (segments[segment] ?? 0) + 1;
console.log(`${items.length} tickets of ${customers.length} customers`);
return segments;
