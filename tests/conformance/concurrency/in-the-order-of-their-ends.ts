const order = [];
const wait = async (ms) => { await tools.testTools.sleep({ ms }); order.push(ms); };
await Promise.all([wait(500), wait(20), wait(250)]);
return order;
