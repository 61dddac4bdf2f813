//! What `c/changes` must leave as it is.

use rquickjs::{Context, Function, Runtime};

use super::*;

const CASES: &str = include_str!("cases.js");

#[test]
fn changes_are_not_seen() {
    let runtime = Runtime::new().unwrap();
    runtime.set_max_stack_size(256 << 10);
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        let cases: Function<'_> = ctx.eval(CASES).unwrap();
        let ends: Object<'_> = cases.call(()).unwrap();
        let failed: Vec<String> = ends.get("failed").unwrap();
        assert_eq!(failed, Vec::<String>::new());
        assert!(ends.get::<_, u32>("count").unwrap() > 850);
    });
}

/// How a promise ends, when it is settled after somebody listens.
fn end<'js>(ctx: &Ctx<'js>, settle: impl FnOnce(&Promise<'js>)) -> String {
    const LISTEN: &str = "globalThis.end = 'pending';
        promise.then((value) => { end = `value ${JSON.stringify(value)}`; }, (reason) => { end = `reason ${reason}`; });";
    let promise = new_promise(ctx).unwrap();
    ctx.globals().set("promise", promise.clone()).unwrap();
    ctx.eval::<Value<'js>, _>(LISTEN).unwrap();
    settle(&promise);
    while run_job(ctx) == Job::Done {}
    ctx.globals().get("end").unwrap()
}

#[test]
fn promises_settle_as_by_their_functions() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        assert_eq!(end(&ctx, |_| {}), "pending");
        for (source, expected) in [
            ("({ a: 1 })", "value {\"a\":1}"),
            ("5", "value 5"),
            ("({ then: 1 })", "value {\"then\":1}"),
            ("({ then(go) { go(7); } })", "value 7"),
            ("({ then(_, stop) { stop('no'); } })", "reason no"),
            ("({ get then() { throw 'thrown'; } })", "reason thrown"),
            ("Promise.resolve(3)", "value 3"),
        ] {
            let value: Value<'_> = ctx.eval(source).unwrap();
            let ended = end(&ctx, |promise| resolve(promise, &value));
            assert_eq!(ended, expected, "{source}");
        }
        let reason: Value<'_> = ctx.eval("({ then() {}, toString: () => 'kept' })").unwrap();
        let ended = end(&ctx, |promise| reject(promise, &reason));
        assert_eq!(ended, "reason kept");
    });
}
