//! In the next process.

use std::sync::Arc;
use std::time::{Duration, Instant as SystemInstant};

use ampoule::{CallState, DivergenceError, Ending, HostTime, Language, World};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Parked, Shop, script, until_parked};

use Language::{Python, TypeScript};

/// Stops a process as a signal does, and starts the next.
macro_rules! restarted {
    ($parked:expr, $shop:expr, $runtime:expr, $($run:expr),*) => {{
        $runtime.suspend();
        $(drop($run);)*
        drop($runtime);
        tokio::task::yield_now().await;
        $parked.runtime($shop)
    }};
}

const BOTH: [(Language, &str); 2] = [
    (
        TypeScript,
        "console.log('before');
        const both = await Promise.allSettled([tools.shop.order({ n: 1 }), tools.shop.look({ n: 2 })]);
        console.log('after');
        return both.map(one => one.value?.n ?? String(one.reason))",
    ),
    (
        Python,
        "
import asyncio
print('before')
both = await asyncio.gather(tools.shop.order(n=1), tools.shop.look(n=2), return_exceptions=True)
print('after')
[one if isinstance(one, str) else one['n'] if not isinstance(one, Exception) else type(one).__name__ + ': ' + str(one) for one in both]",
    ),
];

#[tokio::test]
async fn what_is_unknown_is_told_and_what_can_be_repeated_is() {
    for (language, source) in BOTH {
        let (parked, shop) = (Parked::new(), Shop::closed());
        let runtime = parked.runtime(&shop);
        let run = script(&runtime, language, source).start().await.unwrap();
        let id = run.id();
        until_parked(&runtime, 1).await;
        assert_eq!(shop.called(), (1, 1));
        let runtime = restarted!(parked, &shop, runtime, run);
        assert_eq!(Parked::kept(&runtime)[0].state, "left");

        shop.open();
        let mut resumed = runtime.resume_parked().await.unwrap();
        let (name, run) = resumed.pop().unwrap();
        assert_eq!(name, id.to_string());
        let outcome = run.unwrap().outcome().await.unwrap();
        let value: [Value; 2] = outcome.value().unwrap();
        let told = value[0].as_str().unwrap();
        assert!(told.starts_with("ToolError"), "{told}");
        assert!(
            told.contains("shop.order was under way: whether the tool did it is unknown"),
            "{told}"
        );
        assert_eq!(value[1], 2);
        assert_eq!(shop.called(), (1, 2));
        assert_eq!(outcome.output.to_string(), "before\nafter\n");
        assert_eq!(outcome.usage.calls[0].state, CallState::Unknown);
        assert_eq!(outcome.usage.calls[1].state, CallState::Answered);

        // How it ended is there until somebody removes it.
        let ended = Parked::kept(&runtime);
        assert_eq!(ended[0].state, "ended");
        let document: Value =
            serde_json::from_str(ended[0].outcome.as_ref().unwrap().get()).unwrap();
        assert_eq!(document["value"], json!(value));
        runtime.remove_parked(&id.short(), None).unwrap();
        assert!(Parked::kept(&runtime).is_empty());
    }
}

#[tokio::test]
async fn calls_that_were_not_sent_are_and_limits_hold_on() {
    let (parked, shop) = (Parked::new(), Shop::closed());
    let runtime = parked.runtime(&shop);
    let source =
        "const all = await Promise.allSettled([1, 2, 3].map(n => tools.shop.order({ n })));
        return all.map(one => one.value?.n ?? 'unknown')";
    let mut limits = *runtime.limits();
    limits.calls_at_once = 1;
    limits.fuel = 400_000_000;
    let isolate = script(&runtime, TypeScript, source).limits(limits).unwrap();
    let run = isolate.start().await.unwrap();
    until_parked(&runtime, 1).await;
    assert_eq!(shop.called().0, 1);
    let used = run.gauge().fuel();
    let runtime = restarted!(parked, &shop, runtime, run);
    shop.open();
    let id = Parked::kept(&runtime)[0].run.to_string();
    let outcome = runtime.resume(&id, None).unwrap().run().await.unwrap();
    assert_eq!(outcome.value::<Value>().unwrap(), json!(["unknown", 2, 3]));
    assert_eq!(shop.called().0, 3);
    assert!(outcome.usage.fuel > used, "{} {used}", outcome.usage.fuel);
    assert!(Parked::kept(&runtime).is_empty());
}

