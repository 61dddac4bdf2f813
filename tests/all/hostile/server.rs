//! Servers that do their client no good. After each, the same server answers the next script
//! correctly.

use std::time::Duration;

use ampoule::upstream::{ServerCommand, Upstream, UpstreamOptions};
use ampoule::{Grant, Limits, Outcome, Runtime, Script};
use ampoule_tests::command::Workplace;
use ampoule_tests::{is_alone, verdict};

use super::limits;

const SERVER: &str = env!("CARGO_BIN_EXE_hostile-server");

fn runtime() -> Runtime {
    let server = Upstream::stdio(
        "hostile",
        ServerCommand::new(SERVER),
        UpstreamOptions::default(),
    );
    Runtime::builder()
        .binding(server)
        .build()
        .expect("a runtime")
}

async fn run(runtime: &Runtime, source: &str, limits: Limits) -> Outcome {
    let isolate = runtime
        .isolate(Script::typescript(source))
        .grant(Grant::all())
        .limits(limits)
        .expect("limits below the ceilings");
    isolate.run().await.expect("no host fault")
}

/// Whether the server is still there, and answers are those of this run's calls.
async fn answers(runtime: &Runtime) -> bool {
    let source = "return await Promise.all(['a', 'b'].map((text) => hostile.echo({ text })))";
    let outcome = run(runtime, source, limits()).await;
    outcome.value::<[String; 2]>().expect("two answers") == ["\"a\"", "\"b\""]
}

/// The most physical memory that this process had, in bytes, since it was last asked to forget.
fn peak_resident_bytes() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kilobytes
        .and_then(|number| number.trim().parse::<i64>().ok())
        .expect("a number of kilobytes")
        * 1024
}

#[tokio::test]
async fn an_answer_of_100_mb_is_not_held() {
    if !is_alone("hostile::server::an_answer_of_100_mb_is_not_held") {
        return;
    }
    let runtime = runtime();
    assert!(answers(&runtime).await);
    // From now on, the most is counted anew.
    std::fs::write("/proc/self/clear_refs", "5").expect("/proc");
    let before = peak_resident_bytes();
    let flood = "await hostile.flood({ bytes: 100e6 })";
    for _ in 0..3 {
        let outcome = run(&runtime, flood, limits()).await;
        assert_eq!(verdict(&outcome), "limit:result-bytes");
        assert!(answers(&runtime).await);
    }
    let peak = (peak_resident_bytes() - before) >> 20;
    assert!(peak < 32, "{peak} MiB more than before");
    runtime.close().await;
}

#[tokio::test]
async fn a_server_that_never_answers_ends_with_the_wall_time() {
    let runtime = runtime();
    assert!(answers(&runtime).await);
    let short = Limits {
        wall_time: Duration::from_millis(300),
        ..limits()
    };
    let outcome = run(
        &runtime,
        "console.log('before'); await hostile.hang()",
        short,
    )
    .await;
    assert_eq!(verdict(&outcome), "limit:wall-time");
    assert_eq!(outcome.output.to_string(), "before\n");
    assert!(answers(&runtime).await);
    runtime.close().await;
}

#[tokio::test]
async fn an_answer_after_the_end_reaches_no_other_run() {
    let runtime = runtime();
    let outcome = run(&runtime, "hostile.late(); return 'done'", limits()).await;
    assert_eq!(outcome.value::<String>().expect("a value"), "done");
    // Late answers come while these calls are under way.
    for _ in 0..10 {
        assert!(answers(&runtime).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    runtime.close().await;
}

#[tokio::test]
async fn what_a_server_says_of_itself_does_nothing_to_a_terminal() {
    let workplace = Workplace::default();
    // With an argument of its own, its list of tools is not one that was kept before.
    let configuration = format!(
        "[servers.hostile]\ncommand = {SERVER:?}\nargs = [{:?}]",
        workplace.path()
    );
    workplace.file("ampoule.toml", configuration);
    let described = "return [await tools.$servers(), await tools.$search('harm')]";
    for arguments in [
        &["tools"][..],
        &["tools", "search", "harm"],
        &["tools", "show", "hostile"],
        &["tools", "show", "hostile", "--json"],
        &["run", "-e", described],
    ] {
        let ran = workplace.run(arguments).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("harm"), "{ran:?}");
        let hidden = |c: char| {
            (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}' | '\u{e0041}')
        };
        assert!(!ran.stdout.contains(hidden), "{ran:?}");
    }
}
