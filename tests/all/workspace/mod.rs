//! Workspaces: files that outlive runs.

mod cli;
mod folders;
mod hostile;
mod outcomes;
mod scripts;
mod serve;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use ampoule::{
    Grant, Isolate, Language, Outcome, Quota, Runtime, Script, SessionLimits, Workspace,
};
use ampoule_tests::{runtime_builder, test_tools};
use serde_json::Value;
use tempfile::TempDir;

/// A runtime, and a workspace in a folder of its own.
struct Place {
    runtime: Runtime,
    above: TempDir,
    quota: Quota,
}

impl Place {
    fn new() -> Self {
        Self::limited(Quota::default())
    }

    fn limited(quota: Quota) -> Self {
        let above = tempfile::tempdir().unwrap();
        let builder = runtime_builder().binding(test_tools());
        let sessions = above.path().join("sessions");
        let builder = builder.sessions(sessions, SessionLimits::default());
        let runtime = builder.build().unwrap();
        Self {
            runtime,
            above,
            quota,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.above.path().join("workspace").join(name)
    }

    fn workspace(&self) -> Arc<Workspace> {
        Workspace::workspace(&self.path(""), self.quota).unwrap()
    }

    fn on_disk(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    fn isolate(&self, language: Language, source: &str) -> Isolate {
        let isolate = self.runtime.isolate(Script::new(language, source));
        isolate.grant(Grant::all()).workspace(self.workspace())
    }

    async fn run(&self, language: Language, source: &str) -> Outcome {
        let run = self.isolate(language, source).run();
        run.await.expect("no host fault")
    }

    async fn value(&self, language: Language, source: &str) -> Value {
        value(&self.run(language, source).await, source)
    }

    async fn typescript(&self, source: &str) -> Value {
        self.value(Language::TypeScript, source).await
    }

    async fn python(&self, source: &str) -> Value {
        self.value(Language::Python, source).await
    }
}

fn value(outcome: &Outcome, source: &str) -> Value {
    match outcome.value() {
        Ok(value) => value,
        Err(error) => panic!("{error}\nscript: {source}\noutput: {}", outcome.output),
    }
}
