//! Programs that tamper with what they were given, and sources and values that are odd.

use super::{Hostile, hostile};

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        hostile(
            "polluted prototypes",
            "for (const proto of [Object.prototype, Array.prototype, String.prototype, Function.prototype, Promise.prototype, Map.prototype, Set.prototype, Error.prototype, Symbol.prototype, RegExp.prototype])
               for (const key of Reflect.ownKeys(proto)) { try { Object.defineProperty(proto, key, { get() { throw new Error('polluted') }, set() {}, configurable: true }) } catch {} }
             tools.testTools.add",
            "threw:Error",
        ),
        hostile("polluted globals", "for (const key of Reflect.ownKeys(globalThis)) { try { delete globalThis[key] } catch {} }", "returned"),
        hostile("Object.prototype.toJSON", "Object.prototype.toJSON = () => { throw new Error('no') }; return { a: 1 }", "threw:Error"),
        hostile("a thenable that never settles", "return { then() {} }", "threw:Error"),
        hostile("a result whose getters throw", "return { get a() { throw new TypeError('no') } }", "threw:TypeError"),
        hostile("a proxy as an argument", "return await tools.testTools.add(new Proxy({ a: 1, b: 2 }, {}))", "returned"),
        hostile("a proxy that throws as an argument", "await tools.testTools.add(new Proxy({}, { ownKeys() { throw new EvalError('no') } }))", "threw:EvalError"),
        hostile("getters as arguments", "let n = 0; return await tools.testTools.add({ get a() { return ++n }, get b() { return ++n } })", "returned"),
        hostile("a cyclic argument", "const a = {}; a.value = a; await tools.testTools.echo(a)", "threw:TypeError"),
        hostile("no source", "", "returned"),
        hostile("blank source", " \n\t\n", "returned"),
        hostile("source of 10 MB", format!("return 1 // {}", "x".repeat(10_000_000)), "limit:memory"),
        hostile("source of 10 MB of statements", "x=1;".repeat(2_500_000), "limit:memory"),
        hostile("source of one huge line of brackets", "[[[[[[[[[[".repeat(1_000_000), "threw:SyntaxError"),
    ]
}
