//! Servers that mean to take the host's memory, hide other tools, or hold a client up: each through
//! `ampoule serve`, as a process of its own.

use std::time::{Duration, Instant};

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

const SERVER: &str = env!("CARGO_BIN_EXE_hostile-server");

/// How much more memory the process may have after an attack.
const MOST_LEFT: i64 = 64 << 20;

/// How much more it may have while it is under attack: lines of up to 16 MiB, and what is made of
/// them.
const MOST_AT_ONCE: i64 = 160 << 20;

/// A client of a process that has such a server.
struct Attacked {
    served: Served,
    requests: u64,
    // The process runs in it.
    _workplace: Workplace,
}

impl Attacked {
    async fn by(mode: &str) -> Self {
        let workplace = Workplace::default();
        // With an argument of its own, its list of tools is not one that was kept before.
        let arguments = json!([mode, workplace.path()]);
        let configuration = format!("[servers.e]\ncommand = {SERVER:?}\nargs = {arguments}\n");
        workplace.file("ampoule.toml", configuration);
        let mut served = Served::start(&workplace, &[]);
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let request = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
        served.ask(request).await;
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        served.send(initialized).await;
        let mut attacked = Self {
            served,
            requests: 0,
            _workplace: workplace,
        };
        // The guest is loaded by then.
        assert_eq!(attacked.run("return 1", 60).await, "1");
        attacked
    }

