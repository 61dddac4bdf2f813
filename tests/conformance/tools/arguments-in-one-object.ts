const given = { a: 40, b: 2 };
return (await tools.testTools.add(given)).sum;
