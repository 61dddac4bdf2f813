let sum = 0;
for (let n = 0; n < 5; n++) ({ sum } = await tools.testTools.add({ a: sum, b: 1 }));
return sum;
