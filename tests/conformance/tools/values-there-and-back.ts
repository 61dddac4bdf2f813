const value = { text: 'é😀\n"', list: [1, -2.5, 1e300, null, true, [], {}], deep: { a: [{ b: 'c' }] }, '': 0 };
return await tools.testTools.echo({ value });
