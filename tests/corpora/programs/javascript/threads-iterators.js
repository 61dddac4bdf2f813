const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
class Channel {
  #values = []; #waiting = []; #closed = false;
  send(value) { if (this.#closed) throw new Error("closed"); const w = this.#waiting.shift(); w ? w({ value, done: false }) : this.#values.push(value); }
  close() { this.#closed = true; for (const w of this.#waiting.splice(0)) w({ value: undefined, done: true }); }
  next() { if (this.#values.length) return Promise.resolve({ value: this.#values.shift(), done: false }); if (this.#closed) return Promise.resolve({ value: undefined, done: true }); return new Promise((r) => this.#waiting.push(r)); }
  [Symbol.asyncIterator]() { return this; }
}
const channel = new Channel(), got = { a: [], b: [] };
const consumer = async (name) => { for await (const v of channel) { got[name].push(v); await sleep(1); } };
const consumers = [consumer("a"), consumer("b")]; for (let i = 0; i < 6; i++) { channel.send(i); if (i % 2) await sleep(3); } channel.close(); await Promise.all(consumers);
console.log(got.a.concat(got.b).sort(), got.a.length > 0 && got.b.length > 0); try { channel.send(1); } catch (e) { console.log(e.message); }
async function* count(to) { try { for (let i = 1; i <= to; i++) { await sleep(0); yield i; } } finally { console.log("closed count", to); } }
async function* map(source, fn) { for await (const x of source) yield fn(x); } async function* take(source, n) { if (n <= 0) return; for await (const x of source) { yield x; if (--n <= 0) return; } }
console.log(await Array.fromAsync(take(map(count(10), (x) => x * x), 3)), await Array.fromAsync([Promise.resolve(1), 2], (x) => x + 1));
for await (const x of [sleep(1).then(() => "p"), "plain"]) console.log(x);
const g = count(3); console.log(await g.next(), await g.return("early"), await g.next()); const h = count(2); await h.next(); try { await h.throw(new Error("thrown in")); } catch (e) { console.log(e.message); }
const queue = { tail: Promise.resolve(), run(fn) { return (this.tail = this.tail.then(fn, fn)); } }; const trace = []; await Promise.all([30, 1, 10].map((ms, i) => queue.run(async () => { trace.push(`start ${i}`); await sleep(ms); trace.push(`end ${i}`); }))); console.log(trace);
class Semaphore { #free; #queue = []; constructor(n) { this.#free = n; } async use(fn) { if (this.#free > 0) this.#free--; else await new Promise((r) => this.#queue.push(r)); try { return await fn(); } finally { const next = this.#queue.shift(); next ? next() : this.#free++; } } }
const s = new Semaphore(2); let now = 0, peak = 0; await Promise.all(Array.from({ length: 7 }, () => s.use(async () => { peak = Math.max(peak, ++now); await sleep(1); now--; }))); console.log(peak, now);
const debounce = (fn, ms) => { let id; return (...args) => { clearTimeout(id); id = setTimeout(fn, ms, ...args); }; }; const calls = []; const d = debounce((x) => calls.push(x), 15); d(1); d(2); await sleep(40); d(3); d(4); await sleep(40); console.log(calls);
const memo = (fn) => { const cache = new Map(); return (k) => cache.getOrInsertComputed?.(k, fn) ?? (cache.has(k) ? cache.get(k) : (cache.set(k, fn(k)), cache.get(k))); }; let runs = 0; const once = memo(async (k) => { runs++; await sleep(1); return k * 2; }); console.log(await Promise.all([once(1), once(1), once(2)]), runs);
{ await using resource = { async [Symbol.asyncDispose]() { console.log("disposed async"); } }; using r2 = { [Symbol.dispose]() { console.log("disposed"); } }; console.log("in block"); }
