const numbers = Array.from({ length: 20 }, (_, n) => n);
await Promise.all(numbers.map(() => host.sleep({ ms: 100 })));
const sums = await Promise.all(numbers.map((n) => host.add({ a: n, b: n })));
return sums.reduce((all, { sum }) => all + sum, 0);
