"""Finds the open tickets of a priority, and at once, for each customer concerned, whom to write to."""

import asyncio
import json

import wit_world
from componentize_py_types import Err, Some
from wit_world.imports import demo
from wit_world.imports.demo import GetCustomerArgs, ListTicketsArgs, Priority, TicketStatus


class WitWorld(wit_world.WitWorld):
    async def run(self, arguments: str) -> str:
        priority = json.loads(arguments).get("priority", "urgent")
        # An option in an option: left out (`None`), `null` (`Some(None)`), or a value.
        wanted = ListTicketsArgs(
            status=Some(TicketStatus.OPEN),
            priority=Some(Priority[priority.upper()]),
            customer_id=None,
            cursor=None,
            limit=None,
        )
        try:
            tickets = (await demo.list_tickets(wanted)).items
            ids = sorted({ticket.customer_id for ticket in tickets})
            customers = await asyncio.gather(*(demo.get_customer(GetCustomerArgs(id)) for id in ids))
        except Err as error:
            # A tool's error is an object; that of `run` is its text.
            raise Err(error.value.message)
        print(f"{len(ids)} customers are concerned")
        write_to = {customer.id: customer.contact.email for customer in customers}
        return json.dumps({ticket.id: write_to[ticket.customer_id] for ticket in tickets})
