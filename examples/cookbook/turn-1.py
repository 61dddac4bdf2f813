page = await tools.demo.list_orders(from_="2026-09-05", limit=200)
return f"{len(page['items'])} of {page['total']} orders"
