// The oldest open ticket is to be closed. The run fails: its page shows where, and with
// “Edit and replay” you can try a fix against the recorded answers, without a call.
const { items } = await tools.demo.listTickets({ status: "open", limit: 5 });
const oldest = items[0];
const done = await tools.demo.closeTicket({ ticketId: oldest.ticket.id, resolution: "Answered by phone" });
return done.status;
