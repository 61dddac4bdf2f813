const calls = Array.from({ length: 20 }, (_, n) => tools.testTools.add({ a: n, b: 0 }));
return (await Promise.all(calls)).map(({ sum }) => sum);
