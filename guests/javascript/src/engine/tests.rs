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
        assert!(ends.get::<_, u32>("count").unwrap() > 700);
    });
}

#[test]
fn promises_settle_as_by_their_functions() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        let told = |settle: &dyn Fn(&Promise<'_>)| -> String {
            let promise = new_promise(&ctx).unwrap();
            ctx.globals().set("promise", promise.clone()).unwrap();
            let source = "globalThis.end = 'pending';
                promise.then((value) => { end = `value ${JSON.stringify(value)}`; }, (reason) => { end = `reason ${reason}`; });";
            ctx.eval::<(), _>(source).unwrap();
            settle(&promise);
            while run_job(&ctx) == Job::Done {}
            ctx.globals().get("end").unwrap()
        };
        let value = |source: &str| ctx.eval::<Value<'_>, _>(source).unwrap();
        assert_eq!(told(&|_| {}), "pending");
        for (source, end) in [
            ("({ a: 1 })", "value {\"a\":1}"),
            ("5", "value 5"),
            ("({ then: 1 })", "value {\"then\":1}"),
            ("({ then(go) { go(7); } })", "value 7"),
            ("({ then(_, stop) { stop('no'); } })", "reason no"),
            ("({ get then() { throw 'thrown'; } })", "reason thrown"),
            ("Promise.resolve(3)", "value 3"),
        ] {
            let value = value(source);
            assert_eq!(told(&|promise| resolve(promise, &value)), end, "{source}");
        }
        let reason = value("({ then() {}, toString: () => 'kept' })");
        assert_eq!(told(&|promise| reject(promise, &reason)), "reason kept");
    });
}
