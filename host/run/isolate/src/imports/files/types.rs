//! The types of `ampoule:guest/files`, and what they are made of.

use ampoule_workspace::{self as workspace, Code as FileCode, FileError};
use wasmtime::component::{ComponentType, Lower, flags};

/// `ampoule:guest/files.code`
#[derive(ComponentType, Lower, Clone, Copy)]
#[component(enum)]
#[repr(u8)]
pub(super) enum Code {
    #[component(name = "no-entry")]
    NoEntry,
    #[component(name = "exists")]
    Exists,
    #[component(name = "not-folder")]
    NotFolder,
    #[component(name = "is-folder")]
    IsFolder,
    #[component(name = "not-empty")]
    NotEmpty,
    #[component(name = "access")]
    Access,
    #[component(name = "read-only")]
    ReadOnly,
    #[component(name = "invalid")]
    Invalid,
    #[component(name = "name-too-long")]
    NameTooLong,
    #[component(name = "full")]
    Full,
    #[component(name = "bad-handle")]
    BadHandle,
    #[component(name = "too-many-open")]
    TooManyOpen,
    #[component(name = "link")]
    Link,
    #[component(name = "cross-device")]
    CrossDevice,
    #[component(name = "unsupported")]
    Unsupported,
    #[component(name = "io")]
    Io,
}

/// `ampoule:guest/files.problem`
#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Problem {
    pub(super) code: Code,
    pub(super) advice: String,
}

/// `ampoule:guest/files.kind`
#[derive(ComponentType, Lower, Clone, Copy)]
#[component(enum)]
#[repr(u8)]
pub(super) enum Kind {
    #[component(name = "file")]
    File,
    #[component(name = "folder")]
    Folder,
    #[component(name = "link")]
    Link,
    #[component(name = "other")]
    Other,
}

/// `ampoule:guest/files.status`
#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Status {
    pub(super) kind: Kind,
    pub(super) size: u64,
    pub(super) modified: u64,
    pub(super) id: u64,
    pub(super) writable: bool,
}

// `ampoule:guest/files.how`
flags! {
    Ways {
        #[component(name = "read")]
        const READ;
        #[component(name = "write")]
        const WRITE;
        #[component(name = "append")]
        const APPEND;
        #[component(name = "create")]
        const CREATE;
        #[component(name = "exclusive")]
        const EXCLUSIVE;
        #[component(name = "truncate")]
        const TRUNCATE;
    }
}

/// `ampoule:guest/files.entry`
#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// `ampoule:guest/files.listing`
#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Listing {
    pub(super) entries: Vec<Entry>,
    pub(super) more: bool,
}

impl From<FileError> for Problem {
    fn from(refused: FileError) -> Self {
        let code = match refused.code {
            FileCode::NoEntry => Code::NoEntry,
            FileCode::Exists => Code::Exists,
            FileCode::NotFolder => Code::NotFolder,
            FileCode::IsFolder => Code::IsFolder,
            FileCode::NotEmpty => Code::NotEmpty,
            FileCode::Access => Code::Access,
            FileCode::ReadOnly => Code::ReadOnly,
            FileCode::Invalid => Code::Invalid,
            FileCode::NameTooLong => Code::NameTooLong,
            FileCode::Full => Code::Full,
            FileCode::BadHandle => Code::BadHandle,
            FileCode::TooManyOpen => Code::TooManyOpen,
            FileCode::Link => Code::Link,
            FileCode::CrossDevice => Code::CrossDevice,
            FileCode::Unsupported => Code::Unsupported,
            FileCode::Io | FileCode::BrokenOff => Code::Io,
        };
        let advice = refused.advice;
        Self { code, advice }
    }
}

impl From<workspace::Kind> for Kind {
    fn from(kind: workspace::Kind) -> Self {
        match kind {
            workspace::Kind::File => Self::File,
            workspace::Kind::Folder => Self::Folder,
            workspace::Kind::Link => Self::Link,
            workspace::Kind::Other => Self::Other,
        }
    }
}

impl From<workspace::Status> for Status {
    fn from(status: workspace::Status) -> Self {
        Self {
            kind: status.kind.into(),
            size: status.size,
            modified: status.modified,
            id: status.id,
            writable: status.writable,
        }
    }
}

impl From<workspace::Listing> for Listing {
    fn from(listing: workspace::Listing) -> Self {
        let entry = |entry: workspace::Entry| Entry {
            name: entry.name,
            kind: entry.kind.into(),
        };
        Self {
            entries: listing.entries.into_iter().map(entry).collect(),
            more: listing.more,
        }
    }
}
