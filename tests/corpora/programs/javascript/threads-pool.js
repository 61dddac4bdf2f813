async function pool(tasks, limit) {
  const results = new Array(tasks.length); let next = 0, running = 0, peak = 0;
  const worker = async () => { while (next < tasks.length) { const i = next++; running++; peak = Math.max(peak, running); try { results[i] = { status: "fulfilled", value: await tasks[i]() }; } catch (reason) { results[i] = { status: "rejected", reason: reason.message }; } running--; } };
  await Promise.all(Array.from({ length: limit }, worker));
  return { results, peak };
}
const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
const finished = [];
const { results, peak } = await pool([40, 5, 25, 60, 1].map((ms, i) => async () => { await sleep(ms); if (i === 2) throw new Error(`task ${i} failed`); finished.push(i); return ms * 2; }), 2);
console.log(results, peak); console.log(finished);
console.log(await Promise.allSettled([Promise.reject(new TypeError("no")), 5, sleep(1, "x")]).then((list) => list.map(({ status, value, reason }) => [status, value ?? reason.name])));
console.log(await Promise.race([sleep(50, "slow"), sleep(1, "fast")]), await Promise.any([Promise.reject(1), sleep(5, "any")]));
try { await Promise.any([Promise.reject(new Error("a")), Promise.reject("b")]); } catch (error) { console.log(error.name, error.errors.length); }
try { await Promise.all([sleep(5), Promise.reject(new RangeError("first"))]); } catch (error) { console.log(String(error)); }
const { promise, resolve, reject } = Promise.withResolvers(); setTimeout(resolve, 1, "resolved"); console.log(await promise, resolve(2), await promise.finally(() => "ignored"));
console.log(await Promise.try((a) => a * 2, 21), await Promise.try(() => { throw new SyntaxError("sync"); }).catch((e) => e.name), await { then(r) { r("thenable"); } });
const order = []; setTimeout(() => order.push("timeout"), 0); queueMicrotask(() => order.push("micro")); Promise.resolve().then(() => order.push("then")); order.push("sync"); await sleep(10); console.log(order);
async function retry(fn, times = 3) { for (let n = 1; ; n++) try { return await fn(n); } catch (error) { if (n === times) throw new Error(`after ${n}`, { cause: error }); } }
console.log(await retry(async (n) => { if (n < 3) throw 0; return `ok at ${n}`; })); await retry(() => Promise.reject(new Error("inner"))).catch((e) => console.log(e.message, "<-", e.cause.message));
const chained = [1, 2, 3].reduce((p, n) => p.then((acc) => [...acc, n * 10]), Promise.resolve([])); console.log(await chained, Promise.resolve(5), Promise.reject.length, new Promise(() => {}));
