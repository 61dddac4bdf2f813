//! Ampoule as a crate: what the documentation of its API says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ampoule::upstream::{ServerCommand, Upstream, UpstreamOptions};
use ampoule::{Ending, Functions, Grant, Language, Limit, Limits, Module, Runtime, Script};
use ampoule_tests::{binary, runtime, test_tools};
use serde_json::{Value, json};

#[tokio::test]
async fn a_script_of_several_modules_gets_text_json_and_bytes() {
    let modules = BTreeMap::from([
        ("main.ts".to_owned(), Module::Source("import { twice } from './lib/math.ts'; import text from './note.txt'; import data from 'data.json'; import bytes from './raw.bin';
            export default async () => ({ twice: twice(data.n), text, bytes: bytes.length, kind: bytes.constructor.name })".to_owned())),
        ("lib/math.ts".to_owned(), Module::Source("import { factor } from './factor.ts'; export const twice = (n: number): number => factor * n".to_owned())),
        ("lib/factor.ts".to_owned(), Module::Source("export const factor: number = 2".to_owned())),
        ("note.txt".to_owned(), Module::Text("a note".to_owned())),
        ("data.json".to_owned(), Module::Json("{\"n\": 21}".to_owned())),
        ("raw.bin".to_owned(), Module::Bytes(vec![0, 255, 7])),
    ]);
    let script = Script::from_modules(Language::TypeScript, "main.ts", modules).unwrap();
    let outcome = runtime().isolate(script).run().await.unwrap();
    assert_eq!(
        outcome.value::<Value>().unwrap(),
        json!({"twice": 42, "text": "a note", "bytes": 3, "kind": "Uint8Array"})
    );
}

#[tokio::test]
async fn an_error_in_a_module_names_it() {
    let script = Script::typescript("import { f } from './lib.ts'; return f()").module(
        "lib.ts",
        Module::Source("export const f = () => {\n  throw new RangeError('here') }".into()),
    );
    let outcome = runtime().isolate(script).run().await.unwrap();
    let Ending::Threw(thrown) = outcome.ending else {
        panic!("{}", outcome.ending)
    };
    let location = thrown.location.expect("a location");
    assert_eq!(
        (location.module.as_str(), location.line, location.column),
        ("lib.ts", 2, 9)
    );
}

#[tokio::test]
async fn env_is_given_as_plain_values() {
    let script = Script::javascript("return [env.region, env.limits.max, Object.keys(env)]")
        .env("region", "eu")
        .env("limits", json!({"max": 5}));
    let outcome = runtime().isolate(script).run().await.unwrap();
    assert_eq!(
        outcome.value::<Value>().unwrap(),
        json!(["eu", 5, ["region", "limits"]])
    );
}

#[tokio::test]
async fn a_run_may_have_a_binding_of_its_own() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let user = Functions::new("user").tool("name", "The user's name.", async |_: Nothing| {
        Ok::<_, String>("Ada")
    });
    let isolate = runtime()
        .isolate(Script::typescript("return await user.name()"))
        .binding(user)
        .grant("user".parse().unwrap());
    assert_eq!(
        isolate.run().await.unwrap().value::<String>().unwrap(),
        "Ada"
    );
    let clash = runtime()
        .isolate(Script::typescript("0"))
        .binding(Functions::new("test-tools"));
    assert!(clash.run().await.unwrap_err().is_request());
}

#[tokio::test]
async fn what_is_not_granted_does_not_exist() {
    let source = "return [Object.keys(tools), (await tools.$servers()).length, (await tools.$search('')).length]";
    let outcome = runtime()
        .isolate(Script::typescript(source))
        .run()
        .await
        .unwrap();
    assert_eq!(outcome.value::<Value>().unwrap(), json!([[], 0, 0]));

    let source = "const known = (await tools.$search('')).map((tool) => tool.name);
        try { tools.testTools.fail } catch (error) { return [known, error.message.includes('fail'), error.message.includes('hang')] }";
    let isolate = runtime()
        .isolate(Script::typescript(source))
        .grant("test-tools.add, test-tools.e*".parse().unwrap());
    let outcome = isolate.run().await.unwrap();
    assert_eq!(
        outcome.value::<Value>().unwrap(),
        json!([["echo", "add"], true, false])
    );
}

#[tokio::test]
async fn a_misspelt_grant_is_refused() {
    let error = runtime()
        .isolate(Script::typescript("0"))
        .grant(Grant::of(["test-tols"]).unwrap())
        .run()
        .await
        .unwrap_err();
    assert!(error.is_request());
    assert_eq!(
        error.to_string(),
        "unknown server `test-tols` in a grant; did you mean `test-tools`? Servers: test-tools, odd"
    );
}

#[tokio::test]
async fn limits_can_be_lowered_and_not_raised_above_the_ceiling() {
    let low = Runtime::builder()
        .ceilings(Limits {
            wall_time: Duration::from_secs(1),
            ..Limits::default_ceilings()
        })
        .build()
        .unwrap();
    assert_eq!(low.limits().wall_time, Duration::from_secs(1));
    let asked = Limits {
        wall_time: Duration::from_secs(2),
        ..*low.limits()
    };
    let error = low
        .isolate(Script::typescript("0"))
        .limits(asked)
        .err()
        .expect("refused");
    assert_eq!(
        error.to_string(),
        "the limit `wall-time` is 2000 ms, above the ceiling of 1000 ms"
    );
}

#[tokio::test]
async fn what_a_script_throws_is_cut_and_counted() {
    let source = "const error = new Error('m'.repeat(3e6), { cause: new Error('c'.repeat(3e6)) });
        error.name = 'n'.repeat(3e6); error.stack = 's'.repeat(3e6); throw error";
    let outcome = runtime()
        .isolate(Script::typescript(source))
        .run()
        .await
        .unwrap();
    let Ending::Threw(thrown) = &outcome.ending else {
        panic!("{}", outcome.ending)
    };
    assert!(thrown.message.starts_with("mmm") && thrown.message.ends_with('…'));
    let told = outcome.ending.to_string().len();
    assert!(told < 100 << 10, "{told}");
    let counted = outcome.usage.output_bytes;
    assert!(
        (1000..=told as u64).contains(&counted),
        "{counted} of {told}"
    );
}

#[tokio::test]
async fn env_counts_among_what_the_host_holds() {
    let limits = Limits {
        host_bytes: 1 << 20,
        ..Limits::default()
    };
    let script = Script::typescript("return 1").env("big", "x".repeat(2 << 20));
    let isolate = runtime().isolate(script).limits(limits).unwrap();
    let ended = isolate.run().await.unwrap().ending;
    assert!(
        matches!(ended, Ending::Limit(hit) if hit.limit == Limit::HostBytes),
        "{ended}"
    );
}

#[tokio::test]
async fn times_of_any_length_are_heeded() {
    let limits = Limits {
        wall_time: Duration::MAX,
        ..Limits::default_ceilings()
    };
    let options = UpstreamOptions {
        start_timeout: Duration::MAX,
        call_timeout: Duration::MAX,
        idle_timeout: Some(Duration::MAX),
        ..UpstreamOptions::default()
    };
    let command = ServerCommand::new(binary()).args(["demo-server"]);
    let patient = Runtime::builder()
        .ceilings(limits)
        .slot_wait(Duration::MAX)
        .binding(Upstream::stdio("demo", command, options))
        .build()
        .unwrap();
    let script = Script::typescript("return (await tools.demo.getBusiness({})).name");
    let isolate = patient.isolate(script).grant(Grant::all());
    let outcome = isolate.limits(limits).unwrap().run().await.unwrap();
    assert_eq!(outcome.value::<String>().unwrap(), "Birch & Bolt");
    patient.close().await;
}

#[tokio::test]
async fn dropping_the_caller_ends_the_run_and_its_calls_at_once() {
    let (started, mut ended) = (
        Arc::new(tokio::sync::Notify::new()),
        tokio::sync::oneshot::channel::<()>(),
    );
    let gone = Mutex::new(Some(ended.0));
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let notify = Arc::clone(&started);
    let hold = Functions::new("hold").tool("on", "Never answers.", move |_: Nothing| {
        let (notify, gone) = (Arc::clone(&notify), gone.lock().unwrap().take());
        async move {
            notify.notify_one();
            let _gone = gone;
            std::future::pending::<Result<(), String>>().await
        }
    });
    let isolate = runtime()
        .isolate(Script::typescript("await hold.on()"))
        .binding(hold)
        .grant(Grant::all());
    let run = tokio::spawn(isolate.run());
    started.notified().await;
    run.abort();
    assert!(run.await.unwrap_err().is_cancelled());
    // The function's future is dropped, and its end of the channel with it.
    assert!((&mut ended.1).await.is_err());
}

#[tokio::test]
async fn who_fills_the_house_leaves_places_to_others() {
    let four = Runtime::builder()
        .binding(test_tools())
        .isolates(4)
        .slot_wait(Duration::from_millis(100))
        .build()
        .unwrap();
    let run = async |source: &str, whose: &str| {
        let isolate = four.isolate(Script::typescript(source));
        isolate.grant(Grant::all()).principal(whose).start().await
    };
    four.warm(Language::TypeScript).await.unwrap();
    let mut flood = Vec::new();
    for _ in 0..6 {
        let hangs = run("await tools.testTools.hang({})", "bob").await.unwrap();
        flood.push(hangs);
    }
    let refused = run("return 1", "bob").await.unwrap().outcome().await;
    let refused = refused.unwrap_err();
    assert!(refused.is_busy(), "{refused}");
    let said = "all isolates that this client may have were in use for 0.1 s";
    assert!(refused.to_string().ends_with(said), "{refused}");
    let other = run("return 1", "ada").await.unwrap().outcome().await;
    assert_eq!(other.unwrap().value::<u32>().unwrap(), 1);
}

#[tokio::test]
async fn a_full_house_is_an_error_that_can_be_told() {
    let one = Runtime::builder()
        .binding(test_tools())
        .isolates(1)
        .slot_wait(Duration::from_millis(100))
        .build()
        .unwrap();
    let first = tokio::spawn(
        one.isolate(Script::typescript("await tools.testTools.hang({})"))
            .grant(Grant::all())
            .run(),
    );
    one.warm(Language::TypeScript).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let error = one
        .isolate(Script::typescript("1"))
        .run()
        .await
        .unwrap_err();
    assert!(error.is_busy(), "{error}");
    let again = error.retry_after().unwrap().as_secs();
    let said = error.to_string();
    assert!(
        said.starts_with(&format!("busy, again in {again} s: all isolates")),
        "{said}"
    );
    first.abort();
    let _ = first.await;
    assert_eq!(
        one.isolate(Script::typescript("return 1"))
            .run()
            .await
            .unwrap()
            .value::<u32>()
            .unwrap(),
        1
    );
}

#[tokio::test]
async fn a_source_that_is_no_text_is_refused() {
    assert!(
        Script::from_bytes(Language::TypeScript, vec![0x66, 0xfe])
            .unwrap_err()
            .is_request()
    );
}
