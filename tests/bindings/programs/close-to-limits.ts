const plain = await host.echo({ value: 'x'.repeat(99_900) });
const wide = await host.echo({ value: 'ü'.repeat(49_950) });
const { sum } = await host.add({ a: wide.length, b: 49_950 });
return [plain.length, sum, 'ü'.repeat(80)];
