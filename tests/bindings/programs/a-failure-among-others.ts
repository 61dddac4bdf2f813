const { sum } = await host.add({ a: 1, b: 2 });
const slow = () => host.sleep({ ms: 60_000 });
await Promise.all([slow(), host.fail({ message: 'the shop is closed' }), slow()]);
console.log('never', sum);
