//! What a text does not prove: reads that may find what the script itself put there, reads and calls
//! that the script may never come to.

use super::*;

/// The first call of a source, as [`calls`] has it.
fn first(source: &str) -> String {
    calls(source).into_iter().next().unwrap_or_default()
}

/// Says that no source reads a property whose name is `bad`, or what is in it.
#[track_caller]
fn assert_not_read(sources: &[&str]) {
    let read: Vec<_> = sources
        .iter()
        .map(|source| (source, calls(source).join("; ")))
        .filter(|(_, calls)| calls.contains("/bad") || calls.contains(".bad"))
        .collect();
    assert!(read.is_empty(), "{read:#?}");
}

/// Says that a source with a call of `demo.x` has none for certain: none is looked at.
#[track_caller]
fn assert_never(sources: &[&str]) {
    let found: Vec<_> = sources
        .iter()
        .map(|source| (source, calls(source).join("; ")))
        .filter(|(_, calls)| calls.contains("demo.x"))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// Says that what is behind the calls of a source is not come to for certain.
#[track_caller]
fn assert_conditional(sources: &[&str]) {
    let certain: Vec<_> = sources
        .iter()
        .map(|source| (source, calls(source).join("; ")))
        .filter(|(_, calls)| calls.contains("demo.x") && !calls.contains("demo.x {} if"))
        .collect();
    assert!(certain.is_empty(), "{certain:#?}");
}

#[test]
fn what_the_source_puts_into_answers_may_be_there() {
    assert_not_read(&[
        "const r = await demo.x(); r.items.forEach(i => { i.bad = { y: 1 } }); return r.items[0].bad.y",
        "const r = await demo.x(); r.bad = { x: 1 }; return r.bad.x",
        "const r = await demo.x(); for (const i of r.items) i.bad = f(i); return r.items.map(i => i.bad.y)",
        "const r = await demo.x(); r['bad'] = []; return r.bad.length",
        "const r = await demo.x(); r[`bad`] = []; return r.bad.length",
        "const r = await demo.x(); r.bad ??= []; return r.bad.length",
        "const r = await demo.x(); r.bad ||= {}; r.bad.x = 1; return r.bad.x",
        "const r = await demo.x(); [r.bad] = [{}]; return r.bad.x",
        "const r = await demo.x(); ({ a: r.bad } = y); return r.bad.x",
        "const r = await demo.x(); for (r.bad of [1]) {} return r.bad.x",
        "const r = await demo.x(); r.bad++; return r.bad + 1",
        "function add(o) { o.bad = {}; } const r = await demo.x(); add(r); return r.bad.x",
        "function add(o, k) { o[k] = {}; } const r = await demo.x(); add(r, 'bad'); return r.bad.x",
        "const r = await demo.x(); r['a/bad'] = {}; return r['a/bad'].bad",
    ]);
}

#[test]
fn lists_may_get_other_items() {
    assert_not_read(&[
        "const r = await demo.x(); r.items.push({ bad: 1 }); return r.items.map(i => i.bad + 1)",
        "const r = await demo.x(); r.items.unshift({ bad: 1 }); return r.items[0].bad",
        "const r = await demo.x(); r.items.splice(0, 1, { bad: 1 }); return r.items[0].bad",
        "const r = await demo.x(); r.items.fill({ bad: 1 }); return r.items[0].bad",
        "const r = await demo.x(); r.items.copyWithin(0, 1); return r.items[0].bad",
        "const r = await demo.x(); r.items[0] = { bad: 1 }; return r.items[0].bad",
        "const r = await demo.x(); const list = r.items; list.push({ bad: 1 }); return list[0].bad",
        "const r = await demo.x(); const list = r.items; list[0] = { bad: 1 }; return list[0].bad",
        "const r = await demo.x(); const list = r.items; list[list.length - 1] = y; return list[0].bad",
        "const r = await demo.x(); const all = { items: r.items }; all.items.push(y); return r.items[0].bad",
        "const r = await demo.x(); [].push.apply(r.items, [{ bad: 1 }]); return r.items[0].bad",
        "const r = await demo.x(); r.items['push']({ bad: 1 }); return r.items[0].bad",
        "const r = await demo.x(); const { push } = r.items; return r.items[0].bad",
        "const r = await demo.x(); r.items.sort((a, b) => { a.bad = 1; return 0 }); return r.items[0].bad",
    ]);
    // A list of the script's own gets items, and no other.
    assert_eq!(
        first(
            "const r = await demo.x(); const o = []; for (const i of r.items) o.push(`${i.a}`); return o"
        ),
        "demo.x {} r/items i/items/-/a"
    );
    // What is no list's item gets nothing by that.
    assert_eq!(
        first("const r = await demo.x(); r.items.push(1); return r.a"),
        "demo.x {} r/items r.items/items/push r/a"
    );
}

#[test]
fn functions_that_change_objects_have_other_names() {
    assert_not_read(&[
        "const give = Object.assign; const r = await demo.x(); give(r, { bad: 1 }); return r.bad",
        "const r = await demo.x(); Object['assign'](r, { bad: 1 }); return r.bad",
        "const { assign } = Object; const r = await demo.x(); assign(r, { bad: 1 }); return r.bad",
        "const O = Object; const r = await demo.x(); O.assign(r, { bad: 1 }); return r.bad",
        "const r = await demo.x(); Object.assign(r.a, { bad: 1 }); return r.a.bad",
        "const r = await demo.x(); Object.assign(...[r, { bad: 1 }]); return r.bad",
        "const r = await demo.x(); Reflect.set(r, 'bad', 1); return r.bad",
        "const { set } = Reflect; const r = await demo.x(); set(r, 'bad', 1); return r.bad",
        "const r = await demo.x(); Object.defineProperty(r, 'bad', { value: 1 }); return r.bad",
        "const def = Object.defineProperty; const r = await demo.x(); def(r, 'bad', {}); return r.bad",
        "const p = demo.x(); p.bad = 'a'; await p; return p.bad",
        "const p = demo.x(); Object.assign(p, { bad: 1 }); return p.bad",
        "this.demo = { x: () => ({ bad: 1 }) }; const r = await demo.x(); return r.bad",
        "function f() { this.demo = 1 } f(); const r = await demo.x(); return r.bad",
    ]);
    assert_eq!(
        first("const r = await demo.x(); return Object.keys(y).length + r.a"),
        "demo.x {} r/a"
    );
    assert_eq!(
        first(
            "class C { #n = 1; get n() { return this.#n } } const r = await demo.x(); return r.a"
        ),
        "demo.x {} r/a"
    );
}

#[test]
fn what_is_behind_an_early_end_may_not_be_read() {
    assert_not_read(&[
        "const r = await demo.x(); if (!r.ok) return r.msg; return r.bad.x",
        "const r = await demo.x(); if (y) throw new Error('z'); return r.bad.x",
        "const r = await demo.x(); if (y) exit(); return r.bad.x",
        "const r = await demo.x(); if (y) process.exit(); return r.bad.x",
        "const r = await demo.x(); l: { if (y) break l; console.log(r.bad.x) }",
        "const r = await demo.x(); for (const i of r.items) { if (!i.ok) continue; console.log(i.bad.x) }",
        "const r = await demo.x(); for (const i of r.items) { if (!i.ok) break; console.log(i.bad.x) }",
        "const r = await demo.x(); for (const i of r.items) { if (!i.ok) return 1; console.log(i.bad.x) } return 2",
        "const r = await demo.x(); for (const i of r.items) { if (!i.ok) return 1 } return r.bad.x",
        "const r = await demo.x(); o: for (const i of r.items) { for (const j of i.l) { if (j) continue o } i.bad() }",
        "const r = await demo.x(); return r.items.map(i => { if (!i.ok) return null; return i.bad })",
        "const r = await demo.x(); return r.items.map(i => { switch (i.k) { case 1: return 2 } return i.bad })",
        "const r = await demo.x(); return r.items.map(i => { for (const j of i.l) { if (j) return 1 } return i.bad })",
        "const r = await demo.x(); for (const i of r.items) { switch (i.k) { case 1: continue } i.bad() }",
        "const r = await demo.x(); while (true) { if (y) break; console.log(r.bad) }",
        "const r = await demo.x(); do { if (y) break; console.log(r.bad) } while (true)",
        "const fail = () => { throw new Error('x') }; const r = await demo.x(); if (!r.ok) fail(); return r.bad.x",
        "function stop() { exit() } const r = await demo.x(); stop(); return r.bad",
        "const stop = exit; const r = await demo.x(); stop(); return r.bad",
        "const r = await demo.x(); await (r.ok ? 1 : Promise.reject(new Error('x'))); return r.bad",
    ]);
    // What ends before the loop's turn does not reach behind the loop.
    assert_eq!(
        first("const r = await demo.x(); for (const i of y) { if (i) continue; } return r.a"),
        "demo.x {} r/a"
    );
}

#[test]
fn what_is_behind_an_early_end_may_not_be_called() {
    assert_conditional(&[
        "function check() { if (y) exit() } check(); await demo.x({})",
        "const check = () => { throw new Error('z') }; check(); await demo.x({})",
        "const o = { get v() { exit() } }; o.v; await demo.x({})",
        "for (const i of y) { if (i) return 1 } await demo.x({})",
        "const stop = exit; stop(); await demo.x({})",
    ]);
    assert_never(&[
        "return 1; await demo.x({})",
        "throw new Error('later'); await demo.x({})",
        "{ return 1 } await demo.x({})",
    ]);
}

#[test]
fn casts_stop_reads() {
    assert_not_read(&[
        "const r = await demo.x(); return (r as any).bad.x",
        "const r = await demo.x(); return (<any>r).bad.x",
        "const r = (await demo.x()) as unknown as Foo; return r.bad.x",
        "const r = await (demo.x() as Promise<any>); return r.bad.x",
        "const r = await demo.x(); return (r.items as any[]).map((i) => i.bad)",
        "const r = await demo.x(); for (const i of r.items as Item[]) console.log(i.bad)",
        "const r = await demo.x(); const { bad } = r as any; return bad",
        "const r = (await demo.x())!; return r.bad",
        "const r = (await demo.x()) satisfies Foo; return r.bad",
        "return (demo.x() as any).bad",
        "const p = demo.x() as any; return p.bad",
    ]);
    assert_calls(
        "await (tools as any).demo.list({ a: 1 } as any)",
        &["tools.demo.list {\"a\":1}"],
    );
    assert_calls("await (demo.x({}) as Promise<any>)", &["demo.x {}"]);
}

#[test]
fn what_nothing_calls_never_happens() {
    assert_never(&[
        "async function unused() { await demo.x({}) } return 1",
        "const unused = async () => { await demo.x({}) }; return 1",
        "const unused = async function () { await demo.x({}) }; return 1",
        "async function a() { await b() } async function b() { await demo.x({}) } return 1",
        "async function a(n) { await demo.x({}); return a(n - 1) } return 1",
        "const o = { async a() { await demo.x({}) } }; return 1",
        "const o = { a: async () => { await demo.x({}) }, b: 1 }; return o.b",
        "const o = { get a() { return demo.x({}) } }; return 1",
        "class C { async a() { await demo.x({}) } } return new C()",
        "class C { static a = () => demo.x({}) } return 1",
        "function* g() { yield demo.x({}) } g(); return 1",
        "async function* g() { yield await demo.x({}) } return 1",
        "const later = []; later.push(() => demo.x({})); return 1",
        "const m = new Map([['a', () => demo.x({})]]); return 1",
        "register('a', async () => demo.x({})); return 1",
        "const f = y ? () => demo.x({}) : () => 1; return 1",
        "const f = y ?? (() => demo.x({})); return 1",
        "let f = async () => demo.x({}); f = other; await f()",
        "export const unused = () => demo.x({}); return 1",
        "const DRY = true; if (!DRY) await demo.x({})",
        "if (false) { await demo.x({}) }",
        "const DEBUG = false; DEBUG && await demo.x({})",
        "const DEBUG = false; return DEBUG ? await demo.x({}) : 1",
    ]);
    for source in [
        "async function a() { await demo.x({}) } await a()",
        "const a = async () => { await demo.x({}) }; await a()",
        "async function a() { await b() } async function b() { await demo.x({}) } await a()",
        "async function a() { await demo.x({}) } async function main() { await a() } main()",
        "async function main() { await demo.x({}) }",
        "async () => { await demo.x({}) }",
        "await (async () => { await demo.x({}) })()",
        "await Promise.all([1].map(async (i) => demo.x({})))",
        "const one = async (i) => demo.x({}); await Promise.all([1].map(one))",
        "await Promise.resolve(1).then(() => demo.x({}))",
        "await [1].reduce(async (p, i) => { await p; await demo.x({}) }, 0)",
        "export default async function run() { await demo.x({}) }",
    ] {
        assert_calls(source, &["demo.x {} if ~"]);
    }
}

#[test]
fn promises_are_caught_by_other_names() {
    for source in [
        "await Promise['allSettled']([demo.x()])",
        "const { allSettled } = Promise; await allSettled([demo.x()])",
        "const P = Promise; await P.any([demo.x()])",
        "await Promise.race([demo.x(), wait]).catch(y)",
        "const p = demo.x(); await p['catch'](y)",
        "const p = demo.x(); await p.then(...handlers)",
        "const p = demo.x(); await p['then'](y, z)",
        "const all = [...[demo.x()]]; await all[0].then(y, z)",
        "const { then } = demo.x()",
        "await new Promise((done) => { demo.x(); done() })",
        "class Quiet extends Promise {} await Quiet.all([demo.x()])",
    ] {
        assert!(may_catch(source), "{source}");
    }
    assert_not_read(&[
        "const r = await demo.x(); await Promise.allSettled(r.items.map(async (i) => `${i.bad.x}`))",
        "const Promise = make(); const [r] = await Promise.all([demo.x()]); return r.bad",
    ]);
}

#[test]
fn a_name_in_a_block_is_another_behind_it() {
    assert_not_read(&[
        "{ const r = await demo.x(); } return r.bad.y",
        "for (const r of (await demo.x()).items) {} return r.bad",
    ]);
    assert_never(&["tools.demo.x = async () => 1; await tools.demo.x({ a: 1 })"]);
    assert_calls("{ const d = tools.demo; } await d.list({})", &[]);
    assert_calls(
        "{ const n = 'text'; } await demo.list({ n })",
        &["demo.list {\"n\":null} ?/n"],
    );
}

#[test]
fn what_is_only_looked_at_is_not_read() {
    assert_not_read(&[
        "const r = await demo.x(); const info = { next: r.bad }; if (info.next) return 1; return 2",
        "const r = await demo.x(); const [a] = [r.bad]; return a ?? 1",
        "const r = await demo.x(); return r.items.map((i) => i.bad).filter(Boolean)",
        "const r = await demo.x(); const all = r.items.map((i) => i.bad); return all.filter(Boolean)",
        "const r = await demo.x(); await demo.y({ cursor: r.bad })",
        "const r = await demo.x(); const console = { log: (it) => it ?? 1 }; console.log(r.bad)",
        "const r = await demo.x(); const bad = r.bad; const n = bad?.first.length; return [n, bad]",
        "const r = await demo.x(); const bad = r.bad; const n = bad?.map((i) => i); return [n, bad]",
        "const r = await demo.x(); const bad = r.bad; const n = bad?.[0].length; return [n, bad]",
        "const r = await demo.x(); return (r.bad * 2) || 0",
        "const r = await demo.x(); const sum = r.bad + 1; return sum || 0",
        "const r = await demo.x(); return r.items.filter((i) => `${i.a} ${i.bad}`.includes('x'))",
        "const all = await Promise.all([demo.x(), demo.y()]); all.reverse(); return all[0].bad",
        "const all = Promise.all([demo.x(), demo.y()]); const list = await all; list.shift(); return list[0].bad",
        "const p = demo.x(); p.bad?.(); await p",
        "const p = demo.x(); if (p.bad) p.bad(); await p",
        "const p = demo.x(); const status = p.bad ?? 'pending'; await p; return status",
        "const p = demo.x(); if (y) console.log(p.bad); await p",
    ]);
    assert_eq!(
        first("const r = await demo.x(); return r.items.map((i) => ({ a: i.a, b: [i.b] }))"),
        "demo.x {} r/items r.items/items/map i/items/-/a i/items/-/b"
    );
}
