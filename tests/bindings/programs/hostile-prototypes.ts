(Object.prototype as any).toJSON = () => 'mine';
Object.defineProperty(Object.prototype, 'sum', { get: () => 'mine', configurable: true });
(JSON as any).stringify = () => 'mine';
(Promise.prototype as any).then = Promise.prototype.then;
delete (Object.prototype as any).toJSON;
return (await host.add({ a: 1, b: 2 })).sum;
