const started = Date.now();
await Promise.all(Array.from({ length: 20 }, () => tools.testTools.sleep({ ms: 300 })));
return Date.now() - started < 3000;
