//! Programs that are checked before anything of them runs. What is wrong with their calls is the
//! host's to say: here, the test says it.

use super::*;
use crate::host::{Mistake, MistakeKind, ToolName};
use crate::lasting;

fn checked(source: &str, checking: Checking, mistakes: &[Mistake]) -> Outcome {
    native::with(|host| {
        *host = host_with_tools();
        host.mistakes = mistakes.to_vec();
    });
    let program = Program {
        checking,
        ..program(source)
    };
    run(&mut Realm::new().expect("the prelude runs"), program)
}

fn asked() -> Vec<String> {
    native::with(|host| {
        let calls = host.checked.iter();
        calls
            .map(|call| {
                let server = call.server.as_deref().unwrap_or("-");
                let flag = if call.conditional { " if" } else { "" };
                format!("{server}.{}{flag}", call.tool)
            })
            .collect()
    })
}

fn wrong(call: u32, kind: MistakeKind, read: Option<u32>, message: &str) -> Mistake {
    let tool = (kind == MistakeKind::Arguments).then(|| ToolName {
        server: "google-drive".to_owned(),
        tool: "get_document".to_owned(),
    });
    Mistake {
        kind,
        call,
        read,
        message: message.to_owned(),
        near: Vec::new(),
        tool,
    }
}

const TWO: &str = "const a = await googleDrive.getDocument({ documentId: 1 });\n\
                   await googleDrive.getDocument({});\nreturn a.nme;";

#[test]
fn nothing_is_called_where_a_call_is_wrong() {
    let missing = wrong(1, MistakeKind::Arguments, None, "`documentId` is missing");
    let thrown = checked(TWO, Checking::First, &[missing]).expect_err("it is wrong");
    assert_eq!(thrown.name, "ToolError");
    assert_eq!(
        thrown.message,
        "google-drive.get_document: `documentId` is missing\n\
         Nothing was called: the script was checked before it ran."
    );
    let location = thrown.location.expect("it is known");
    assert_eq!((location.line, location.column), (2, 19));
    assert!(native::with(|host| host.started.is_empty()));
    assert_eq!(
        asked(),
        ["google-drive.getDocument", "google-drive.getDocument"]
    );
}

#[test]
fn several_mistakes_are_told_at_once() {
    let mistakes = [
        wrong(0, MistakeKind::Answer, Some(0), "has no `nme`"),
        wrong(1, MistakeKind::Arguments, None, "`documentId` is missing"),
    ];
    let thrown = checked(TWO, Checking::First, &mistakes).expect_err("it is wrong");
    assert_eq!(
        thrown.message,
        "The script has 2 mistakes:\n\
         line 2, column 19: ToolError: google-drive.get_document: `documentId` is missing\n\
         line 3, column 10: TypeError: `a` has no `nme`\n\
         Nothing was called: the script was checked before it ran."
    );
}

#[test]
fn a_check_alone_runs_nothing_and_none_checks_nothing() {
    assert_eq!(
        checked(TWO, Checking::Alone, &[]).expect("it is right"),
        None
    );
    assert!(native::with(|host| host.started.is_empty()));
    assert_eq!(asked().len(), 2);
    let missing = wrong(1, MistakeKind::Arguments, None, "`documentId` is missing");
    assert!(checked(TWO, Checking::Off, &[missing]).is_ok());
    assert_eq!(asked().len(), 0);
    assert!(
        checked("return 1", Checking::Alone, &[])
            .expect("it is right")
            .is_none()
    );
}

#[test]
fn names_mean_what_they_mean_at_run_time() {
    for (source, expected) in [
        (
            "await tools['google-drive'].getDocument()",
            "google-drive.getDocument",
        ),
        (
            "import { getDocument } from './servers/google-drive'; await getDocument({})",
            "google-drive.getDocument",
        ),
        (
            "import drive from './servers/google-drive'; await drive.nothing({})",
            "google-drive.nothing",
        ),
        (
            "import get from './servers/google-drive/getDocument'; await get({})",
            "google-drive.getDocument",
        ),
        (
            "await callTool('google-drive', 'get_document', {})",
            "google-drive.get_document if",
        ),
        ("await callTool('google-drive__x', {})", "-.google-drive__x"),
        ("await tools.getDocument({})", "-.getDocument if"),
    ] {
        let _ = checked(source, Checking::Alone, &[]);
        assert_eq!(asked(), [expected], "{source}");
    }
    for source in [
        "await odd.then({})",
        "await Math.max(1)",
        "await console.table({})",
        "const x = []; x.map((y) => y)",
        "await tools.search({})",
        "await fetch('http://x')",
        "await env.x({})",
    ] {
        let outcome = checked(source, Checking::Alone, &[]);
        assert!(outcome.is_ok(), "{source}: {outcome:?}");
        assert_eq!(asked(), [""; 0], "{source}");
    }
}

