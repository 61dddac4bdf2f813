//! The files of parked runs, by their names.

use std::collections::BTreeMap;
use std::io;

use crate::parked::shelf::Shelf;

/// How the files of runs end, and those of notes, and of whose they are.
const RUN: &str = "run";
const NOTES: &str = "notes";
const OWNER: &str = "owner";
/// How the empty files end that are there as long as runs are kept which have files of their own.
pub(crate) const MARK: &str = "mark";
/// How the file ends that says how a run ended, while that is not decided.
const PROMISED: &str = "promised";

pub(crate) fn file_of(run: &str, number: u64) -> String {
    format!("{run}.{number}.{RUN}")
}

pub(crate) fn notes_of(run: &str, number: u64) -> String {
    format!("{run}.{number}.{NOTES}")
}

pub(crate) fn promise_of(run: &str, number: u64) -> String {
    format!("{run}.{number}.{PROMISED}")
}

pub(crate) fn mark_of(run: &str) -> String {
    format!("{run}.{MARK}")
}

pub(crate) fn owner_of(run: &str) -> String {
    format!("{run}.{OWNER}")
}

/// The numbers by which runs are kept, by the runs.
pub(crate) struct Files {
    pub(crate) kept: BTreeMap<String, Vec<u64>>,
    promised: BTreeMap<String, u64>,
}

impl Files {
    /// Those in a folder, or those of one run.
    pub(crate) fn of(shelf: &Shelf, only: Option<&str>) -> io::Result<Self> {
        let mut files: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut promised = BTreeMap::new();
        for name in shelf.folder.names()? {
            let mut parts = name.split('.');
            let (run, number, kind) = (parts.next(), parts.next(), parts.next());
            let (Some(run), Some(number), Some(kind)) = (run, number, kind) else {
                continue;
            };
            let Ok(number) = number.parse() else { continue };
            if run.is_empty() || only.is_some_and(|only| only != run) {
                continue;
            }
            match kind {
                RUN | NOTES => files.entry(run.to_owned()).or_default().push(number),
                PROMISED => drop(promised.insert(run.to_owned(), number)),
                _ => {}
            }
        }
        for numbers in files.values_mut() {
            numbers.sort_unstable();
            numbers.dedup();
        }
        Ok(Self {
            kept: files,
            promised,
        })
    }

    /// The number by which a run would be kept if a promise is.
    pub(crate) fn promised(&self, run: &str) -> Option<u64> {
        self.promised.get(run).copied()
    }

    /// Those of a run, the newest last.
    pub(crate) fn numbers(&self, run: &str) -> Vec<u64> {
        self.kept.get(run).cloned().unwrap_or_default()
    }
}
