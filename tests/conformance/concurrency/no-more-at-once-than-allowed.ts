const started = Date.now();
await Promise.all(Array.from({ length: 6 }, () => tools.testTools.sleep({ ms: 50 })));
return Date.now() - started >= 145;
