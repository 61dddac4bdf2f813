type Task<T> = { id: string; needs: string[]; run: (inputs: Record<string, unknown>) => Promise<T> | T };
class CycleError extends Error { override name = "CycleError"; constructor(readonly path: string[]) { super(`cycle: ${path.join(" -> ")}`); } }
class Scheduler {
  private readonly tasks = new Map<string, Task<unknown>>(); readonly log: string[] = [];
  add<T>(id: string, needs: string[], run: Task<T>["run"]): this { this.tasks.set(id, { id, needs, run }); return this; }
  async run(): Promise<Map<string, unknown>> {
    const started = new Map<string, Promise<unknown>>();
    const start = (id: string, path: string[]): Promise<unknown> => {
      if (path.includes(id)) throw new CycleError([...path.slice(path.indexOf(id)), id]);
      const task = this.tasks.get(id); if (!task) throw new ReferenceError(`${path.at(-1)} needs ${id}`);
      const needs = task.needs.map((n) => [n, start(n, [...path, id])] as const);
      return started.get(id) ?? started.set(id, (async () => { const inputs: Record<string, unknown> = {}; for (const [n, p] of needs) inputs[n] = await p; this.log.push(`+${id}`); const value = await task.run(inputs); this.log.push(`-${id}`); return value; })()).get(id)!;
    };
    const all = [...this.tasks.keys()].map((id) => [id, start(id, [])] as const);
    return new Map(await Promise.all(all.map(async ([id, p]) => [id, await p] as const)));
  }
}
const wait = (ms: number): Promise<void> => new Promise((r) => setTimeout(r, ms));
const build = new Scheduler().add("deploy", ["test", "pack"], ({ test, pack }) => `${test}+${pack}`).add("test", ["compile"], async ({ compile }) => { await wait(30); return `tested ${compile}`; }).add("pack", ["compile"], async () => { await wait(5); return "tar"; }).add("compile", [], () => wait(1).then(() => "bin"));
console.log(await build.run()); console.log(build.log.join(" "));
for (const bad of [new Scheduler().add("a", ["b"], () => 1).add("b", ["a"], () => 2), new Scheduler().add("x", ["nope"], () => 0)]) try { await bad.run(); } catch (error) { if (error instanceof CycleError) console.log(error.name, error.path, `${error}`); else console.log(`${error}`); }
class Emitter<Events extends Record<string, unknown[]>> { private handlers: { [E in keyof Events]?: Set<(...args: Events[E]) => void> } = {}; on<E extends keyof Events>(event: E, fn: (...args: Events[E]) => void): () => void { (this.handlers[event] ??= new Set()).add(fn); return () => this.handlers[event]?.delete(fn); } emit<E extends keyof Events>(event: E, ...args: Events[E]): number { const set = this.handlers[event]; set?.forEach((fn) => fn(...args)); return set?.size ?? 0; } }
const bus = new Emitter<{ sum: [a: number, b: number]; end: [] }>(); const off = bus.on("sum", (a, b) => console.log("sum", a + b)); console.log(bus.emit("sum", 1, 2), off(), bus.emit("sum", 3, 4), bus.emit("end"));
const timeline: string[] = []; const t0 = performance.now(); for (const [name, ms] of Object.entries({ c: 45, a: 1, b: 20 })) setTimeout(() => timeline.push(name), ms); await wait(70); console.log(timeline, performance.now() > t0, typeof performance.timeOrigin);
async function parallel<T, R>(items: Iterable<T>, n: number, fn: (item: T) => Promise<R>): Promise<R[]> { const out: R[] = []; const it = Array.from(items).entries(); await Promise.all(Array.from({ length: n }, async () => { for (const [i, item] of it) out[i] = await fn(item); })); return out; } console.log(await parallel("hello", 2, async (c) => { await wait(c.charCodeAt(0) % 7); return c.toUpperCase(); }));
