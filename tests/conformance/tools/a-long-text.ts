return (await tools.testTools.text({ bytes: 100_000 })).length;