#[test]
fn servers_that_are_not_there_are_told_as_at_run_time() {
    for source in [
        "await gogleDrive.getDocument({})",
        "await tools.gogleDrive.getDocument({})",
        "await nothing.atAll({})",
    ] {
        let at_run_time = checked(source, Checking::Off, &[]).expect_err("it is wrong");
        let before = checked(source, Checking::First, &[]).expect_err("it is wrong");
        assert_eq!(before.name, at_run_time.name, "{source}");
        let message = before.message.split('\n').next().unwrap_or_default();
        assert_eq!(message, at_run_time.message, "{source}");
    }
    for source in [
        "if (1 > 2) await gogleDrive.getDocument({})",
        "try { await gogleDrive.getDocument({}) } catch { return 1 }",
        "return typeof gogleDrive",
    ] {
        assert!(checked(source, Checking::First, &[]).is_ok(), "{source}");
    }
}

#[test]
fn promises_that_are_taken_for_answers_are_told_as_at_run_time() {
    for source in [
        "return googleDrive.getDocument({}).items",
        "const r = googleDrive.getDocument({});\nreturn r.items.length",
        "return await googleDrive.getDocument({}).items",
    ] {
        let at_run_time = checked(source, Checking::Off, &[]).expect_err("it is wrong");
        let before = checked(source, Checking::First, &[]).expect_err("it is wrong");
        assert_eq!(before.name, at_run_time.name, "{source}");
        let message = before.message.split('\n').next().unwrap_or_default();
        assert_eq!(message, at_run_time.message, "{source}");
        assert!(native::with(|host| host.started.is_empty()));
    }
}

#[test]
fn what_something_may_catch_is_left_alone() {
    for source in [
        "const get = async () => { await googleDrive.getDocument({}) };\ntry { await get() } catch {}",
        "await googleDrive.getDocument({}).catch(() => 1)",
        "await Promise.allSettled([googleDrive.getDocument({})])",
        "const p = googleDrive.getDocument({}); await p.then(1, () => 2)",
    ] {
        let missing = wrong(0, MistakeKind::Arguments, None, "`documentId` is missing");
        assert!(
            checked(source, Checking::First, &[missing]).is_ok(),
            "{source}"
        );
        assert_eq!(asked(), [""; 0], "{source}");
    }
}

/// What the host is asked of the last program of a session: the calls, with their arguments and
/// reads.
fn asked_of_last(sources: &[&str]) -> Vec<String> {
    native::with(|host| *host = host_with_tools());
    let mut realm = Realm::new().expect("the prelude runs");
    for (number, source) in sources.iter().enumerate() {
        native::with(|host| host.checked.clear());
        lasting::begin(&mut realm, "it".to_owned(), number as u32);
        let _ = run(&mut realm, program(source));
        lasting::leave(&mut realm);
    }
    let calls = native::with(|host| std::mem::take(&mut host.checked));
    calls
        .iter()
        .map(|call| {
            let arguments = call.arguments.as_deref().unwrap_or("…");
            let flag = if call.conditional { " if" } else { "" };
            format!("{arguments}{flag} {}", call.reads.join(" "))
        })
        .collect()
}

#[test]
fn what_earlier_programs_left_may_do_anything() {
    let get = "const r = await googleDrive.getDocument({ documentId: id });";
    let direct = format!("const id = 'a'; {get} return r.nme");
    assert_eq!(asked_of_last(&[&direct]), ["{\"documentId\":\"a\"} /nme"]);
    for (before, program) in [
        (
            "function stop() { exit() }",
            format!("const id = 'a'; stop(); {get} return r.nme"),
        ),
        (
            "const o = { id: 1 }; function change() { o.id = 'a' }",
            format!("const id = 1; change(); {get} return r.nme"),
        ),
        (
            "const helper = { run() {} }",
            format!("let id = 1; helper.run(); {get} return r.nme"),
        ),
        (
            "const r = { nme: 1 }",
            format!("const id = 1; {{ {get} }} return r.nme"),
        ),
    ] {
        let asked = asked_of_last(&[before, &program]);
        assert_eq!(asked, ["… if "], "{program}");
    }
    // What is written in the call is known all the same.
    assert_eq!(
        asked_of_last(&[
            "const o = 1",
            "await googleDrive.getDocument({ documentId: 2, o })"
        ]),
        ["{\"documentId\":2,\"o\":null} if "]
    );
}
