await tools.testTools.ad({ a: 1, b: 2 });
