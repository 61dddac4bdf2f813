//! The JavaScript guest: QuickJS-NG and our crate, compiled together, initialised.

use anyhow::Result;
use xtask::repository;

use super::toolchain::Toolchain;
use super::{bulk, meter, pages_written, pointers, resting_state, snapshot};

/// Scripts as most are.
static SCRIPTS: [&str; 9] = [
    "return 1 + 1",
    "console.log('a', 1, { b: [1, 2] }, null, [true])",
    "interface Item { name: string; price: number; tags?: string[] }\nconst items: Item[] = [{ name: 'a', price: 1 }, { name: 'b', price: 2, tags: ['x'] }]\nconst total = items.reduce<number>((sum: number, item: Item): number => sum + item.price, 0)\nreturn total as number",
    "const calls = [1, 2, 3].map(number => slow.slow({ number, rows: [{ a: 1, b: 'c' }] }))\nconst results = await Promise.all(calls)\nreturn results.length",
    "const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2)\nlet sum = 0\nfor (let n = 0; n < 300; n++) sum += n % 7 * 2 - n / 3\nreturn fib(12) + sum",
    "const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: `name ${id}`, amount: id * 1.5, paid: id % 3 === 0, tags: ['a', 'b'] }))\nconst paid = rows.filter(row => row.paid && row.amount > 10)\nconst groups = {}\nfor (const { id, amount } of paid) (groups[id % 4] ??= []).push(amount)\nreturn Object.entries(groups).map(([key, of]) => ({ key, sum: of.reduce((a, b) => a + b, 0), most: Math.max(...of) })).sort((a, b) => b.sum - a.sum)",
    "const text = 'The quick brown fox, 42 years old, jumps over 7 lazy dogs. '.repeat(10)\nconst words = new Map()\nfor (const word of text.toLowerCase().split(/\\s+/)) words.set(word, (words.get(word) ?? 0) + 1)\nconst numbers = [...text.matchAll(/\\d+/g)].map(([found]) => parseInt(found))\nreturn text.replace(/(\\w+) (\\w+)/g, '$2 $1').slice(3, 50).toUpperCase() + [...words].map(([word, count]) => `${word}: ${String(count).padStart(4)}`).join() + numbers.includes(7)",
    "const data = JSON.parse(JSON.stringify([{ a: 1, b: 'text', c: [1, null, true, 0.5] }, { a: 2, b: 'more', c: [] }], null, 2))\nconst day = new Date(Date.UTC(2026, 0, 1) + 86400000)\nreturn { data: { ...data[0], d: structuredClone(data[1]) }, day: day.toISOString(), keys: Object.keys(data[0]), set: [...new Set([1, 2, 2])], sorted: ['b', 'a', 'c'].sort().reverse(), flat: [[1], [2, [3]]].flat(), at: [1, 2, 3].indexOf(2), fixed: (1.005).toFixed(2) }",
    "class Shape { #name; constructor(name) { this.#name = name } get name() { return this.#name } area() { return 0 } }\nclass Square extends Shape { constructor(side) { super('square'); this.side = side } area() { return this.side ** 2 } }\nfunction* sides() { yield 1; yield* [2, 3] }\nasync function area(side) { await null; return new Square(side).area() }\nlet total = 0\nfor (const side of sides()) total += await area(side)\ntry { null.missing } catch (error) { total += error.message.length }\ntry { throw new TypeError('no') } catch ({ name, message }) { return `${name}: ${message} ${total}` } finally { total = 0 }",
];
/// One that waits for time to pass.
const WAITS: &str = "await new Promise(resolve => setTimeout(resolve, 1000))";

/// The module, and scripts that do little.
pub(super) fn build(toolchain: &Toolchain) -> Result<(Vec<u8>, &'static [&'static str])> {
    let module = toolchain.build(
        &repository().join("guests/javascript"),
        "ampoule_javascript.wasm",
    )?;
    let snapshot = snapshot::take(&bulk::in_steps(&module)?)
        .map_err(|error| anyhow::anyhow!("the guest can't be initialised: {error:?}"))?;
    resting_state::check(&snapshot, WAITS)?;
    // Its marks first: what takes less time than it did takes no more fuel.
    let module = pointers::settle(&meter::marked(&snapshot)?, &SCRIPTS)?;
    // What they do, most scripts do more of.
    let small = &SCRIPTS[..2];
    pages_written::check(&module, "JavaScript", small, pages_written::MOST_PLACES)?;
    Ok((module, small))
}
