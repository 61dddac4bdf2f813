// structuredClone.
const show = (f) => {
  try {
    console.log(f());
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
};
const o={a:1,d:new Date(5),r:/x/gi,m:new Map([[{k:1},new Set([1,[2]])]]),u:undefined,n:null,b:10n,e:new RangeError('bad',{cause:'c'}),bx:[Object(1),Object('s'),Object(true),Object(2n)],h:[1,,3]}; o.self=o; const c=structuredClone(o);
console.log(c.self===c, c!==o, c.d instanceof Date, c.r.flags, c.e instanceof RangeError, c.e.message, c.e.cause, c.h.length, 1 in c.h, [...c.m.keys()][0]!==[...o.m.keys()][0]);
console.log(c.m, c.bx, c.h, c.u, 'u' in c);
show(()=>structuredClone(()=>{}));
show(()=>structuredClone(Symbol('q')));
show(()=>structuredClone({f(){}}));
show(()=>structuredClone(new WeakMap));
show(()=>structuredClone(Promise.resolve()));
show(()=>structuredClone(new Proxy({},{})));
show(()=>structuredClone(Object(Symbol('z'))));
show(()=>structuredClone((function*(){})()));
class P{constructor(){this.x=1} get y(){return 2} m(){}} console.log(structuredClone(new P), structuredClone(new P) instanceof P, structuredClone({get g(){return 7}}));
const ab=new ArrayBuffer(8), u8=new Uint8Array(ab,2,3), dv=new DataView(ab,1,4); u8[0]=9; const k=structuredClone({ab,u8,dv});
console.log(k, k.u8.buffer===k.ab, k.dv.buffer===k.ab);
const tr=structuredClone(ab,{transfer:[ab]});
console.log(ab.byteLength,tr.byteLength);
show(()=>structuredClone(1,{transfer:[{}]}));
show(()=>structuredClone(1,{transfer:[tr,tr]}));
class ME extends Error{constructor(){super('me');this.name='ME';this.extra=1}} const me=structuredClone(new ME);
console.log(me.name, me.constructor===Error, me.extra, me.message);
console.log(structuredClone([1,'a',null]), structuredClone('x'), structuredClone(new Error('e1')).message, structuredClone(new AggregateError([1],'m')).name);
console.log(structuredClone(Object.create({inherited:1},{own:{value:2,enumerable:true},hid:{value:3}})), structuredClone([...'ab'].map(x=>({x}))), structuredClone(new Float32Array([1.5])), Object.keys(structuredClone(Object.assign([1],{z:2}))));
const shared={s:1}; const dup=structuredClone([shared,shared]);
console.log(dup[0]===dup[1]);
console.log(structuredClone(new Date(NaN)), structuredClone({__proto__:null,a:1}), structuredClone(JSON.parse('{"__proto__":5}')));
