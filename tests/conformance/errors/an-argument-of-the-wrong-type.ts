await tools.testTools.add({ a: 1, b: 'two' });
