added = await host.add(a=40, b=2.5)
return added.sum
