const order = [];
const tick = setInterval(() => order.push('tick'), 40);
await tools.testTools.sleep({ ms: 500 });
clearInterval(tick);
return order.length >= 3;
