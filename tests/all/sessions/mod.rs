//! Sessions: what runs leave for the next one.

mod cli;
mod hostile;
mod outcomes;
mod serve;
pub(crate) mod survives;
mod unfinished;

use ampoule::{Grant, Isolate, Language, Outcome, Runtime, Script, SessionEnd, SessionLimits};
use ampoule_tests::{runtime_builder, test_tools};
use serde_json::Value;
use tempfile::TempDir;

/// A runtime whose sessions are in a folder of their own.
struct Kept {
    runtime: Runtime,
    folder: TempDir,
}

impl Kept {
    fn new() -> Self {
        Self::limited(SessionLimits::default())
    }

    fn limited(limits: SessionLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let builder = runtime_builder().binding(test_tools());
        let builder = builder.sessions(folder.path().join("sessions"), limits);
        let runtime = builder.build().unwrap();
        Self { runtime, folder }
    }

    /// A run of a session, in this language.
    fn isolate(&self, name: &str, language: Language, source: &str) -> Isolate {
        let isolate = self.runtime.isolate(Script::new(language, source));
        isolate.grant(Grant::all()).session(name)
    }

    async fn run(&self, name: &str, language: Language, source: &str) -> Outcome {
        let run = self.isolate(name, language, source).run();
        run.await.expect("no host fault")
    }

    /// What a run gives that is kept.
    async fn value(&self, name: &str, language: Language, source: &str) -> Value {
        let outcome = self.run(name, language, source).await;
        let session = session(&outcome);
        assert!(session.kept, "{session:?}: {}\n{source}", outcome.ending);
        match outcome.value() {
            Ok(value) => value,
            Err(error) => panic!("{error}\nscript: {source}\noutput: {}", outcome.output),
        }
    }

    async fn typescript(&self, source: &str) -> Value {
        self.value("it", Language::TypeScript, source).await
    }
}

/// What became of the session.
fn session(outcome: &Outcome) -> &SessionEnd {
    outcome.session.as_ref().expect("it was a run of a session")
}
