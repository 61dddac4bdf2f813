//! The engine's own JSON, and ours: whatever a script does, both end alike.

use rquickjs::{Context, Ctx, Function, Result, Runtime};

use super::*;

const CASES: &str = include_str!("cases.js");

/// How each case ends, in a context of its own.
fn ends(prepare: impl FnOnce(&Ctx<'_>) -> Result<()>) -> Vec<String> {
    let runtime = Runtime::new().unwrap();
    runtime.set_max_stack_size(512 << 10);
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        prepare(&ctx).unwrap();
        let cases: Function<'_> = ctx.eval(CASES).unwrap();
        cases.call(()).unwrap()
    })
}

#[test]
fn ours_is_the_engines() {
    let engines = ends(|_| Ok(()));
    let ours = ends(install);
    assert_eq!(engines.len(), ours.len());
    assert!(engines.len() > 2500, "there were {} cases", engines.len());
    for (engines, ours) in engines.iter().zip(&ours) {
        assert_eq!(engines, ours);
    }
}

#[test]
fn texts_of_the_host_are_read_as_the_engine_reads_them() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        for text in [
            "{\"a\":[1,\"é\",\"客\\n\"],\"b\":null}",
            "[1,2",
            "{\"a\":1}}",
            "",
        ] {
            let ours = parse(&ctx, text.to_owned());
            let ours = told(&ctx, ours);
            let engines = ctx.json_parse(text);
            assert_eq!(ours, told(&ctx, engines));
        }
    });
}

#[test]
fn integers_of_the_host_that_numbers_cannot_tell_apart_are_bigints() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    let long = "9".repeat(400);
    let too_long = "9".repeat(400_000);
    context.with(|ctx| {
        for (json, kind, digits) in [
            ("9007199254740991", "number", "9007199254740991"),
            ("-9007199254740991", "number", "-9007199254740991"),
            ("9007199254740992", "bigint", "9007199254740992"),
            ("-9007199254740993", "bigint", "-9007199254740993"),
            ("9223372036854775808", "bigint", "9223372036854775808"),
            ("-9223372036854775808", "bigint", "-9223372036854775808"),
            ("-9223372036854775809", "bigint", "-9223372036854775809"),
            ("18446744073709551616", "bigint", "18446744073709551616"),
            (long.as_str(), "bigint", long.as_str()),
            ("9007199254740993.0", "number", "9007199254740992"),
            ("9007199254740993e0", "number", "9007199254740992"),
            ("1e21", "number", "1e+21"),
        ] {
            let value = parse(&ctx, format!("{{\"a\":[{json}]}}")).unwrap();
            ctx.globals().set("read", value).unwrap();
            let told: String = ctx
                .eval("typeof read.a[0] + ' ' + String(read.a[0])")
                .unwrap();
            assert_eq!(told, format!("{kind} {digits}"));
        }
        assert!(parse(&ctx, too_long.clone()).is_err());
        let error = format!("{:?}", ctx.catch());
        assert!(error.contains("too many digits"), "{error}");
    });
}

/// What was read, or why it was not.
fn told<'js>(ctx: &Ctx<'js>, read: Result<Value<'js>>) -> String {
    match read {
        Ok(value) => {
            let text = ctx.json_stringify(value).unwrap().unwrap();
            text.to_string().unwrap()
        }
        Err(_) => format!("{:?}", ctx.catch()),
    }
}

#[test]
fn only_plain_values_are_written_as_such() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        let written = |source: &str| {
            ctx.eval::<Value<'_>, _>(source)
                .map(|value| of_plain(&ctx, value.as_raw(), 3))
                .unwrap()
        };
        assert_eq!(
            written("({ a: [1, -0.5, 'é客\"', true, null], b: {} })").as_deref(),
            Some("{\"a\":[1,-0.5,\"é客\\\"\",true,null],\"b\":{}}")
        );
        assert_eq!(written("[[[]]]").as_deref(), Some("[[[]]]"));
        for other in [
            "[[[[]]]]",
            "undefined",
            "[undefined]",
            "({ a: undefined })",
            "[() => 1]",
            "[NaN]",
            "[1e300]",
            "['\\ud800']",
            "[1n]",
            "[new Date(0)]",
            "[new Map()]",
            "({ get a() { throw new Error('asked') } })",
            "({ toJSON() { throw new Error('asked') } })",
            "new (class { a = 1 })()",
            "[new Number(1)]",
            "globalThis.own = [], own.push(own), own",
        ] {
            assert_eq!(written(other), None, "{other}");
        }
        assert!(!ctx.has_exception());
    });
}
