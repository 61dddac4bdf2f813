# Which orders of August are not paid, and how much is that by customer?
from collections import Counter

owed, cursor = Counter(), None
while True:
    more = {"cursor": cursor} if cursor else {}
    page = await tools.demo.list_orders(**{"from": "2026-08-01", "to": "2026-08-31", "limit": 200}, **more)
    for order in page["items"]:
        if order.get("invoice") and order["invoice"]["paidAt"] is None:
            owed[order["customerId"]] += order["totalEurCents"]
    cursor = page.get("nextCursor")
    if not cursor:
        break

for customer, cents in owed.most_common(5):
    print(customer, f"{cents / 100:.2f} EUR")
return {"customers": len(owed), "cents": owed.total()}
