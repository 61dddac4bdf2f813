await tools.testTools.add({ a: 1 });
