//! The orders in which stages open and close, as runs go through them.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ampoule_isolate::{Ending, Outcome, Script};
use ampoule_persistence::parked::ParkedLimits;
use ampoule_persistence::sessions::SessionLimits;
use ampoule_records::Keep;
use ampoule_workspace::{Quota, Sharing, Workspaces};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::steps::STEPS;
use crate::{RecordOptions, Runtime, RuntimeBuilder, SkillOptions, executor};

const OPENING: [&str; 13] = [
    "opens preview",
    "opens skills",
    "opens undo",
    "opens parked",
    "opens record",
    "opens session",
    "opens files",
    "opens replay",
    "starts record",
    "starts governed",
    "starts nesting",
    "starts files",
    "starts parked",
];

const CLOSING: [&str; 7] = [
    "keeps files",
    "keeps session",
    "keeps record",
    "keeps parked",
    "closes governed",
    "closes parked",
    "closes files",
];

/// What the log says of stages.
#[derive(Clone, Default)]
struct Steps(Arc<Mutex<Vec<String>>>);

impl Steps {
    /// Those of this process.
    fn heard() -> Self {
        static STEPS: OnceLock<Steps> = OnceLock::new();
        let heard = || {
            let steps = Steps::default();
            tracing::subscriber::set_global_default(steps.clone()).expect("the only subscriber");
            steps
        };
        STEPS.get_or_init(heard).clone()
    }

    fn take(&self) -> Vec<String> {
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut steps)
    }
}

/// The two texts of an event.
#[derive(Default)]
struct Texts([String; 2]);

impl Visit for Texts {
    fn record_str(&mut self, field: &Field, value: &str) {
        let place = usize::from(field.name() == "stage");
        value.clone_into(&mut self.0[place]);
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

impl Subscriber for Steps {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == STEPS
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut texts = Texts::default();
        event.record(&mut texts);
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        steps.push(texts.0.join(" "));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// One after the other: the steps of all runs of the process are in one list.
fn steps_of(builder: RuntimeBuilder, session: Option<&str>, code: &str) -> (Outcome, Vec<String>) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let steps = Steps::heard();
    steps.take();
    let runtime: Runtime = builder.build().expect("a runtime");
    let mut isolate = runtime.isolate(Script::javascript(code));
    if let Some(session) = session {
        isolate = isolate.session(session);
    }
    let tokio = executor().expect("threads");
    let outcome = tokio.block_on(isolate.run()).expect("an outcome");
    assert!(
        matches!(outcome.ending, Ending::Returned(_)),
        "{}",
        outcome.ending
    );
    (outcome, steps.take())
}

fn all() -> Vec<&'static str> {
    OPENING.into_iter().chain(CLOSING).collect()
}

#[test]
fn a_run_goes_through_all_stages_in_these_orders() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    let records = RecordOptions {
        keep: Keep::All,
        ..RecordOptions::default()
    };
    let builder = Runtime::builder()
        .sessions(place("sessions"), SessionLimits::default())
        .records(place("records"), records)
        .parked(place("parked"), ParkedLimits::default())
        .park_after(Duration::from_millis(10))
        .workspaces(Workspaces::new(
            place("workspaces"),
            Sharing::ByPrincipal,
            Quota::default(),
        ))
        .skills(place("skills"), SkillOptions::default());
    let code = "
        // It might import skills.
        const fs = require('node:fs');
        fs.writeFileSync('left.txt', 'left');
        await new Promise(done => setTimeout(done, 200));
        return 1;
    ";
    let (outcome, steps) = steps_of(builder, Some("of-this-test"), code);
    assert_eq!(steps, all());
    assert!(outcome.usage.parked > 0, "it was parked");
    assert!(outcome.record.is_some(), "it left a record");
    assert!(
        outcome.session.is_some_and(|session| session.kept),
        "it left its session"
    );
}

#[test]
fn a_run_that_has_no_stages_goes_through_the_same_orders() {
    let (_, steps) = steps_of(Runtime::builder(), None, "return 1");
    assert_eq!(steps, all());
}
