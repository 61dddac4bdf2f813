# All open tickets with their customers: the calls go out together.
import asyncio
from collections import Counter

tickets = (await tools.demo.list_tickets(status="open", limit=20))["items"]
names = {ticket["customerId"] for ticket in tickets}
customers = await asyncio.gather(*(tools.demo.get_customer(customerId=name) for name in names))

print(f"{len(tickets)} tickets of {len(customers)} customers")
return Counter(customer["segment"] for customer in customers)
