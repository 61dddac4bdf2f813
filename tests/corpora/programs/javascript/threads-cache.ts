class AsyncCache<K, V> {
  readonly #entries = new Map<K, { value: Promise<V>; until: number }>(); hits = 0; misses = 0;
  constructor(private readonly load: (key: K) => Promise<V>, private readonly ttl: number, private readonly now: () => number) {}
  get(key: K): Promise<V> { const entry = this.#entries.get(key); if (entry && entry.until > this.now()) { this.hits++; return entry.value; } this.misses++; const value = this.load(key).catch((error: unknown) => { this.#entries.delete(key); throw error; }); this.#entries.set(key, { value, until: this.now() + this.ttl }); return value; }
}
let clock = 0, loads: string[] = [];
const cache = new AsyncCache<string, number>(async (key) => { loads.push(key); await Promise.resolve(); if (key === "bad") throw new Error("no such key"); return key.length; }, 10, () => clock);
console.log(await Promise.all([cache.get("abc"), cache.get("abc"), cache.get("de")]), loads, cache.hits, cache.misses);
clock = 11; console.log(await cache.get("abc"), loads.length); for (let i = 0; i < 2; i++) await cache.get("bad").catch((e: Error) => console.log(e.message)); console.log(loads, cache);
const dedupe = <A extends unknown[], R>(fn: (...args: A) => Promise<R>) => { const pending = new Map<string, Promise<R>>(); return (...args: A): Promise<R> => { const key = JSON.stringify(args); return pending.get(key) ?? pending.set(key, fn(...args).finally(() => pending.delete(key))).get(key)!; }; }; let runs = 0; const once = dedupe(async (n: number) => { runs++; await null; return n * 2; }); console.log(await Promise.all([once(1), once(1), once(2)]), runs, await once(1), runs);
