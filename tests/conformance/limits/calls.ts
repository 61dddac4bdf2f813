for (let n = 0; n < 100; n++) await tools.testTools.add({ a: n, b: 1 });
