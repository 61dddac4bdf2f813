//! The files of a run, as its guest has them: those that it was given; or what a recorded run saw
//! of these. Beside them, each run has files of its [own](OwnFiles), in memory, which nobody
//! records: a run that is run again makes the same.

mod in_memory;

use std::cell::Cell;
use std::sync::Arc;

use ampoule_effort::Effort;
use ampoule_workspace::{Code, FileChange, FileError, Files, Listing, Status};

use crate::world::DivergenceError;

pub(crate) use in_memory::{NO_WORKSPACE, OwnFiles};

/// What a run was given of files. By default none: it has those that it makes in memory.
#[derive(Clone, Default)]
pub enum RunFiles {
    /// None.
    #[default]
    None,
    /// These, and who hears what the run learns of them.
    Given(Arc<Files>, Option<Arc<dyn FileObserver>>),
    /// What another run saw.
    Replayed(Arc<dyn FileReplay>),
}

impl RunFiles {
    /// Those that are there.
    pub fn there(&self) -> Option<&Arc<Files>> {
        match self {
            Self::Given(files, _) => Some(files),
            Self::None | Self::Replayed(_) => None,
        }
    }

    /// Whether its working folder is among them, and not in memory.
    pub(crate) fn have_workspace(&self) -> bool {
        match self {
            Self::None => false,
            Self::Given(files, _) => files.have_workspace(),
            Self::Replayed(told) => told.of_workspace(),
        }
    }

    /// Whether somebody listens to what the run asks of them.
    pub(crate) fn are_heard(&self) -> bool {
        match self {
            Self::None => false,
            Self::Given(_, heard) => heard.is_some(),
            Self::Replayed(_) => true,
        }
    }
}

/// Hears what a run learns of its files. It is called where that happens, in the order of it.
pub trait FileObserver: Send + Sync + 'static {
    /// The run has asked this, and got that answer.
    fn heard(&self, asked: FileRequest, told: FileResponse);

    /// The run came to its end, and what it wrote is about to be kept: these files are others then.
    fn changed(&self, changes: Vec<FileChange>);
}

/// Answers a run as another one was answered.
pub trait FileReplay: Send + Sync + 'static {
    /// What that was.
    ///
    /// # Errors
    ///
    /// [`DivergenceError`] ends the run: the other one did not ask this.
    fn told(&self, asked: &FileRequest) -> Result<FileResponse, DivergenceError>;

    /// Whether the other one had a workspace, and not only folders.
    fn of_workspace(&self) -> bool;
}

/// What a run asked of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRequest {
    /// The function of `ampoule:guest/files`; or `merge`, at the end of a run.
    pub what: &'static str,
    /// What it was given: paths and numbers; of bytes, the hash.
    pub of: String,
}

/// What a run saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileResponse {
    /// The answer.
    pub answer: Result<FileAnswer, FileError>,
    /// What finding it took beside its price, in units of fuel.
    pub spent: u64,
}

/// What was done, or found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAnswer {
    /// It was done.
    Done,
    /// A number: of an open file, or where the next byte goes.
    Number(u64),
    /// What is in a file.
    Bytes(Vec<u8>),
    /// What is known of something.
    Status(Status),
    /// What is in a folder.
    Listing(Listing),
}

/// What an answer has in it.
pub(crate) trait Answer: Sized + Send + 'static {
    fn into_answer(self) -> FileAnswer;
    fn of(answer: FileAnswer) -> Option<Self>;
}

impl Answer for () {
    fn into_answer(self) -> FileAnswer {
        FileAnswer::Done
    }

    fn of(answer: FileAnswer) -> Option<Self> {
        matches!(answer, FileAnswer::Done).then_some(())
    }
}

impl Answer for u32 {
    fn into_answer(self) -> FileAnswer {
        FileAnswer::Number(self.into())
    }

    fn of(answer: FileAnswer) -> Option<Self> {
        u64::of(answer)?.try_into().ok()
    }
}

impl Answer for u64 {
    fn into_answer(self) -> FileAnswer {
        FileAnswer::Number(self)
    }

    fn of(answer: FileAnswer) -> Option<Self> {
        match answer {
            FileAnswer::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl Answer for Vec<u8> {
    fn into_answer(self) -> FileAnswer {
        FileAnswer::Bytes(self)
    }

    fn of(answer: FileAnswer) -> Option<Self> {
        match answer {
            FileAnswer::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl Answer for Status {
    fn into_answer(self) -> FileAnswer {
        FileAnswer::Status(self)
    }

    fn of(answer: FileAnswer) -> Option<Self> {
        match answer {
            FileAnswer::Status(status) => Some(status),
            _ => None,
        }
    }
}

impl Answer for Listing {
    fn into_answer(self) -> FileAnswer {
        FileAnswer::Listing(self)
    }

    fn of(answer: FileAnswer) -> Option<Self> {
        match answer {
            FileAnswer::Listing(listing) => Some(listing),
            _ => None,
        }
    }
}

/// What something takes while it is done, as the run's effort and its recorder count it.
pub(crate) struct Spending<'e> {
    effort: &'e Effort,
    spent: Cell<u64>,
}

impl<'e> Spending<'e> {
    pub(crate) fn of(effort: &'e Effort) -> Self {
        Self {
            effort,
            spent: Cell::new(0),
        }
    }

    /// Whether the run can pay for so many units.
    pub(crate) fn pay(&self, units: u64) -> bool {
        self.spent.set(self.spent.get().saturating_add(units));
        self.effort.spend(units).is_ok()
    }

    /// An answer, with what it took.
    pub(crate) fn told<T: Answer + Clone>(&self, answer: &Result<T, FileError>) -> FileResponse {
        FileResponse {
            answer: answer.clone().map(Answer::into_answer),
            spent: self.spent.get(),
        }
    }
}

/// What another run saw, as this one is to see it.
pub(crate) fn again<T: Answer>(
    teller: &dyn FileReplay,
    asked: &FileRequest,
    effort: &Effort,
) -> Result<Result<T, FileError>, DivergenceError> {
    let FileResponse { answer, spent } = teller.told(asked)?;
    if effort.spend(spent).is_err() {
        let advice = String::new();
        return Ok(Err(FileError {
            code: Code::BrokenOff,
            advice,
        }));
    }
    let other = || DivergenceError(format!("the record has another answer to `{}`", asked.what));
    match answer {
        Ok(answer) => T::of(answer).map(Ok).ok_or_else(other),
        Err(problem) => Ok(Err(problem)),
    }
}
