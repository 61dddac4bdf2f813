# The last quarter of a small business: revenue by segment, month and product category, and a ticket for each account that is overdue.
# Run it with: ampoule run examples/quarterly-report.py

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any


async def all_of(list_page: Callable[..., Awaitable[Any]], **args: object) -> list[Any]:
    """All records of a list that comes in pages."""
    records: list[Any] = []
    cursor: str | None = None
    while True:
        page = await list_page(**args, **({"cursor": cursor} if cursor else {}))
        records += page["items"]
        cursor = page["nextCursor"]
        if not cursor:
            return records


def last_quarter(today: date) -> tuple[str, str, str]:
    """The last complete quarter before a day, as its name and its first and last day."""
    this = date(today.year, (today.month - 1) // 3 * 3 + 1, 1)
    last = this - timedelta(days=1)
    first = date(last.year, last.month - 2, 1)
    return f"{first.year}-Q{last.month // 3}", first.isoformat(), last.isoformat()


def euros(cents: float) -> str:
    return f"{cents / 100:,.2f}"


def print_table(title: str, rows: dict[str, int]) -> None:
    total = sum(rows.values())
    print(f"\n{title}")
    for name, cents in sorted(rows.items()):
        print(f"  {name:<16}{euros(cents):>14}{100 * cents / total:>7.1f} %")


business = await tools.demo.get_business()
quarter, first, last = last_quarter(date.fromisoformat(business["today"]))

orders, customers, products = await asyncio.gather(
    all_of(tools.demo.list_orders, **{"from": first, "to": last, "limit": 200}),
    all_of(tools.demo.list_customers, limit=100),
    all_of(tools.demo.list_products),
)
customer_by_id = {customer["id"]: customer for customer in customers}
category_by_id = {product["id"]: product["category"] for product in products}

by_segment: defaultdict[str, int] = defaultdict(int)
by_month: defaultdict[str, int] = defaultdict(int)
by_category: defaultdict[str, int] = defaultdict(int)
sold = [order for order in orders if order["status"] not in ("cancelled", "refunded")]
for order in sold:
    by_segment[customer_by_id[order["customerId"]]["segment"]] += order["totalEurCents"]
    by_month[order["placedAt"][:7]] += order["totalEurCents"]
    for line in order["lines"]:
        by_category[category_by_id[line["productId"]]] += line["amountEurCents"]
revenue = sum(order["totalEurCents"] for order in sold)

print(f"{business['name']}, {quarter}: {len(sold)} of {len(orders)} orders sold, {euros(revenue)} EUR")
print_table("By segment", by_segment)
print_table("By month", by_month)
print_table("By category", by_category)

# An account is overdue if any of its invoices was due before today and is not paid.
overdue: defaultdict[str, list[Any]] = defaultdict(list)
for order in sold:
    invoice = order["invoice"]
    if invoice and not invoice["paidAt"] and invoice["dueOn"] < business["today"]:
        overdue[order["customerId"]].append(order)


async def open_ticket(customer_id: str, unpaid: list[Any]) -> dict[str, Any]:
    owed = sum(order["totalEurCents"] for order in unpaid)
    ticket = await tools.demo.create_ticket(
        customerId=customer_id,
        subject=f"Overdue: {len(unpaid)} invoices, {euros(owed)} EUR",
        text="\n".join(f"{order['invoice']['number']} was due on {order['invoice']['dueOn']}." for order in unpaid),
        priority="high" if owed >= 1_000_000 else "normal",
        orderIds=[order["id"] for order in unpaid],
    )
    return {"ticket": ticket["id"], "customer": customer_by_id[customer_id]["name"], "owed": owed}


tickets = await asyncio.gather(*(open_ticket(*account) for account in overdue.items()))

print("\nOverdue accounts")
for account in sorted(tickets, key=lambda account: -account["owed"]):
    print(f"  {account['customer']:<24}{euros(account['owed']):>14}")

return {
    "quarter": quarter,
    "orders": len(orders),
    "revenueEurCents": revenue,
    "overdueAccounts": len(tickets),
    "overdueEurCents": sum(account["owed"] for account in tickets),
    "tickets": sorted(account["ticket"] for account in tickets),
}
