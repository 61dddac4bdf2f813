let sum = 0
for (let n = 0; n < 1000; n++) sum += (await host.echo({ n })).n
return sum
