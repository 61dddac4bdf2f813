# The oldest open ticket is to be closed. The run fails: its page shows where, and with
# “Edit and replay” you can try a fix against the recorded answers, without a call.
tickets = (await tools.demo.list_tickets(status="open", limit=5))["items"]
oldest = tickets[0]
done = await tools.demo.close_ticket(ticketId=oldest["ticket"]["id"], resolution="Answered by phone")
return done["status"]
