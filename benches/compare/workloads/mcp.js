let said = ''
for (let n = 0; n < 20; n++) said = await host.add({ a: n, b: 1 })
return said
