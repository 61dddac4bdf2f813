//! Events as JSON.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::JsonFields;

use ampoule_telemetry::log::JsonLines;

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Written {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// What is written of what happens, at the usual level.
fn logged(happens: impl FnOnce()) -> String {
    let written = Written::default();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new("warn"))
        .fmt_fields(JsonFields::new())
        .event_format(JsonLines)
        .with_writer(written.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, happens);
    String::from_utf8(written.0.lock().clone()).unwrap()
}

#[test]
fn an_event_says_in_which_run_and_call_it_happened() {
    let lines = logged(|| {
        let run = tracing::error_span!("run", run = "9f2c-17", principal = "alice").entered();
        let call = tracing::error_span!("call", call = 3).entered();
        tracing::error_span!("other", more = 1).in_scope(|| {
            tracing::warn!(
                server = "files",
                tries = 2u64,
                slow = true,
                share = 0.5,
                "it {}",
                "broke"
            );
        });
        drop(call);
        tracing::info!("not at this level");
        tracing::error!(run = "forged", "the run");
        drop(run);
        tracing::warn!(why = ?Some("x"), "outside");
    });
    let mut events: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for event in &mut events {
        let event = event.as_object_mut().unwrap();
        let timestamp = event.remove("timestamp").unwrap();
        let timestamp = timestamp.as_str().unwrap();
        assert!(
            timestamp.len() == 27 && timestamp.ends_with('Z'),
            "{timestamp}"
        );
        assert_eq!(event.remove("target").unwrap(), module_path!());
    }
    let expected = [
        json!({ "level": "WARN", "message": "it broke", "server": "files", "tries": 2, "slow": true, "share": 0.5, "run": "9f2c-17", "principal": "alice", "call": 3 }),
        json!({ "level": "ERROR", "message": "the run", "run": "9f2c-17", "principal": "alice" }),
        json!({ "level": "WARN", "message": "outside", "why": "Some(\"x\")" }),
    ];
    assert_eq!(events, expected);
}

#[test]
fn no_line_can_be_forged_and_no_terminal_driven() {
    let hostile = "a\nERROR b\r\u{1b}[2J\u{9b}31m\u{202e}\u{e0041}\"}{\\";
    let lines = logged(|| {
        let _run = tracing::error_span!("run", run = 1, principal = hostile).entered();
        tracing::warn!(server = hostile, "{hostile}");
    });
    assert_eq!(lines.lines().count(), 1);
    let shown = lines.trim_end();
    assert!(
        !shown.contains(ampoule_untrusted::text::is_hidden),
        "{shown:?}"
    );
    let event: Value = serde_json::from_str(shown).unwrap();
    for name in ["message", "server", "principal"] {
        assert_eq!(event[name], hostile, "{name}");
    }
}