#[tokio::test]
async fn a_tool_that_is_gone_fails_and_a_session_goes_on() {
    let (parked, shop) = (Parked::new(), Shop::closed());
    let runtime = parked.runtime(&shop);
    let source =
        "let seen = 0; const { order } = tools.shop; await order({}).catch(() => 0); seen = 1;
        return await order({ n: 2 }).catch(String)";
    let isolate = script(&runtime, TypeScript, source).session("s");
    let run = isolate.start().await.unwrap();
    until_parked(&runtime, 1).await;
    runtime.suspend();
    drop((run, runtime));
    tokio::task::yield_now().await;
    let other = ampoule::Functions::new("shop").raw(
        super::tool("other", json!({})),
        async |_: serde_json::Map<String, Value>, _: ampoule::CallContext| {
            Ok(ampoule_tests::binding::returned("1".to_owned()))
        },
    );
    let builder = super::builder(parked.folder.path(), parked.limits).binding(other);
    let runtime = builder.build().unwrap();
    let id = Parked::kept(&runtime)[0].run.short();
    let outcome = runtime.resume(&id, None).unwrap().run().await.unwrap();
    let told: String = outcome.value().unwrap();
    assert!(told.contains("`shop.order` no longer exists"), "{told}");
    assert!(outcome.session.unwrap().kept);
    let look = script(&runtime, TypeScript, "return seen")
        .session("s")
        .run();
    assert_eq!(look.await.unwrap().value::<u32>().unwrap(), 1);
}

#[tokio::test]
async fn a_session_that_another_run_changed_is_not_overwritten() {
    let (parked, shop) = (Parked::new(), Shop::closed());
    let runtime = parked.runtime(&shop);
    let source = "var a = 'parked'; await tools.shop.look({}); return a";
    let isolate = script(&runtime, TypeScript, source).session("s");
    let run = isolate.start().await.unwrap();
    until_parked(&runtime, 1).await;
    let runtime = restarted!(parked, &shop, runtime, run);
    let other = script(&runtime, TypeScript, "var a = 'between'")
        .session("s")
        .run();
    assert!(other.await.unwrap().session.unwrap().kept);
    shop.open();
    let id = Parked::kept(&runtime)[0].run.to_string();
    let outcome = runtime.resume(&id, None).unwrap().run().await.unwrap();
    assert_eq!(outcome.value::<String>().unwrap(), "parked");
    let session = outcome.session.unwrap();
    assert!(
        !session.kept && session.notes[0].contains("ended first"),
        "{session:?}"
    );
    let look = script(&runtime, TypeScript, "return a").session("s").run();
    assert_eq!(look.await.unwrap().value::<String>().unwrap(), "between");
}

#[tokio::test]
async fn a_run_that_went_on_in_the_middle_of_a_function_is_not_repeated() {
    let (parked, shop) = (Parked::new(), Shop::closed());
    let runtime = parked.runtime(&shop);
    let source = "
print('before')
await tools.shop.look(n=1)
def ask():
    return tools.shop.order(n=1).result()
ask()";
    let run = script(&runtime, Python, source).start().await.unwrap();
    until_parked(&runtime, 1).await;
    shop.looks
        .fetch_add(10, std::sync::atomic::Ordering::SeqCst);
    // The look is answered, the order is not.
    shop.open();
    shop.open.send_replace(false);
    while shop.called().0 != 1 {
        tokio::time::sleep(Duration::from_millis(2)).await;
        if runtime.waiting().parked == 1 {
            shop.open();
            tokio::task::yield_now().await;
            shop.open.send_replace(false);
        }
    }
    // As a kill would.
    let folder = parked.folder.path().join("parked");
    let copy = tempfile::tempdir().unwrap();
    copy_all(&folder, &copy.path().join("parked"));
    drop((run, runtime));
    let parked = Parked {
        folder: copy,
        ..Parked::new()
    };
    let runtime = parked.runtime(&shop);
    shop.open();
    let id = Parked::kept(&runtime)[0].run.to_string();
    let outcome = runtime.resume(&id, None).unwrap().run().await.unwrap();
    let Ending::Interrupted(why) = &outcome.ending else {
        panic!("{}", outcome.ending);
    };
    assert!(why.message.contains("in the middle of a function"), "{why}");
    assert_eq!(outcome.output.to_string(), "before\n");
    assert_eq!(shop.called().0, 1);
}

