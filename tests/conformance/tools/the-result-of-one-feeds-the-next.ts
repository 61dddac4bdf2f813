let sum = 0;
for (let n = 1; n <= 10; n++) ({ sum } = await tools.testTools.add({ a: sum, b: n }));
return sum;
