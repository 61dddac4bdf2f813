//! What an `ampoule.toml` says of who may do what holds for runs of other languages, too.
//!
//! Requests of scripts are the tool that is governed here: none of them leaves, as only a host is
//! allowed that nobody asks for.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use ampoule_approvals::{Answer, AnswerSource, Answerer, PersonAnswer, State};
use ampoule_audit::{Against, Entry, Events, Filter, verify};
use ampoule_configured::governed::store;

use super::*;

/// Requests are there, and no host that is asked.
const OUTBOUND: &str = "[outbound]\n[[outbound.allow]]\nhosts = [\"https://nobody.example.com\"]\n";
/// The script's error from the rules of requests: governance has let the call pass.
const PASSED: &str = "GET https://api.example.com/ is not allowed. Allowed are:";
const FETCH: &str = "try { await fetch('https://api.example.com/') } catch (error) { return `${error.name}: ${error.message}` }";
const DOUBLE: &str =
    "try { return await host.double({ n: 21 }) } catch (error) { return error.message }";

/// A place for a configuration, in a process whose folder of data is in it, too.
struct Home(PathBuf);

impl Home {
    /// Does this in a process of its own: what is counted and asked is in the user's folder otherwise.
    fn of(test: &str, work: impl FnOnce(&Self)) {
        if let Some(home) = std::env::var_os("AMPOULE_TEST_HOME") {
            return work(&Self(home.into()));
        }
        let home = tempfile::tempdir().expect("a folder");
        let output = Command::new(std::env::current_exe().expect("this test's path"))
            .args(["--exact", &format!("tests::governed::{test}")])
            .env("AMPOULE_TEST_HOME", home.path())
            .env("XDG_DATA_HOME", home.path().join("data"))
            .output()
            .expect("a process");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    fn data(&self, name: &str) -> PathBuf {
        self.0.join("data/ampoule").join(name)
    }

    fn options(&self, config: &str) -> RuntimeOptions {
        let file = self.0.join("ampoule.toml");
        std::fs::write(&file, config).expect("a file");
        RuntimeOptions {
            config: Some(file),
            ..RuntimeOptions::default()
        }
    }

    fn runtime(&self, config: &str) -> Runtime {
        Runtime::new(&self.options(config)).expect("a runtime")
    }

    /// Why there is no runtime of this.
    fn refused(&self, config: &str) -> Fault {
        Runtime::new(&self.options(config)).err().expect("a fault")
    }

    fn policies(&self, cedar: &str) {
        let folder = self.0.join("policies");
        std::fs::create_dir_all(&folder).expect("a folder");
        // What is half written is not read.
        let draft = folder.join("draft");
        std::fs::write(&draft, cedar).expect("a file");
        std::fs::rename(draft, folder.join("requests.cedar")).expect("a file");
    }
}

/// Options of a run by somebody, who may make requests.
fn by(principal: &str, groups: &[&str], source: &str) -> RunOptions {
    RunOptions {
        principal: Some(principal.to_owned()),
        groups: groups.iter().map(|&group| group.to_owned()).collect(),
        grant: Some(Grants::Text("*".to_owned())),
        language: Some("js".to_owned()),
        ..code(source)
    }
}

fn value(runtime: &Runtime, options: RunOptions) -> String {
    let outcome = runtime.run_here(options, &[tools().0], &[], || true);
    let outcome = read(&outcome.expect("an outcome"));
    let value = outcome["value"].as_str().map(str::to_owned);
    value.unwrap_or_else(|| outcome["value"].to_string())
}

fn events(folder: &Path, kind: &str) -> usize {
    let events = Events::read(folder, Filter::default()).expect("a log");
    events.filter(|entry: &Entry| entry.kind == kind).count()
}

#[test]
fn a_policy_denies_a_call_with_its_reason_and_groups_count() {
    Home::of(
        "a_policy_denies_a_call_with_its_reason_and_groups_count",
        |home| {
            home.policies(
                r#"@id("operators")
@reason("only operators ask the API")
forbid(principal, action == Action::"outbound.$fetch", resource)
when { context.arguments.url like "https://api.*" }
unless { principal in Group::"ops" };"#,
            );
            let runtime = home.runtime(OUTBOUND);
            let denied = value(&runtime, by("ada", &[], FETCH));
            assert!(denied.contains("only operators ask the API"), "{denied}");
            assert!(denied.contains("policy `operators`"), "{denied}");
            let passed = value(&runtime, by("ada", &["dev", "ops"], FETCH));
            assert!(passed.contains(PASSED), "{passed}");
            let nobody = RunOptions {
                groups: vec!["ops".to_owned()],
                ..code("")
            };
            let fault = runtime.run_here(nobody, &[], &[], || true).unwrap_err();
            assert_eq!(
                (fault.kind, &*fault.message),
                (FaultKind::Usage, "`groups` need a `principal`: name one")
            );
        },
    );
}

#[test]
fn a_tool_that_somebody_may_never_call_is_not_declared_to_them() {
    Home::of(
        "a_tool_that_somebody_may_never_call_is_not_declared_to_them",
        |home| {
            let roles = format!(
                "{OUTBOUND}[roles.ops]\ngroups = [\"ops\"]\ntools = [\"outbound\", \"skills\"]\n[skills]\n"
            );
            let runtime = home.runtime(&roles);
            let declared = |groups: &[&str]| {
                let granted = json!({ "grant": "*", "principal": "ada", "groups": groups });
                let granted = GrantOptions::from_json(&granted.to_string()).expect("options");
                let declared = runtime.declarations("typescript", Some(granted), &[]);
                declared.expect("declarations")
            };
            assert!(
                declared(&["ops"]).contains("save("),
                "{}",
                declared(&["ops"])
            );
            assert!(!declared(&["dev"]).contains("save("));
            let (absent, passed) = (by("ada", &["dev"], FETCH), by("ada", &["ops"], FETCH));
            assert!(!value(&runtime, absent).contains(PASSED));
            assert!(value(&runtime, passed).contains(PASSED));
        },
    );
}

#[test]
fn policies_that_change_count_from_then_on() {
    Home::of("policies_that_change_count_from_then_on", |home| {
        let runtime = home.runtime(OUTBOUND);
        assert!(value(&runtime, by("ada", &[], FETCH)).contains(PASSED));
        home.policies(
            r#"@reason("not any more")
forbid(principal, action == Action::"outbound.$fetch", resource)
when { context.arguments.url like "https://api.*" };"#,
        );
        let began = Instant::now();
        while !value(&runtime, by("ada", &[], FETCH)).contains("not any more") {
            assert!(began.elapsed() < Duration::from_secs(60), "it still passes");
        }
    });
}

#[test]
fn a_quota_counts_also_after_a_restart() {
    Home::of("a_quota_counts_also_after_a_restart", |home| {
        let quotas = "[quotas.few]\ncalls-per-day = 2\n";
        let runtime = home.runtime(quotas);
        let run = |runtime: &Runtime| value(runtime, by("ada", &[], DOUBLE));
        assert_eq!(run(&runtime), "42");
        assert_eq!(run(&runtime), "42");
        let used_up = run(&runtime);
        let told = "the quota `few` is exhausted: 2 calls a day";
        assert!(used_up.contains(told), "{used_up}");
        runtime.close();
        let again = run(&home.runtime(quotas));
        assert!(again.contains(told), "{again}");
    });
}

#[test]
fn what_was_done_is_on_record_and_signed_once_the_runtime_is_closed() {
    Home::of(
        "what_was_done_is_on_record_and_signed_once_the_runtime_is_closed",
        |home| {
            let runtime = home.runtime("[audit]\n");
            assert_eq!(value(&runtime, by("ada", &[], DOUBLE)), "42");
            let began = Instant::now();
            runtime.close();
            assert!(began.elapsed() < Duration::from_secs(10), "bounded in time");
            let log = home.data("audit");
            let report = verify(&log, &Against::default()).expect("a log");
            assert_eq!(
                (report.broken, report.unsigned),
                (0, 0),
                "{:?}",
                report.findings
            );
            for kind in ["configuration", "run-started", "call-ended", "run-ended"] {
                assert_eq!(events(&log, kind), 1, "{kind}");
            }
            // One that nobody closes ends so, too.
            let runtime = home.runtime("[audit]\n");
            assert_eq!(value(&runtime, by("ada", &[], DOUBLE)), "42");
            drop(runtime);
            let report = verify(&log, &Against::default()).expect("a log");
            assert_eq!((report.broken, report.unsigned), (0, 0));
        },
    );
}

#[test]
fn a_system_that_does_not_answer_keeps_nobody_from_the_signature() {
    Home::of(
        "a_system_that_does_not_answer_keeps_nobody_from_the_signature",
        |home| {
            let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = silent.local_addr().expect("an address");
            let runtime = home.runtime(&format!(
                "[audit]\n[[audit.export]]\nto = \"otlp\"\nendpoint = \"http://{address}/v1/logs\"\n"
            ));
            assert_eq!(value(&runtime, by("ada", &[], DOUBLE)), "42");
            let began = Instant::now();
            runtime.close();
            assert!(began.elapsed() < Duration::from_secs(10), "bounded in time");
            let report = verify(&home.data("audit"), &Against::default()).expect("a log");
            assert_eq!((report.broken, report.unsigned), (0, 0));
        },
    );
}

#[test]
fn a_call_that_must_be_asked_fails_at_once_where_nobody_can_be() {
    Home::of(
        "a_call_that_must_be_asked_fails_at_once_where_nobody_can_be",
        |home| {
            for places in ["", "places = [\"dialogue\", \"page\", \"terminal\"]\n"] {
                let asks = format!(
                    "{OUTBOUND}[approvals]\nask = \"outbound.$fetch\"\npage = true\n{places}"
                );
                let runtime = home.runtime(&asks);
                let failed = value(&runtime, by("ada", &[], FETCH));
                assert!(failed.contains("nobody can be asked"), "{failed}");
                assert!(failed.contains("[approvals] in ampoule.toml"), "{failed}");
            }
        },
    );
}

#[test]
fn a_run_is_tried_first_where_that_is_configured() {
    Home::of("a_run_is_tried_first_where_that_is_configured", |home| {
        let preview = format!("{OUTBOUND}[approvals]\npreview = true\n");
        let runtime = home.runtime(&preview);
        let tried = runtime.run_here(by("ada", &[], FETCH), &[], &[], || true);
        let fault = tried.unwrap_err();
        assert_eq!(fault.kind, FaultKind::Usage);
        assert!(fault.message.contains("nobody can be asked"), "{fault}");
        // A function would be called twice.
        let fault = runtime.run_here(by("ada", &[], DOUBLE), &[tools().0], &[], || true);
        let fault = fault.unwrap_err();
        assert_eq!(fault.kind, FaultKind::Usage);
        assert!(fault.message.starts_with("approvals.preview: "), "{fault}");
        let reads =
            r#"[{"name": "read", "inputSchema": {}, "annotations": {"readOnlyHint": true}}]"#;
        let reads = Tools::by_callback("host", reads, |_, reply| reply.answer(Ok("1".to_owned())));
        let options = by("ada", &[], "return await host.read()");
        let outcome = runtime.run_here(options, &[reads.expect("tools")], &[], || true);
        assert_eq!(read(&outcome.expect("an outcome"))["value"], 1);
    });
}

#[test]
fn a_call_waits_where_the_command_line_is_named() {
    Home::of("a_call_waits_where_the_command_line_is_named", |home| {
        let asks = format!(
            "{OUTBOUND}[approvals]\nask = \"outbound.$fetch\"\nplaces = [\"command-line\"]\n"
        );
        let runtime = home.runtime(&asks);
        let (end, ended) = mpsc::channel();
        let ended_with = move |outcome| drop(end.send(outcome));
        let options = by("ada", &[], FETCH);
        let _run = runtime.start(options, &[], &[], ended_with).expect("a run");
        // As `ampoule approvals allow` does it.
        let questions = store(&Default::default()).expect("questions");
        let began = Instant::now();
        let asked = loop {
            let mut open = questions.list().expect("questions").into_iter().flatten();
            if let Some(asked) = open.find(|asked| asked.state == State::Open) {
                break asked;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "nobody asks");
        };
        assert_eq!(asked.question.caller.principal.as_deref(), Some("ada"));
        let seen = asked.seen(&questions).expect("calls");
        let answer = PersonAnswer::new(seen, Answer::AllowOnce);
        let by = Answerer::new("grace", AnswerSource::CommandLine);
        let given = questions.answer(asked.question.id, answer, by);
        given.expect("an answer");
        let outcome = read(&ended.recv().expect("an end").expect("an outcome"));
        let value = outcome["value"].as_str().expect("a text");
        assert!(value.contains(PASSED), "{value}");
    });
}

#[test]
fn what_is_wrong_with_what_governs_is_told_with_its_key() {
    Home::of(
        "what_is_wrong_with_what_governs_is_told_with_its_key",
        |home| {
            for (config, told) in [
                ("[quotas.all]\ncalls = \"10/s\"\n", "quotas.all"),
                (
                    "[privacy]\nmode = \"tokens\"\npatterns = { order = \"(\" }\n",
                    "privacy",
                ),
                (
                    "[roles.all]\ntools = [\"nothing\"]\n[policies]\nfolder = \"absent\"\n",
                    "the folder of policies",
                ),
                (
                    "[audit]\nfolder = \"/proc/nowhere\"\n",
                    "[audit]: /proc/nowhere: ",
                ),
            ] {
                let fault = home.refused(config);
                assert_eq!(fault.kind, FaultKind::Usage, "{fault}");
                assert!(fault.message.contains(told), "{fault}");
            }
            let mut options = home.options("[audit]\n");
            let data = FolderOptions {
                path: home.0.join("data"),
                writable: false,
            };
            options.folders.insert("data".to_owned(), data);
            let fault = Runtime::new(&options).err().expect("a fault");
            assert_eq!(fault.kind, FaultKind::Usage);
            let told = "folders.data: runs must not have ";
            assert!(fault.message.starts_with(told), "{fault}");
        },
    );
}
