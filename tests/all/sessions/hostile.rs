//! Sessions that were edited, that are somebody else's, or that want too much.

use std::fs;
use std::path::PathBuf;

use ampoule::{Ending, Language, Limits, Principal, Script, SessionHead, SessionLimits};
use serde_json::json;

use super::{Kept, session};

use Language::{Python, TypeScript};

impl Kept {
    fn head(&self, number: u64) -> PathBuf {
        let folder = self.folder.path().join("sessions/local/it");
        folder.join(format!("{number:08}.head"))
    }
}

#[tokio::test]
async fn an_edited_session_is_refused() {
    let kept = Kept::new();
    kept.typescript("let n = 1").await;
    let file = kept.head(1);
    let whole = fs::read(&file).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut edited = whole.clone();
        edited[at] ^= 0x40;
        fs::write(&file, edited).unwrap();
        let error = kept.isolate("it", TypeScript, "return n").run().await;
        let error = error.unwrap_err();
        assert!(error.is_request(), "{error}");
        let said = error.to_string();
        assert!(
            said.contains("damaged") || said.contains("not signed"),
            "{said}"
        );
    }
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let error = kept.isolate("it", TypeScript, "return n").run().await;
    assert!(error.unwrap_err().is_request());
    fs::write(&file, whole).unwrap();
    assert_eq!(kept.typescript("return n").await, json!(1));
}

/// The holder of the key can sign any memory: it harms only its own run.
#[tokio::test]
async fn ten_thousand_memories_of_anything_harm_their_own_runs_alone() {
    const TIMES: usize = 5_000;

    let kept = Kept::new();
    let limits = Limits {
        fuel: 50_000_000,
        ..*kept.runtime.limits()
    };
    let mut random = 7;
    for (language, begins) in [(TypeScript, "var n = 1"), (Python, "n = 1")] {
        let name = language.name();
        kept.value(name, language, begins).await;
        let sessions = kept.runtime.sessions(None).unwrap();
        let head = sessions.take(name).unwrap().newest().unwrap().unwrap();
        let mut ran = 0;
        for _ in 0..TIMES {
            let edited = edited(&head, &mut random);
            sessions.take(name).unwrap().keep(edited).unwrap();
            let isolate = kept.isolate(name, language, "n += 1");
            // It runs, traps, hits a limit, or is refused as damaged.
            match isolate.limits(limits).unwrap().run().await {
                Ok(_) => ran += 1,
                Err(error) => assert!(error.is_request(), "{error}"),
            }
            let mut session = sessions.take(name).unwrap();
            session.rewind(session.back().unwrap().min(2)).unwrap();
            session.keep(head.clone()).unwrap();
        }
        assert!(
            ran > TIMES / 10,
            "most were refused before they ran: {ran} ran"
        );
    }
    // And other runs are as before.
    let isolate = kept.runtime.isolate(Script::typescript("return 1 + 1"));
    assert_eq!(isolate.run().await.unwrap().value::<u32>().unwrap(), 2);
}

/// A head with up to fifty bytes of its memory changed.
fn edited(head: &SessionHead, random: &mut u64) -> SessionHead {
    let mut edited = head.clone();
    for _ in 0..1 + *random % 50 {
        *random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        // Behind the size and the first page's number: memory, mostly.
        let at = 10 + (*random >> 33) as usize % (edited.memory.len() - 10);
        edited.memory[at] ^= (*random >> 25) as u8;
    }
    edited
}

#[tokio::test]
async fn a_smaller_limit_of_memory_holds_for_a_session() {
    let kept = Kept::new();
    kept.typescript("const large = new Uint8Array(32 << 20)")
        .await;
    let limits = Limits {
        memory_bytes: 16 << 20,
        ..*kept.runtime.limits()
    };
    let isolate = kept.isolate("it", TypeScript, "return large.length");
    let outcome = isolate.limits(limits).unwrap().run().await.unwrap();
    let Ending::Limit(hit) = outcome.ending else {
        panic!("{}", outcome.ending);
    };
    assert_eq!(hit.limit.name(), "memory");
    assert_eq!(
        kept.typescript("return large.length").await,
        json!(32 << 20)
    );
}

