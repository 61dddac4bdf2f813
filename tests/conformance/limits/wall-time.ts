console.log('before');
await tools.testTools.hang({});
