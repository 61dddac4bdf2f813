const before = 1;
await tools.testTools.fail({});
