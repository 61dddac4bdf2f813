// crypto and performance.
const te = new TextEncoder();
(async()=>{ const hex=b=>[...new Uint8Array(b)].map(x=>x.toString(16).padStart(2,'0')).join(''); for(const a of ['SHA-1','SHA-256','sha-384',{name:'SHA-512'}]) console.log(hex(await crypto.subtle.digest(a,te.encode('abc'))));
console.log(hex(await crypto.subtle.digest('SHA-256',new ArrayBuffer(0))), crypto.subtle.digest('SHA-1',new DataView(new ArrayBuffer(1))) instanceof Promise);
try { await crypto.subtle.digest('MD5',te.encode(''))} catch (e) { console.log(e.name,e.message)} try { await crypto.subtle.digest('SHA-1','s')} catch (e) { console.log(e.name)}
console.log(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()), crypto.getRandomValues(new Uint32Array(3)).length);
try { crypto.getRandomValues(new Float32Array(1))} catch (e) { console.log(e.name,e.code)} try { crypto.getRandomValues(new Uint8Array(70000))} catch (e) { console.log(e.name,e.code)} try { crypto.getRandomValues([])} catch (e) { console.log(e.name,e.code)} console.log(typeof performance.now(), performance.now()>=0, performance.timeOrigin>1e12);})();