fn copy_all(from: &std::path::Path, to: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::create_dir(to).unwrap();
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(0o700)).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_all(&entry.path(), &name),
            false => drop(std::fs::copy(entry.path(), name).unwrap()),
        }
    }
}

/// A world whose clocks are Tokio's, which tests stop.
struct Made {
    /// When the first process began.
    first: Instant,
    began: Instant,
}

impl Made {
    fn since(first: Instant) -> Arc<Self> {
        let began = Instant::now();
        Arc::new(Self { first, began })
    }
}

/// 2030-01-01.
const THEN: u64 = 1_893_456_000_000_000_000;

impl World for Made {
    fn now(&self) -> Result<u64, DivergenceError> {
        Ok(THEN + self.first.elapsed().as_nanos() as u64)
    }

    fn elapsed(&self, _: SystemInstant) -> Result<u64, DivergenceError> {
        Ok(self.began.elapsed().as_nanos() as u64)
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        bytes.fill(7);
        Ok(())
    }

    fn host_time(&self, _: SystemInstant) -> HostTime {
        HostTime {
            now: THEN + self.first.elapsed().as_nanos() as u64,
            elapsed: self.began.elapsed().as_nanos() as u64,
        }
    }
}

const POLLS: [(Language, &str); 2] = [
    (
        TypeScript,
        "const begun = performance.now(), at = Date.now(); let polls = 0;
        while (performance.now() - begun < 3_600_000) {
            await tools.shop.look({}); polls++;
            await new Promise(resolve => setTimeout(resolve, 60_000));
        }
        return [polls, Math.round((Date.now() - at) / 60_000)]",
    ),
    (
        Python,
        "
import asyncio, time
begun, at, polls = time.monotonic(), time.time(), 0
while time.monotonic() - begun < 3600:
    await tools.shop.look()
    polls += 1
    await asyncio.sleep(60)
[polls, round((time.time() - at) / 60)]",
    ),
];

#[tokio::test(start_paused = true)]
async fn a_poll_loop_over_an_hour_survives_two_restarts() {
    for (language, source) in POLLS {
        let (parked, shop) = (Parked::new(), Shop::closed());
        shop.open();
        let first = Instant::now();
        let mut runtime = parked.runtime(&shop);
        let isolate = script(&runtime, language, source).world(Made::since(first));
        let mut run = isolate.start().await.unwrap();
        let id = run.id().to_string();
        for polls in [20, 40] {
            while shop.called().1 < polls || runtime.waiting().parked == 0 {
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
            runtime = restarted!(parked, &shop, runtime, run);
            let isolate = runtime.resume(&id, None).unwrap();
            run = isolate.world(Made::since(first)).start().await.unwrap();
        }
        let outcome = run.outcome().await.unwrap();
        assert_eq!(outcome.value::<[u32; 2]>().unwrap(), [60, 60]);
        assert!(outcome.usage.parked >= 60, "{:?}", outcome.usage);
        let hour = Duration::from_hours(1);
        assert!(outcome.usage.wall_time >= hour, "{:?}", outcome.usage);
        assert!(outcome.usage.wall_time < 2 * hour, "{:?}", outcome.usage);
        assert_eq!(outcome.usage.calls.len(), 60);
        assert!(Parked::kept(&runtime).is_empty());
    }
}

#[tokio::test]
async fn what_was_emitted_before_and_a_whole_result_outlive_the_process() {
    for (language, source) in [
        (
            TypeScript,
            "emit('before'); const all = await whole(tools.shop.look, { n: 2 }); emit('after');
            return all._meta['ampoule/call'].tool",
        ),
        (
            Python,
            "
emit('before')
all = await whole(tools.shop.look, n=2)
emit('after')
return all['_meta']['ampoule/call']['tool']",
        ),
    ] {
        let (parked, shop) = (Parked::new(), Shop::closed());
        let runtime = parked.runtime(&shop);
        let run = script(&runtime, language, source).start().await.unwrap();
        until_parked(&runtime, 1).await;
        let runtime = restarted!(parked, &shop, runtime, run);
        shop.open();
        let mut resumed = runtime.resume_parked().await.unwrap();
        let (_, run) = resumed.pop().unwrap();
        let outcome = run.unwrap().outcome().await.unwrap();
        assert_eq!(outcome.value::<String>().unwrap(), "look");
        let emitted: Vec<_> = outcome.emitted.iter().map(|value| value.get()).collect();
        assert_eq!(emitted, ["\"before\"", "\"after\""]);
    }
}
