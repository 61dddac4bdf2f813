const first = await Promise.race([tools.testTools.hang({}), tools.testTools.add({ a: 1, b: 1 })]);
return first.sum;
