// The last quarter of a small business: revenue by segment, month and product category, and a ticket for each account that is overdue.
// Run it with: ampoule run examples/quarterly-report.ts

interface Invoice { number: string; dueOn: string; paidAt: string | null }
interface Line { productId: string; amountEurCents: number }
interface Order {
  id: string;
  customerId: string;
  placedAt: string;
  status: "pending" | "processing" | "shipped" | "delivered" | "cancelled" | "refunded";
  lines: Line[];
  totalEurCents: number;
  invoice: Invoice | null;
}
interface Page<T> { items: T[]; total: number; nextCursor: string | null }

/** All records of a list that comes in pages. */
async function all<T>(list: (args: object) => Promise<Page<T>>, args: object): Promise<T[]> {
  const records: T[] = [];
  let cursor: string | null = null;
  do {
    const page = await list(cursor ? { ...args, cursor } : args);
    records.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor);
  return records;
}

/** The last complete quarter before a day, as its name and its first and last day. */
function lastQuarter(today: string) {
  const [year, month] = today.split("-").map(Number);
  const first = new Date(Date.UTC(year, Math.floor((month - 1) / 3) * 3 - 3, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 3, 0));
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const name = `${first.getUTCFullYear()}-Q${first.getUTCMonth() / 3 + 1}`;
  return { name, from: day(first), to: day(last) };
}

const euros = (cents: number) =>
  (cents / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function printTable(title: string, rows: Map<string, number>) {
  const total = [...rows.values()].reduce((sum, cents) => sum + cents, 0);
  console.log(`\n${title}`);
  for (const [name, cents] of [...rows].sort(([a], [b]) => a.localeCompare(b))) {
    const share = ((100 * cents) / total).toFixed(1);
    console.log(`  ${name.padEnd(16)}${euros(cents).padStart(14)}${share.padStart(7)} %`);
  }
}

const business = await tools.demo.getBusiness({});
const quarter = lastQuarter(business.today);

const [orders, customers, products] = await Promise.all([
  all<Order>(tools.demo.listOrders, { from: quarter.from, to: quarter.to, limit: 200 }),
  all<{ id: string; name: string; segment: string }>(tools.demo.listCustomers, { limit: 100 }),
  all<{ id: string; category: string }>(tools.demo.listProducts, {}),
]);
const customerById = new Map(customers.map((customer) => [customer.id, customer]));
const categoryById = new Map(products.map((product) => [product.id, product.category]));

const bySegment = new Map<string, number>();
const byMonth = new Map<string, number>();
const byCategory = new Map<string, number>();
const add = (sums: Map<string, number>, key: string, cents: number) =>
  sums.set(key, (sums.get(key) ?? 0) + cents);

const sold = orders.filter((order) => order.status !== "cancelled" && order.status !== "refunded");
for (const order of sold) {
  add(bySegment, customerById.get(order.customerId)!.segment, order.totalEurCents);
  add(byMonth, order.placedAt.slice(0, 7), order.totalEurCents);
  for (const line of order.lines) {
    add(byCategory, categoryById.get(line.productId)!, line.amountEurCents);
  }
}
const revenueEurCents = sold.reduce((sum, order) => sum + order.totalEurCents, 0);

console.log(`${business.name}, ${quarter.name}: ${sold.length} of ${orders.length} orders sold, ${euros(revenueEurCents)} EUR`);
printTable("By segment", bySegment);
printTable("By month", byMonth);
printTable("By category", byCategory);

// An account is overdue if any of its invoices was due before today and is not paid.
const overdue = new Map<string, Order[]>();
for (const order of sold) {
  if (order.invoice && !order.invoice.paidAt && order.invoice.dueOn < business.today) {
    overdue.set(order.customerId, [...(overdue.get(order.customerId) ?? []), order]);
  }
}

const tickets = await Promise.all(
  [...overdue].map(async ([customerId, unpaid]) => {
    const owed = unpaid.reduce((sum, order) => sum + order.totalEurCents, 0);
    const ticket = await tools.demo.createTicket({
      customerId,
      subject: `Overdue: ${unpaid.length} invoices, ${euros(owed)} EUR`,
      text: unpaid.map((order) => `${order.invoice!.number} was due on ${order.invoice!.dueOn}.`).join("\n"),
      priority: owed >= 1_000_000 ? "high" : "normal",
      orderIds: unpaid.map((order) => order.id),
    });
    return { ticket: ticket.id as string, customer: customerById.get(customerId)!.name, owed };
  }),
);

console.log(`\nOverdue accounts`);
for (const { customer, owed } of tickets.sort((a, b) => b.owed - a.owed)) {
  console.log(`  ${customer.padEnd(24)}${euros(owed).padStart(14)}`);
}

return {
  quarter: quarter.name,
  orders: orders.length,
  revenueEurCents,
  overdueAccounts: tickets.length,
  overdueEurCents: tickets.reduce((sum, { owed }) => sum + owed, 0),
  tickets: tickets.map(({ ticket }) => ticket).sort(),
};
