//! Why something was not done to a file.

use std::io;

/// What is wrong, as the C library has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The file or folder does not exist.
    NoEntry,
    /// There is one already.
    Exists,
    /// It is a file.
    NotFolder,
    /// It is a folder.
    IsFolder,
    /// There is something in the folder.
    NotEmpty,
    /// The path leads out, or to what is not a file.
    Access,
    /// It can only be read.
    ReadOnly,
    /// The path, or a number, can't be meant.
    Invalid,
    /// The path, or a part of it, is too long.
    NameTooLong,
    /// The quota is used up.
    Full,
    /// No such file is open.
    BadHandle,
    /// Too many files are open.
    TooManyOpen,
    /// A link, none of which is followed.
    Link,
    /// From one root to another.
    CrossDevice,
    /// Not supported here.
    Unsupported,
    /// The system says that something is wrong.
    Io,
    /// The run is over, or has no fuel left. No guest ever sees it.
    BrokenOff,
}

impl Code {
    /// Each with its name in `wit/files.wit`.
    const NAMES: [(Self, &str); 17] = [
        (Self::NoEntry, "no-entry"),
        (Self::Exists, "exists"),
        (Self::NotFolder, "not-folder"),
        (Self::IsFolder, "is-folder"),
        (Self::NotEmpty, "not-empty"),
        (Self::Access, "access"),
        (Self::ReadOnly, "read-only"),
        (Self::Invalid, "invalid"),
        (Self::NameTooLong, "name-too-long"),
        (Self::Full, "full"),
        (Self::BadHandle, "bad-handle"),
        (Self::TooManyOpen, "too-many-open"),
        (Self::Link, "link"),
        (Self::CrossDevice, "cross-device"),
        (Self::Unsupported, "unsupported"),
        (Self::Io, "io"),
        (Self::BrokenOff, "broken-off"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(code, _)| *code == self)
            .map_or("io", |(_, name)| name)
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.iter();
        names.find(|(_, of)| *of == name).map(|(code, _)| *code)
    }
}

/// Why something was not done, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct FileError {
    /// What it is.
    pub code: Code,
    /// What the code does not say; empty where it says all.
    pub advice: String,
}

impl FileError {
    pub(crate) fn new(code: Code, advice: impl Into<String>) -> Self {
        let advice = advice.into();
        Self { code, advice }
    }

    /// The advice, which says all; the code in words, where there is none.
    pub fn advice_or_text(&self) -> String {
        if self.advice.is_empty() {
            self.code.text().to_owned()
        } else {
            self.advice.clone()
        }
    }

    fn text(&self) -> String {
        match (self.code.text(), self.advice.as_str()) {
            (text, "") => text.to_owned(),
            (text, advice) => format!("{text}: {advice}"),
        }
    }
}

impl Code {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::NoEntry => "no such file or folder",
            Self::Exists => "it exists already",
            Self::NotFolder => "not a folder",
            Self::IsFolder => "it is a folder",
            Self::NotEmpty => "the folder is not empty",
            Self::Access => "not permitted",
            Self::ReadOnly => "it can only be read",
            Self::Invalid => "not possible",
            Self::NameTooLong => "the name is too long",
            Self::Full => "no room is left",
            Self::BadHandle => "no such file is open",
            Self::TooManyOpen => "too many files are open",
            Self::Link => "links are not followed",
            Self::CrossDevice => "not from one folder to another",
            Self::Unsupported => "not supported here",
            Self::Io => "the files can't be used",
            Self::BrokenOff => "interrupted",
        }
    }
}

impl From<Code> for FileError {
    fn from(code: Code) -> Self {
        Self::new(code, "")
    }
}

/// What the system says of files within a root. Paths of the host are not in it.
impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind as Kind;
        let code = match error.kind() {
            Kind::NotFound => Code::NoEntry,
            Kind::AlreadyExists => Code::Exists,
            Kind::NotADirectory => Code::NotFolder,
            Kind::IsADirectory => Code::IsFolder,
            Kind::DirectoryNotEmpty => Code::NotEmpty,
            Kind::PermissionDenied => Code::Access,
            Kind::ReadOnlyFilesystem => Code::ReadOnly,
            Kind::InvalidFilename => Code::NameTooLong,
            Kind::InvalidInput => Code::Invalid,
            Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
                return Self::new(Code::Full, "the disk of the host is full");
            }
            _ => {
                tracing::warn!(%error, "a workspace's files can't be used");
                Code::Io
            }
        };
        code.into()
    }
}
