//! What came out of checking a log.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::keys::PublicKey;

/// How many findings are listed; of more, how many there are.
const MOST: usize = 1000;

/// What came out of checking a log.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The findings, in order.
    pub findings: Vec<Finding>,
    /// How many more findings there are.
    pub more: u64,
    /// How many findings say that the log is not what was written.
    pub broken: u64,
    /// How many chains there are.
    pub chains: u64,
    /// How many files.
    pub files: u64,
    /// How many events.
    pub events: u64,
    /// How many signatures, all of them good unless a finding says otherwise.
    pub checkpoints: u64,
    /// How many events come after the last signature of their chain.
    pub unsigned: u64,
    /// How often the list of files was written. It only grows: noted elsewhere, it shows later that
    /// the whole log was not put back to what it was before.
    pub number: u64,
    /// What the signatures were checked with.
    pub key: Option<PublicKey>,
    worst: Option<Level>,
}

/// A finding about a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// The file, in the log's folder.
    pub file: String,
    /// The line in it, counted from 1; 0 is the file itself.
    pub line: u64,
    /// What is wrong.
    pub what: Fault,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Worth knowing.
    Note,
    /// A process was killed there, or what it wrote last was cut off: nobody can tell.
    Doubtful,
    /// The log is not what was written.
    Broken,
}

/// A finding about a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The line, or the one before it, is not what was written.
    Changed,
    /// Events are missing before it.
    Missing(u64),
    /// It has its place elsewhere, or is there twice.
    OutOfOrder {
        /// Its number.
        seq: u64,
        /// The number that belongs here.
        expected: u64,
    },
    /// It is not a line of a log.
    NoLine,
    /// Its signature is not the log's.
    BadSignature,
    /// The file is of another chain, or has another's name.
    Misplaced,
    /// Files are missing before this one, or after it.
    FilesMissing(u32),
    /// The end of the chain is missing: this event is on the list of files.
    EndMissing(u64),
    /// The event is another one than the list of files says.
    OtherThanListed,
    /// The chain is not on the list of files.
    Foreign,
    /// The list of files can't be used.
    NoList(String),
    /// The list of files was missing or damaged then, and was made anew.
    ListAnew(String),
    /// The list of files is older than the log: the number that the log names.
    ListOld(u64),
    /// It can't be read.
    Unreadable(String),
    /// The file ends without a signature, so many events after the last one.
    Cut(u64),
    /// The file ends with a part of a line, of so many bytes.
    HalfLine(u64),
    /// Events could not be written.
    Gap {
        /// How many happened.
        lost: u64,
        /// How many did not.
        refused: u64,
    },
    /// The clock went back.
    ClockBack(Duration),
    /// It is being written.
    InUse,
    /// It is of a later version; its chain has been checked, its content has not been read.
    Later(u64),
    /// The file was to be removed as it was old, and is there: nothing vouches for it, and nobody
    /// reads it.
    Leftover,
    /// The chain is listed, and nothing of it is there: a process was killed as it began, or what it
    /// wrote in its first minute was removed.
    NeverBegun,
    /// It is not a file of a log.
    Strange,
}

impl Fault {
    fn level(&self) -> Level {
        match self {
            Self::Cut(_) | Self::HalfLine(_) | Self::Leftover | Self::NeverBegun => Level::Doubtful,
            Self::Gap { .. }
            | Self::ClockBack(_)
            | Self::InUse
            | Self::Later(_)
            | Self::Strange => Level::Note,
            _ => Level::Broken,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str(
                "this line was changed, or the one before it was replaced",
            ),
            Self::Missing(count) => write!(f, "{count} events are missing before this one"),
            Self::OutOfOrder { seq, expected } => {
                write!(f, "event {seq} stands where event {expected} belongs")
            }
            Self::NoLine => f.write_str("this is not a line of an audit log"),
            Self::BadSignature => f.write_str(
                "the signature is not valid: something before it was changed, or somebody else signed it",
            ),
            Self::Misplaced => f.write_str("the file is not the one that its name says"),
            Self::FilesMissing(count) => write!(f, "{count} files are missing here"),
            Self::EndMissing(seq) => {
                write!(f, "the chain's end is missing: it had reached event {seq}")
            }
            Self::OtherThanListed => f.write_str("this event is not the one that the list of files has"),
            Self::Foreign => f.write_str("this chain is not on the list of files"),
            Self::NoList(why) => write!(f, "the list of files can't be used: {why}"),
            Self::ListAnew(when) => write!(
                f,
                "the list of files was missing or damaged, and was rebuilt at {when}: what was removed before is unknown"
            ),
            Self::ListOld(number) => write!(
                f,
                "the list of files is older than the log, which names the list's number {number}"
            ),
            Self::Unreadable(why) => write!(f, "it can't be read: {why}"),
            Self::Cut(unsigned) => write!(
                f,
                "cut or killed here: the file ends without a signature, {unsigned} events after the last one; whether there were more is unknown"
            ),
            Self::HalfLine(bytes) => {
                write!(f, "the file ends with half a line, of {bytes} bytes")
            }
            Self::Gap { lost, refused } => write!(
                f,
                "the log could not be written: {lost} events happened and are not here, {refused} were refused"
            ),
            Self::ClockBack(by) => {
                write!(f, "the clock went back by {}", humantime::format_duration(*by))
            }
            Self::InUse => f.write_str("a process is writing here"),
            Self::Later(version) => write!(f, "version {version} of the format, which is only checked"),
            Self::Leftover => f.write_str(
                "the file was to be removed, as it was old: nothing vouches for it, and it is not read",
            ),
            Self::NeverBegun => f.write_str(
                "nothing of this chain is there: a process was killed as it began, or what it wrote first was removed",
            ),
            Self::Strange => f.write_str("this is not a file of an audit log"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Note => "note",
            Level::Doubtful => "doubtful",
            Level::Broken => "broken",
        };
        let file = ampoule_untrusted::text::one_line(&self.file);
        match self.line {
            0 => write!(f, "{file}: {level}: ")?,
            line => write!(f, "{file}:{line}: {level}: ")?,
        }
        f.write_str(&ampoule_untrusted::text::one_line(&self.what.to_string()))
    }
}

impl Report {
    pub(crate) fn new() -> Self {
        Self {
            findings: Vec::new(),
            more: 0,
            broken: 0,
            chains: 0,
            files: 0,
            events: 0,
            checkpoints: 0,
            unsigned: 0,
            number: 0,
            key: None,
            worst: None,
        }
    }

    pub(crate) fn found(&mut self, file: &str, line: u64, what: Fault) {
        let level = what.level();
        self.broken += u64::from(level == Level::Broken);
        self.worst = self.worst.max(Some(level));
        // What is bad has room, however much else there is.
        let room = match level {
            Level::Note => MOST / 2,
            Level::Doubtful => MOST / 4 * 3,
            Level::Broken => MOST,
        };
        if self.findings.len() >= room {
            self.more += 1;
            return;
        }
        self.findings.push(Finding {
            level,
            file: file.to_owned(),
            line,
            what,
        });
    }

    /// Whether everything is as it was written. What is [`Level::Doubtful`] may be all the same.
    pub fn is_whole(&self) -> bool {
        self.broken == 0
    }

    /// The worst that was found.
    pub fn worst(&self) -> Option<Level> {
        self.worst
    }
}