    async fn ask(&mut self, tool: &str, arguments: Value) -> Value {
        self.requests += 1;
        let request = json!({
            "jsonrpc": "2.0",
            "id": self.requests,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        self.served.ask(request).await["result"].take()
    }

    /// The first line of what a run of this script says.
    async fn run(&mut self, code: &str, seconds: u64) -> String {
        let arguments = json!({"code": code, "language": "javascript", "timeout_seconds": seconds});
        let result = self.ask("execute_code", arguments).await;
        let text = result["content"][0]["text"].as_str().expect("a text");
        text.to_owned()
    }

    async fn search(&mut self) -> String {
        let result = self.ask("search_tools", json!({})).await;
        result["content"][0]["text"]
            .as_str()
            .expect("a text")
            .to_owned()
    }

    /// Waits for Python's guest, which is loaded in the background, and takes memory then.
    async fn has_both_guests(&mut self) {
        let python = json!({"code": "pass", "language": "python", "timeout_seconds": 60});
        let ran = self.ask("execute_code", python).await;
        assert_ne!(ran["isError"], true, "{ran}");
    }

    /// Its physical memory, in bytes: what it has now that no file has, and all of it at its
    /// largest. Pages of files, such as the code that another thread loads for itself, are the
    /// system's to take back.
    fn memory(&self) -> (i64, i64) {
        (self.served.memory("RssAnon:"), self.served.memory("VmHWM:"))
    }

    /// Waits until its memory is about what it was.
    async fn is_back_at(&self, before: i64, attack: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let left = self.memory().0 - before;
            if left <= MOST_LEFT {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{attack}: {} MiB are left",
                left >> 20
            );
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

/// Runs a script against such a server twice, and looks at what it says, and at the memory that it
/// took and left.
async fn attack(mode: &str, script: &str, seconds: u64, says: &str) {
    attack_often(2, mode, script, seconds, says).await;
}

/// The same, so many times.
async fn attack_often(times: usize, mode: &str, script: &str, seconds: u64, says: &str) {
    let mut attacked = Attacked::by(mode).await;
    attacked.has_both_guests().await;
    let (before, peak_before) = attacked.memory();
    for _ in 0..times {
        let said = attacked.run(script, seconds).await;
        assert!(said.contains(says), "{mode}: {said}");
    }
    let peak = attacked.memory().1 - peak_before;
    assert!(peak < MOST_AT_ONCE, "{mode}: {} MiB at once", peak >> 20);
    attacked.is_back_at(before, mode).await;
    assert_eq!(attacked.run("return 1", 60).await, "1", "after {mode}");
}

#[tokio::test]
async fn an_error_that_is_made_to_be_parsed() {
    let script = "try { await tools.e.t({}) } catch (error) { return error.message }";
    attack(
        "error",
        script,
        60,
        "its data of 16000003 bytes is left out",
    )
    .await;
}

#[tokio::test]
async fn eight_errors_at_once_that_are_made_to_be_parsed() {
    let script = "return (await Promise.allSettled(Array.from({length: 8}, () => tools.e.t({})))).map((it) => it.reason.message.length)";
    // All at once take as much as many one after the other.
    attack_often(1, "error", script, 60, "[").await;
}

#[tokio::test]
async fn a_batch_of_a_million_messages() {
    let script = "try { await tools.e.t({}) } catch (error) { return error.message }";
    attack("batch", script, 60, "a batch of too many messages").await;
}

#[tokio::test]
async fn a_list_that_is_made_to_be_parsed() {
    attack("page", "return await tools.e.large({ text: 'x' })", 60, "x").await;
}

#[tokio::test]
async fn notifications_without_end_while_a_script_computes() {
    attack(
        "notify",
        "await tools.e.t({}); for (;;);",
        2,
        "The script was stopped",
    )
    .await;
}

#[tokio::test]
async fn requests_without_end_while_a_script_computes() {
    attack(
        "sampling",
        "await tools.e.t({}); for (;;);",
        2,
        "The script was stopped",
    )
    .await;
}

#[tokio::test]
async fn refusals_of_nothing_without_end_while_a_script_computes() {
    attack(
        "refusals",
        "await tools.e.t({}); for (;;);",
        2,
        "The script was stopped",
    )
    .await;
}

#[tokio::test]
async fn pings_without_end_of_a_server_that_does_not_read() {
    let script = "try { await tools.e.t({}) } catch (error) { return error.message }";
    attack(
        "pings",
        script,
        60,
        "asking the client without reading the 256 answers",
    )
    .await;
}

#[tokio::test]
async fn calls_given_up_towards_a_server_that_does_not_read() {
    // The process looks every five seconds for memory to return, and does so here while the calls
    // have it, too: what they had is free only later.
    let script = "for (let i = 0; i < 5000; i++) tools.e.t({ text: 'x'.repeat(5000) }).catch(() => {}); await new Promise((resolve) => setTimeout(resolve, 5500)); return 'left'";
    attack("unread", script, 60, "left").await;
}

#[tokio::test]
async fn arguments_with_five_million_faults() {
    let script = "try { await tools.e.t({ a: Array.from({ length: 9900 }, () => ({})) }) } catch (error) { return error.message }";
    attack("required", script, 60, "`a[0].n0` is missing").await;
}

#[tokio::test]
async fn a_schema_of_a_hundred_thousand_properties() {
    // It is too large to be checked against: the server would have to.
    let script = "await tools.e.t({}); return tools.$describe(tools.e.t).length > 1000";
    let mut attacked = Attacked::by("wide").await;
    attacked.has_both_guests().await;
    // The server's list is kept, and so is what the first call makes of the tool; both are bounded by
    // themselves.
    attacked.search().await;
    let (listed, _) = attacked.memory();
    assert_eq!(attacked.run(script, 60).await, "true");
    let (before, _) = attacked.memory();
    let made = before - listed;
    assert!(made < 2 * MOST_LEFT, "{} MiB are made", made >> 20);
    for _ in 0..4 {
        assert_eq!(attacked.run(script, 60).await, "true");
    }
    attacked.is_back_at(before, "wide").await;
}

#[tokio::test]
async fn answers_that_are_larger_than_any_may_be() {
    let script =
        "await Promise.all([tools.e.flood({ bytes: 300e6 }), tools.e.flood({ bytes: 300e6 })])";
    attack("plain", script, 60, "result-bytes").await;
}

#[tokio::test]
async fn answers_as_large_as_they_may_be() {
    let script = "let bytes = 0; for (let i = 0; i < 4; i++) bytes += (await tools.e.flood({ bytes: 15e6 })).length; return bytes";
    attack("plain", script, 60, "60000000").await;
}

#[tokio::test]
async fn one_odd_tool_hides_no_other_and_can_be_called() {
    for (mode, odd) in [("surrogate", "cut"), ("deep", "deep")] {
        let mut attacked = Attacked::by(mode).await;
        let script = format!(
            "return [await tools.e.echo({{ text: 'a' }}), await tools.e.{odd}({{ text: 'b' }})]"
        );
        let said = attacked.run(&script, 60).await;
        assert!(
            said.contains(r#""\"a\"""#) && said.contains(r#""\"b\"""#),
            "{mode}: {said}"
        );
        let found = attacked.search().await;
        assert!(found.contains(&format!("e.{odd}")), "{mode}: {found}");
        if mode == "deep" {
            let note =
                "Note: server `e`: tool `deep`: its input schema is nested deeper than 119 levels";
            assert!(found.contains(note), "{found}");
        }
    }
}

#[tokio::test]
async fn text_that_was_cut_within_a_character_arrives() {
    let mut attacked = Attacked::by("text").await;
    let said = attacked.run("return await tools.e.t({})", 60).await;
    assert!(said.contains("cut emoji \u{fffd}"), "{said}");
}

#[tokio::test]
async fn what_a_server_refuses_with_does_nothing_to_a_terminal() {
    let mut attacked = Attacked::by("ansi").await;
    let script = "try { await tools.e.t({}) } catch (error) { return [error.name, error.message] }";
    let said = attacked.run(script, 60).await;
    assert!(
        said.contains("ToolError") && said.contains("did not open a session"),
        "{said}"
    );
    let found = attacked.search().await;
    let hidden = |c: char| c.is_control() && c != '\n';
    assert!(
        found.contains("pwned") && !found.contains(hidden),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_search_waits_for_no_slow_start_and_a_call_does() {
    let mut attacked = Attacked::by("slow").await;
    let asked = Instant::now();
    let found = attacked.search().await;
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(6), "a search took {took:?}");
    let expected = "Not searched: MCP server `e` is still starting after ";
    assert!(
        found.contains(expected) && found.contains("last said: downloading"),
        "{found}"
    );
    let said = attacked
        .run("return await tools.e.echo({ text: 'a' })", 60)
        .await;
    assert!(said.contains(r#""a""#), "{said}");
    let found = attacked.search().await;
    assert!(
        found.contains("e.echo") && !found.contains("Not searched"),
        "{found}"
    );
}
