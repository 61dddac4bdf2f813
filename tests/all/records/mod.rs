//! Records: runs that are run again, without anything but a file.

mod cli;
mod components;
mod direct;
mod edited;
mod files;
mod hostile;
mod kept;
mod same;
mod serve;

use std::fs::File;
use std::path::{Path, PathBuf};

use ampoule::{
    Grant, Isolate, Keep, Language, Outcome, Record, RecordLimits, RecordOptions, ReplayReport,
    Runtime, Script, SessionLimits,
};
use ampoule_tests::{runtime_builder, test_tools};
use tempfile::TempDir;

/// A runtime whose runs leave records in a folder of their own.
struct Recorded {
    runtime: Runtime,
    folder: TempDir,
}

impl Recorded {
    fn new() -> Self {
        Self::with(options(Keep::All))
    }

    fn with(options: RecordOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let builder = runtime_builder().binding(test_tools());
        let runtime = builder
            .sessions(folder.path().join("sessions"), SessionLimits::default())
            .records(folder.path().join("records"), options)
            .build()
            .unwrap();
        Self { runtime, folder }
    }

    fn isolate(&self, language: Language, source: &str) -> Isolate {
        let isolate = self.runtime.isolate(Script::new(language, source));
        isolate.grant(Grant::all())
    }

    async fn run(&self, language: Language, source: &str) -> Outcome {
        let run = self.isolate(language, source).run();
        run.await.expect("no host fault")
    }

    /// The record of a run.
    fn record(&self, outcome: &Outcome) -> Record {
        let run = outcome.record.expect("it left a record").to_string();
        self.runtime.records(None).unwrap().record(&run).unwrap()
    }

    /// The file with it.
    fn file(&self, outcome: &Outcome) -> PathBuf {
        let run = outcome.record.expect("it left a record");
        self.folder
            .path()
            .join(format!("records/local/{run}.record"))
    }
}

fn options(keep: Keep) -> RecordOptions {
    let mut options = RecordOptions::default();
    options.keep = keep;
    options
}

/// A runtime of another machine: it has no servers, no sessions and no records.
fn elsewhere() -> Runtime {
    runtime_builder().build().unwrap()
}

fn read(file: &Path) -> Record {
    Record::read(File::open(file).unwrap(), RecordLimits::default().each).unwrap()
}

/// Runs a record again elsewhere, to the same bytes.
async fn same(record: Record) -> ReplayReport {
    let replayed = elsewhere().replay(record).run().await.unwrap();
    if let Some(difference) = &replayed.difference {
        panic!("{difference}\n{}", replayed.outcome.ending);
    }
    assert_eq!(replayed.notes, [""; 0]);
    replayed
}
