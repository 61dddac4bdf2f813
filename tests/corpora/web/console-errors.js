// How console.log shows errors.
console.log(new Error('boom'));
console.log({e:new RangeError('in')}); class VE extends Error{constructor(m){super(m);this.name='VE';this.code=5}} console.log(new VE('ve'));
class WE extends Error{} console.log(new WE('we'), [new WE('l')]);
console.log(new Error('out',{cause:new Error('in')}));
console.log(new AggregateError([new Error('1')],'agg'));
const e2=new Error('m'); e2.name='Custom';
console.log(e2); const e3=new TypeError('tt'); e3.extra={a:1};
console.log(e3); const e4=new Error('');
console.log(e4); const e5 = new Error('multi\nline');
console.log(e5);
const e6=new Error('nostack'); e6.stack=undefined;
console.log(e6); delete e6.stack; const e7=new Error('s'); e7.stack='custom stack';
console.log(e7);
