//! What a run did not wait for, and what the next one hears of it.

use ampoule::Language::{Python, TypeScript};
use serde_json::json;

use super::{Kept, session};

#[tokio::test]
async fn timers_and_calls_end_with_their_run_which_says_so() {
    let kept = Kept::new();
    let script = "var fired = 0; setTimeout(() => fired++, 5); const call = tools['test-tools'].hang(); return 1";
    let outcome = kept.run("it", TypeScript, script).await;
    let output = outcome.output.to_string();
    assert!(session(&outcome).kept);
    assert!(output.contains("1 timer was still set"), "{output}");
    assert!(output.contains("never awaited"), "{output}");
    let script = "await new Promise((resolve) => setTimeout(resolve, 30)); return fired";
    assert_eq!(kept.typescript(script).await, json!(0));

    let script = "import asyncio\nfired = []\nasyncio.get_running_loop().call_later(0.005, fired.append, 1)\nawait asyncio.sleep(0)\n1";
    let outcome = kept.run("py", Python, script).await;
    let output = outcome.output.to_string();
    assert!(session(&outcome).kept, "{output}");
    assert!(output.contains("1 timer was still set"), "{output}");
    let script = "await asyncio.sleep(0.03)\nfired";
    assert_eq!(kept.value("py", Python, script).await, json!([]));
}

#[tokio::test]
async fn what_a_run_did_not_wait_for_says_so_in_the_next() {
    let kept = Kept::new();
    kept.typescript("const pend = tools['test-tools'].hang(); const late = new Promise((done) => setTimeout(done, 1000)); return 1").await;
    let script = "try { await pend } catch (error) { return [error instanceof ToolError, error.tool, error.message] }";
    let told = kept.typescript(script).await;
    assert_eq!((&told[0], &told[1]), (&json!(true), &json!("hang")));
    let message = told[2].as_str().unwrap();
    assert!(
        message.contains("ended without waiting for it"),
        "{message}"
    );
    let outcome = kept.run("it", TypeScript, "await late").await;
    let told = outcome.ending.to_string();
    assert!(told.contains("an earlier run of the session"), "{told}");

    let script = "import asyncio
async def waits(call):
    return await call
pend = tools.test_tools.hang()
other = tools.test_tools.hang()
task = asyncio.create_task(waits(other))
sleeps = asyncio.create_task(asyncio.sleep(1000))
late = asyncio.get_running_loop().create_future()
asyncio.get_running_loop().call_later(1000, late.set_result, 1)
await asyncio.sleep(0)
1";
    kept.value("py", Python, script).await;
    let script = "try:
    await pend
except ToolError as error:
    told = [error.tool, str(error)]
told";
    let told = kept.value("py", Python, script).await;
    assert_eq!(told[0], json!("hang"));
    let message = told[1].as_str().unwrap();
    assert!(
        message.contains("ended without waiting for it"),
        "{message}"
    );
    for (script, expected) in [
        ("pend.result()", "ended without waiting for it"),
        ("await task", "ended without waiting for it"),
        ("await sleeps", "ended without waiting for it"),
        ("await other", "ended without waiting for it"),
        ("await late", "an earlier run of the session"),
    ] {
        let outcome = kept.run("py", Python, script).await;
        let told = outcome.ending.to_string();
        assert!(told.contains(expected), "{script}: {told}");
    }
}

#[tokio::test]
async fn a_call_that_ended_unheard_is_heard_in_the_next_run() {
    let kept = Kept::new();
    kept.typescript("const call = tools['test-tools'].echo({ value: 1 }); await new Promise((done) => setTimeout(done, 50)); return 1").await;
    let value = kept.typescript("return await call").await;
    assert_eq!(value, json!(1));
    let script =
        "import asyncio\ncall = tools.test_tools.echo(value=1)\nawait asyncio.sleep(0.05)\n1";
    kept.value("py", Python, script).await;
    let value = kept.value("py", Python, "await call").await;
    assert_eq!(value, json!(1));
}

#[tokio::test]
async fn a_program_that_left_a_call_and_threw_says_so_in_the_next() {
    let kept = Kept::new();
    for (language, throws, awaits) in [
        (
            TypeScript,
            "globalThis.pend = tools['test-tools'].hang(); throw new Error('no')",
            "await pend",
        ),
        (
            Python,
            "pend = tools.test_tools.hang()\nraise ValueError('no')",
            "await pend",
        ),
    ] {
        let name = language.name();
        let isolate = kept.isolate(name, language, throws).keep_always();
        isolate.run().await.unwrap();
        let outcome = kept.run(name, language, awaits).await;
        let told = outcome.ending.to_string();
        assert!(told.contains("ToolError"), "{told}");
        assert!(told.contains("ended without waiting for it"), "{told}");
    }
}
