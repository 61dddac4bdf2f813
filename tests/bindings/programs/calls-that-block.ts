await Promise.all([1, 2, 3, 4].map(() => host.block({ ms: 50 })));
return (await host.add({ a: 1, b: 1 })).sum;
