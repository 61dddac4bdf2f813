// AbortController, AbortSignal, EventTarget and DOMException.
const ac=new AbortController(); ac.signal.addEventListener('abort',e=>console.log('ev',e.type,e.target===ac.signal)); ac.signal.onabort=()=>console.log('onabort');
console.log(ac); ac.abort(); ac.abort();
console.log(ac.signal.aborted, ac.signal.reason.name, ac.signal.reason.message, ac.signal.reason.code, ac.signal.reason instanceof Error, ac.signal.reason instanceof DOMException);
try { ac.signal.throwIfAborted()} catch (e) { console.log(String(e))} console.log(AbortSignal.abort('why').reason, ac.signal);
const x=new AbortController(), any=AbortSignal.any([x.signal,new AbortController().signal]); any.onabort=()=>console.log('any',any.reason); x.abort('r');
console.log(AbortSignal.any([AbortSignal.abort(1)]).reason, AbortSignal.any([]).aborted);
try { new AbortSignal} catch (e) { console.log(e.name,e.message)}
const et=new EventTarget; et.addEventListener('x',e=>{console.log('x1',e.type, e.cancelable);e.preventDefault()}); et.addEventListener('x',{handleEvent(e){console.log('obj',this!==undefined)}},{once:true});
console.log(et.dispatchEvent(new Event('x',{cancelable:true})), et.dispatchEvent(new CustomEvent('x',{detail:4})), new CustomEvent('q',{detail:5}).detail);
const d=new DOMException('m','DataCloneError');
console.log(d.code,d.name,d.message,String(d),Object.prototype.toString.call(d), DOMException.ABORT_ERR);
console.log(new DOMException().name, new DOMException('a').code);
console.log(d);
console.log([d]);
