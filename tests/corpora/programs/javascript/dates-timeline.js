class Interval {
  #start; #end;
  constructor(start, end) { if (end < start) throw new RangeError(`${end} is before ${start}`); this.#start = start; this.#end = end; Object.freeze(this); }
  static of(text) { const [a, b] = text.split("–").map((t) => { const [h, m] = t.split(":"); return h * 60 + +m; }); return new this(a, b); }
  get length() { return this.#end - this.#start; }
  overlaps(other) { return this.#start < other.#end && other.#start < this.#end; }
  union(other) { return new Interval(Math.min(this.#start, other.#start), Math.max(this.#end, other.#end)); }
  static merge(list) { return list.toSorted((a, b) => a.#start - b.#start).reduce((out, i) => { const last = out.at(-1); if (last && i.#start <= last.#end) out[out.length - 1] = last.union(i); else out.push(i); return out; }, []); }
  *slots(minutes) { for (let t = this.#start; t + minutes <= this.#end; t += minutes) yield new Interval(t, t + minutes); }
  static #clock(n) { return `${String(Math.floor(n / 60)).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}`; }
  toString() { return `${Interval.#clock(this.#start)}–${Interval.#clock(this.#end)}`; }
  toJSON() { return { from: this.#start, to: this.#end }; }
  [Symbol.toPrimitive](hint) { return hint === "number" ? this.length : this.toString(); }
  static is(x) { return #start in x; }
}
const meetings = ["13:15–14:00", "09:00–10:30", "10:00–11:00", "10:45–11:30", "16:00–17:45"].map((t) => Interval.of(t));
const busy = Interval.merge(meetings);
console.log(busy.join(", "), busy.reduce((sum, i) => sum + i.length, 0), +busy[0]);
console.log([...Interval.of("09:00–10:00").slots(25)].map(String), JSON.stringify(busy[0]), `${busy[1]}`, meetings[1].overlaps(meetings[2]), Interval.is(busy[0]), Interval.is({}));
console.log(busy[0], Object.keys(busy[0]), Object.isFrozen(busy[0]));
for (const bad of [() => new Interval(5, 1), () => { busy[0].x = 1; }, () => Interval.of("x"), () => busy[0].overlaps({}), () => Interval.prototype.length]) try { console.log(bad()); } catch (error) { console.log(error.name); }
const peak = meetings.flatMap((m) => { const { from, to } = m.toJSON(); return [[from, 1], [to, -1]]; }).sort((a, b) => a[0] - b[0] || a[1] - b[1]).reduce(([now, max], [, d]) => [now + d, Math.max(max, now + d)], [0, 0])[1];
console.log("rooms", peak, Interval.name, Interval.length, typeof Interval, Reflect.ownKeys(Interval.prototype));
