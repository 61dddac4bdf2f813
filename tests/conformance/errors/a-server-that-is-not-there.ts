await tools.tesTools.add({ a: 1, b: 2 });
