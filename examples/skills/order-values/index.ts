type Status = "pending" | "processing" | "shipped" | "delivered" | "cancelled" | "refunded";

/** Adds up what the orders of a status are worth, by customer, in cents of EUR. */
export async function orderValues(status: Status): Promise<Map<string, number>> {
  const values = new Map<string, number>();
  let cursor: string | undefined;
  do {
    const page = await tools.demo.listOrders({ status: [status], limit: 100, cursor });
    for (const order of page.items) values.set(order.customerId, (values.get(order.customerId) ?? 0) + order.totalEurCents);
    cursor = page.nextCursor;
  } while (cursor);
  return values;
}

/** The customers whose orders are worth most, the first of them first. */
export function top(values: Map<string, number>, count = 3): string[] {
  const all = [...values].sort(([, one], [, other]) => other - one);
  return all.slice(0, count).map(([customer]) => customer);
}
