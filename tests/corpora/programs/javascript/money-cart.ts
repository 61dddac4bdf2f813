namespace Shop {
  export interface Item { readonly sku: string; name: string; cents: number; qty: number; tags?: string[] }
  export type Discount = { kind: "percent"; value: number } | { kind: "fixed"; cents: number } | { kind: "bogo"; sku: string };
  export abstract class Rule { abstract apply(items: readonly Item[], total: number): number; constructor(protected readonly name: string) {} toString(): string { return `[${this.name}]`; } }
  export class DiscountRule extends Rule {
    constructor(private d: Discount) { super(d.kind); }
    override apply(items: readonly Item[], total: number): number {
      switch (this.d.kind) {
        case "percent": return Math.round(total * (1 - this.d.value / 100));
        case "fixed": return Math.max(0, total - this.d.cents);
        case "bogo": { const { sku } = this.d; const item = items.find((i) => i.sku === sku); return total - (item ? Math.floor(item.qty / 2) * item.cents : 0); }
        default: { const never: never = this.d; return never; }
      }
    }
  }
}
const enum Status { Open, Paid = 10, Sent }
function isItem(x: unknown): x is Shop.Item { return typeof x === "object" && x !== null && "sku" in x && typeof (x as { cents: unknown }).cents === "number"; }
const raw: unknown[] = [{ sku: "a", name: "Pen", cents: 199, qty: 3 }, { sku: "b", name: "Ink", cents: 1250, qty: 1, tags: ["blue"] }, { sku: "c" }, null, "x"];
const items = raw.filter(isItem);
const rules = ([{ kind: "bogo", sku: "a" }, { kind: "percent", value: 10 }, { kind: "fixed", cents: 100 }] satisfies Shop.Discount[]).map((d) => new Shop.DiscountRule(d));
let total = items.reduce((sum, { cents, qty }) => sum + cents * qty, 0);
console.log(items.length, total);
for (const rule of rules) { const after = rule.apply(items, total); console.log(`${rule}`.padEnd(10), total, "->", after); total = after; }
type Keys<T> = { [K in keyof T as `get${Capitalize<string & K>}`]: () => T[K] };
const getters = <T extends object>(o: T): Keys<T> => Object.fromEntries(Object.entries(o).map(([k, v]) => [`get${k[0]!.toUpperCase()}${k.slice(1)}`, () => v])) as Keys<T>;
console.log(getters({ name: "Pen", qty: 3 }).getName(), Object.keys(getters(items[0]!)), Status.Sent, items[1]?.tags?.[0]?.toUpperCase() ?? "-", items[0]!.tags?.length);
class Stack<T> { #items: T[] = []; static { Object.freeze(this); } push(...xs: T[]): this { this.#items.push(...xs); return this; } *[Symbol.iterator](): IterableIterator<T> { yield* this.#items.toReversed(); } get size(): number { return this.#items.length; } declare ghost: number; }
const stack = new Stack<number | string>().push(1, "two").push(3); console.log([...stack], stack.size, "ghost" in stack, Object.isFrozen(Stack));
function overload(x: string): string; function overload(x: number): number; function overload(x: any) { return typeof x === "string" ? x.length : x * 2; } console.log(overload("abc"), overload(21), (<any>5).toFixed(1), (total as number)!.toFixed(0), [1, 2, 3].map<string>((n): string => `#${n}`));
const tuple: [a: string, b?: number, ...rest: boolean[]] = ["x", 1, true]; const [first, , ...rest] = tuple; let definite!: string; definite = "set"; console.log(first, rest, definite, Shop.Rule.name, typeof Shop, Object.keys(Shop)); export {};
