//! What a run learned of its files: heard while it is recorded, and answered again.

use std::sync::Arc;

use ampoule_isolate::{
    DivergenceError, FileAnswer, FileObserver, FileReplay, FileRequest, FileResponse,
};
use ampoule_workspace::FileChange;
use parking_lot::Mutex;

use crate::difference::{Difference, Findings};
use crate::entry::Entry;
use crate::file_line::FileLine;
use crate::record::Record;
use crate::recorder::Shared;

/// Writes down what a run learns of its files.
pub(crate) struct FileRecorder(pub(crate) Arc<Shared>);

impl FileObserver for FileRecorder {
    fn heard(&self, asked: FileRequest, mut told: FileResponse) {
        if let Ok(FileAnswer::Bytes(bytes)) = &mut told.answer
            && str::from_utf8(bytes).is_err()
        {
            // In base64, no secret would be found.
            self.0.writer.blot_out_of(bytes);
        }
        let line = FileLine::new(asked, told);
        self.0.writer.write(&Entry::File(Box::new(line)));
    }

    fn changed(&self, mut changes: Vec<FileChange>) {
        let texts = changes
            .iter()
            .flat_map(|change| [&change.before, &change.after]);
        let bytes: usize = texts.flatten().map(String::len).sum();
        // What a person would like to see must not cost the record.
        if !self.0.writer.has_room(bytes as u64) {
            for change in &mut changes {
                (change.before, change.after) = (None, None);
            }
        }
        self.0.writer.write(&Entry::Changed(changes));
    }
}

/// Answers a run as the recorded one was answered: line by line, or, if it is another script, the
/// first answer to the same question that was not given yet.
pub(crate) struct FileAnswers {
    pub(crate) record: Arc<Record>,
    pub(crate) found: Arc<Findings>,
    pub(crate) is_edited: bool,
    /// How far the lines were used; of another script, which were.
    pub(crate) given: Mutex<Progress>,
}

/// What was used already.
#[derive(Default)]
pub(crate) struct Progress {
    next: usize,
    lines: Vec<bool>,
}

impl FileAnswers {
    /// The place of the line that answers.
    fn place(&self, asked: &FileRequest) -> Option<usize> {
        let lines = &self.record.files;
        let mut given = self.given.lock();
        if !self.is_edited {
            let place = given.next;
            given.next += 1;
            return lines
                .get(place)
                .filter(|line| line.is(asked))
                .map(|_| place);
        }
        given.lines.resize(lines.len(), false);
        let from = given.next;
        let is_left = |place: &usize| !given.lines[*place] && lines[*place].is(asked);
        let place = (from..lines.len()).find(is_left)?;
        given.lines[place] = true;
        while given.lines.get(given.next) == Some(&true) {
            given.next += 1;
        }
        Some(place)
    }
}

impl FileReplay for FileAnswers {
    fn of_workspace(&self) -> bool {
        !self.record.program.folders_alone
    }

    fn told(&self, asked: &FileRequest) -> Result<FileResponse, DivergenceError> {
        let line = self.place(asked).map(|place| &self.record.files[place]);
        let told = line.and_then(FileLine::response);
        told.ok_or_else(|| {
            let asked = FileLine::shown(asked.what, &asked.of);
            let what = format!("the run uses its files as the recorded run did not: {asked}");
            self.found
                .difference(Difference::World { what: what.clone() });
            DivergenceError(what)
        })
    }
}
