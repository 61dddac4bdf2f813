const numbers = Array.from({ length: 20 }, (_, n) => n)
const said = await Promise.all(numbers.map((n) => host.add({ a: n, b: 1 })))
return said[19]
