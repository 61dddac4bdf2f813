//! What a run asked of its files, and the answer, as a record has it.

use ampoule_isolate::{FileAnswer, FileRequest, FileResponse};
use ampoule_workspace::{Code, Entry as FileEntry, FileError, Kind, Listing, Status};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::error::RecordError;

/// What a run asked of its files, and the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileLine {
    asked: String,
    of: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    spent: u64,
    told: RecordedAnswer,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// An answer, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RecordedAnswer {
    Done,
    Number(u64),
    /// Bytes that are text.
    Text(String),
    /// Others, in base64.
    Bytes(String),
    Status(RecordedStatus),
    Listing {
        entries: Vec<(String, EntryKind)>,
        more: bool,
    },
    FileError(String, String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RecordedStatus {
    kind: EntryKind,
    size: u64,
    modified: u64,
    id: u64,
    writable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EntryKind {
    File,
    Folder,
    Link,
    Other,
}

impl From<Kind> for EntryKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::File => Self::File,
            Kind::Folder => Self::Folder,
            Kind::Link => Self::Link,
            Kind::Other => Self::Other,
        }
    }
}

impl From<EntryKind> for Kind {
    fn from(sort: EntryKind) -> Self {
        match sort {
            EntryKind::File => Self::File,
            EntryKind::Folder => Self::Folder,
            EntryKind::Link => Self::Link,
            EntryKind::Other => Self::Other,
        }
    }
}

impl From<Result<FileAnswer, FileError>> for RecordedAnswer {
    fn from(answer: Result<FileAnswer, FileError>) -> Self {
        match answer {
            Ok(FileAnswer::Done) => Self::Done,
            Ok(FileAnswer::Number(number)) => Self::Number(number),
            Ok(FileAnswer::Bytes(bytes)) => match String::from_utf8(bytes) {
                Ok(text) => Self::Text(text),
                Err(bytes) => Self::Bytes(STANDARD.encode(bytes.as_bytes())),
            },
            Ok(FileAnswer::Status(status)) => Self::Status(RecordedStatus {
                kind: status.kind.into(),
                size: status.size,
                modified: status.modified,
                id: status.id,
                writable: status.writable,
            }),
            Ok(FileAnswer::Listing(Listing { entries, more })) => {
                let entries = entries.into_iter();
                let entries = entries.map(|entry| (entry.name, entry.kind.into()));
                Self::Listing {
                    entries: entries.collect(),
                    more,
                }
            }
            Err(problem) => Self::FileError(problem.code.name().to_owned(), problem.advice),
        }
    }
}

impl RecordedAnswer {
    /// The answer; none if the record is damaged.
    fn answer(&self) -> Option<Result<FileAnswer, FileError>> {
        Some(Ok(match self.clone() {
            Self::Done => FileAnswer::Done,
            Self::Number(number) => FileAnswer::Number(number),
            Self::Text(text) => FileAnswer::Bytes(text.into_bytes()),
            Self::Bytes(bytes) => FileAnswer::Bytes(STANDARD.decode(bytes).ok()?),
            Self::Status(known) => FileAnswer::Status(Status {
                kind: known.kind.into(),
                size: known.size,
                modified: known.modified,
                id: known.id,
                writable: known.writable,
            }),
            Self::Listing { entries, more } => {
                let named = |(name, sort): (String, EntryKind)| FileEntry {
                    name,
                    kind: sort.into(),
                };
                let entries = entries.into_iter().map(named).collect();
                FileAnswer::Listing(Listing { entries, more })
            }
            Self::FileError(code, advice) => {
                let code = Code::named(&code)?;
                return Some(Err(FileError { code, advice }));
            }
        }))
    }
}

impl FileLine {
    pub(crate) fn new(asked: FileRequest, told: FileResponse) -> Self {
        Self {
            asked: asked.what.to_owned(),
            of: asked.of,
            spent: told.spent,
            told: told.answer.into(),
        }
    }

    /// That the answer can be read.
    pub(crate) fn check(&self) -> Result<(), RecordError> {
        let damaged = || RecordError::damaged("an answer about a file can't be read");
        self.told.answer().map(drop).ok_or_else(damaged)
    }

    /// What the run was answered; none if the record is damaged.
    pub(crate) fn response(&self) -> Option<FileResponse> {
        let (answer, spent) = (self.told.answer()?, self.spent);
        Some(FileResponse { answer, spent })
    }

    /// Whether it is about this.
    pub(crate) fn is(&self, asked: &FileRequest) -> bool {
        self.asked == asked.what && self.of == asked.of
    }

    /// As a person reads it.
    pub(crate) fn shown(asked: &str, of: &str) -> String {
        format!("{asked} {of}").trim_end().to_owned()
    }
}