#[tokio::test]
async fn each_principal_has_its_own() {
    let kept = Kept::new();
    for (who, n) in [("ann", 1), ("bob", 2)] {
        let source = format!("let n = {n}");
        let isolate = kept.isolate("it", TypeScript, &source);
        isolate.principal(who).run().await.unwrap();
    }
    for (who, n) in [("ann", 1), ("bob", 2)] {
        let isolate = kept.isolate("it", TypeScript, "return n");
        let outcome = isolate.principal(who).run().await.unwrap();
        assert_eq!(outcome.value::<u32>().unwrap(), n);
    }
    // A file that bob has copied from ann is not his.
    let folder = |who: &str| {
        let sessions = kept.runtime.sessions(Some(&Principal::new(who)));
        drop(sessions.unwrap());
        let folders = fs::read_dir(kept.folder.path().join("sessions")).unwrap();
        let mut folders: Vec<_> = folders.map(|entry| entry.unwrap().path()).collect();
        folders.retain(|folder| folder.join("it").is_dir());
        folders.sort();
        folders
    };
    let folders = folder("ann");
    assert_eq!(folders.len(), 2);
    let copy = |to: &str| fs::copy(folders[0].join("it/00000001.head"), folders[1].join(to));
    // What is on no list of his is nothing.
    copy("it/00000009.head").unwrap();
    for (who, n) in [("ann", 1), ("bob", 2)] {
        let isolate = kept.isolate("it", TypeScript, "return n");
        let outcome = isolate.principal(who).run().await.unwrap();
        assert_eq!(outcome.value::<u32>().unwrap(), n);
    }
    copy("it/00000003.head").unwrap();
    let mut refused = 0;
    for who in ["ann", "bob"] {
        let isolate = kept.isolate("it", TypeScript, "return n");
        if let Err(error) = isolate.principal(who).run().await {
            assert_eq!(
                error.to_string(),
                "the session belongs to another principal"
            );
            refused += 1;
        }
    }
    assert_eq!(refused, 1);
}

#[tokio::test]
async fn what_is_too_large_is_not_kept_and_what_is_small_stays() {
    let kept = Kept::limited({
        let mut limits = SessionLimits::default();
        limits.bytes = 1 << 20;
        limits
    });
    kept.typescript("let n = 1").await;
    let large = "n = 2; const list = Array.from({ length: 500_000 }, (_, i) => i * 1.5)";
    let outcome = kept.run("it", TypeScript, large).await;
    assert!(matches!(outcome.ending, Ending::Returned(_)));
    assert!(!session(&outcome).kept);
    let note = &session(&outcome).notes[0];
    assert!(note.ends_with("at most 1048576 are kept"), "{note}");
    assert_eq!(kept.typescript("return n").await, json!(1));
}

#[tokio::test]
async fn a_script_that_forks_without_end_has_no_more_sessions_than_others() {
    let kept = Kept::limited({
        let mut limits = SessionLimits::default();
        limits.sessions = 5;
        limits
    });
    let forks = "let made = 0; try { for (let i = 0; i < 1e4; i++) { session.fork('f' + i); made++ } } catch {} return made";
    for _ in 0..3 {
        assert_eq!(kept.typescript(forks).await, json!(16));
        let listed = kept.runtime.sessions(None).unwrap().list().unwrap();
        assert!(listed.len() <= 5, "{listed:?}");
    }
}

#[tokio::test]
async fn another_language_and_a_component_are_refused() {
    let kept = Kept::new();
    kept.typescript("let n = 1").await;
    let error = kept.isolate("it", Python, "n").run().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the session `it` has scripts in JavaScript: if this is one, say so; scripts in another language need another session"
    );
    let error = kept.isolate("../it", Python, "n").run().await.unwrap_err();
    assert!(error.is_request() && error.to_string().contains("the name of a session"));
}

#[tokio::test]
async fn a_session_of_another_guest_is_refused_with_what_to_do() {
    let kept = Kept::new();
    kept.typescript("let n = 1").await;
    let mut session = kept.runtime.sessions(None).unwrap().take("it").unwrap();
    let mut head = session.newest().unwrap().unwrap();
    head.about.guest = "0".repeat(64);
    session.keep(head).unwrap();
    drop(session);
    let error = kept.isolate("it", TypeScript, "return n").run().await;
    let said = error.unwrap_err().to_string();
    assert!(
        said.contains("another version of the interpreter of JavaScript"),
        "{said}"
    );
    assert!(said.contains("begin a new session"), "{said}");
}
