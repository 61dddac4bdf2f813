//! All questions of a folder, with their answers.
//!
//! A question is a file that is written anew while calls are added to it; its answer is another,
//! which nobody writes twice; and each use of it is one more, made before the call leaves. All of
//! them appear whole or not at all, in an order in which a process that dies in between leaves
//! less allowed, and never more.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::key;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use crate::answer::{AnswerRecord, Answerer, CallVerdict, PersonAnswer};
use crate::approval::{Approval, ApprovalError, Reach};
use crate::digest::Digest;
use crate::error::QuestionError;
use crate::file::{self, FileError};
use crate::id::QuestionId;
use crate::keys::Keys;
use crate::limits::ApprovalLimits;
use crate::names::{Name, Part};
use crate::persistence::Asker;
use crate::question::{Question, QuestionView};
use crate::standing::Standing;
use crate::time;

/// The questions of a folder that nobody but this user can read. Clones are the same.
#[derive(Debug, Clone)]
pub struct Store(pub(crate) Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) folder: PrivateFolder,
    pub(crate) keys: Keys,
    pub(crate) limits: ApprovalLimits,
    /// Somebody of this process answered, or took a question back.
    pub(crate) changed: watch::Sender<()>,
    /// What answers allow beyond the calls that were asked about, as far as they have been read.
    pub(crate) standings: Mutex<HashMap<QuestionId, Option<Arc<Standing>>>>,
    /// Whose questions are open, as far as they have been read.
    pub(crate) askers: Mutex<HashMap<QuestionId, Asker>>,
    /// How many seconds the clock is wrong.
    #[cfg(test)]
    pub(crate) skew: std::sync::atomic::AtomicI64,
}

/// What has become of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It waits for an answer.
    Open,
    /// Somebody answered.
    Answered(AnswerRecord),
    /// Nobody answered in time.
    Expired,
}

/// A question, as lists have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionEntry {
    /// The question.
    pub question: Question,
    /// What has become of it.
    pub state: State,
}

impl QuestionEntry {
    /// What a person who looks at the question now has seen of it. An answer names it.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Changed`]: nothing is asked.
    pub fn seen(&self, store: &Store) -> Result<QuestionView, QuestionError> {
        self.question
            .seen_with(self.question.calls.len(), &store.0.keys)
    }
}

impl Store {
    /// Opens a folder, and makes it if need be.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`]: it can't be used, or others can.
    pub fn open(path: &Path, limits: ApprovalLimits) -> Result<Self, QuestionError> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        let keys = Keys::of(&key::of(&folder)?);
        Ok(Self(Arc::new(Shared {
            folder,
            keys,
            limits,
            changed: watch::Sender::new(()),
            standings: Mutex::default(),
            askers: Mutex::default(),
            #[cfg(test)]
            skew: std::sync::atomic::AtomicI64::new(0),
        })))
    }

    /// What questions may take.
    pub fn limits(&self) -> &ApprovalLimits {
        &self.0.limits
    }

    /// All questions that are kept, the oldest first; and what is wrong with those that can't be
    /// read.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`].
    pub fn list(&self) -> Result<Vec<Result<QuestionEntry, QuestionError>>, QuestionError> {
        let names = self.names()?;
        let questions = names.iter().filter(|name| name.part == Part::Question);
        let mut listed: Vec<_> = questions
            .filter_map(|name| match self.listed(name) {
                // It went meanwhile.
                Err(QuestionError::Missing(_)) => None,
                found => Some(found),
            })
            .collect();
        let asked = |found: &Result<QuestionEntry, QuestionError>| {
            let found = found.as_ref().ok();
            found.map(|found| (found.question.asked_at, found.question.id))
        };
        listed.sort_by_key(asked);
        Ok(listed)
    }

    /// The question of this id.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Missing`], [`QuestionError::Damaged`], [`QuestionError::Folder`].
    pub fn get(&self, id: QuestionId) -> Result<QuestionEntry, QuestionError> {
        self.listed(&self.name_of(id)?)
    }

    /// The question whose id begins like this; at least four digits.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Missing`], [`QuestionError::Ambiguous`], [`QuestionError::Damaged`],
    /// [`QuestionError::Folder`].
    pub fn find(&self, beginning: &str) -> Result<QuestionEntry, QuestionError> {
        let shown = crate::arguments::bounded(beginning, 64);
        if beginning.len() < 4 {
            return Err(QuestionError::Missing(shown));
        }
        let names = self.names()?;
        let mut fits = names.iter().filter(|name| {
            name.part == Part::Question && name.id.to_string().starts_with(beginning)
        });
        match (fits.next(), fits.next()) {
            (Some(name), None) => self.listed(name),
            (Some(_), Some(_)) => Err(QuestionError::Ambiguous(shown)),
            (None, _) => Err(QuestionError::Missing(shown)),
        }
    }

    pub(crate) fn listed(&self, name: &Name) -> Result<QuestionEntry, QuestionError> {
        let question = self.question(name)?;
        let state = match self.given(name)? {
            Some(given) => State::Answered(given),
            None if !self.is_open(&question) => State::Expired,
            None => State::Open,
        };
        Ok(QuestionEntry { question, state })
    }

    /// Answers a question: the first answer counts.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Answered`] and [`QuestionError::Expired`]; [`QuestionError::Changed`] if
    /// something else is asked than they saw; [`QuestionError::NotOffered`]; as for [`get`](Self::get).
    pub fn answer(
        &self,
        id: QuestionId,
        given: PersonAnswer,
        by: Answerer,
    ) -> Result<AnswerRecord, QuestionError> {
        let name = self.name_of(id)?;
        let answers = name.with(Part::Answer).to_string();
        // One at a time; what the one before wrote is seen by the next.
        let draft = self.0.folder.draft(&answers, || ())?;
        if self.given(&name)?.is_some() {
            return Err(QuestionError::Answered(id.to_string()));
        }
        let question = self.question(&name)?;
        if !self.is_open(&question) {
            return Err(QuestionError::Expired(id.to_string()));
        }
        if question.seen_with(given.seen.calls, &self.0.keys)?.digest != given.seen.digest {
            return Err(QuestionError::Changed);
        }
        let given = AnswerRecord::new(&question, given, by, self.now(), &self.0.limits)?;
        let content = file::written(&self.0.keys.files, &answers, &given)?;
        draft.keep(&answers, &content)?;
        self.0.folder.sync()?;
        self.0.changed.send_replace(());
        Ok(given)
    }

    /// Takes a question back that nobody has answered.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Missing`], [`QuestionError::Folder`].
    pub fn withdraw(&self, id: QuestionId) -> Result<(), QuestionError> {
        let name = self.name_of(id)?;
        if self.given(&name)?.is_none() {
            self.0.folder.clear(&name.to_string())?;
            self.0.changed.send_replace(());
        }
        Ok(())
    }

    /// Permission for a call, by the answer to a question about it. That the answer is used is on
    /// the disk before this returns: a second use of it fails, also after the host was killed.
    pub(crate) fn take(
        &self,
        name: &Name,
        number: u32,
        digest: &Digest,
    ) -> Result<Approval, ApprovalError> {
        let fault = |problem: QuestionError| ApprovalError::fault(&problem);
        // What is in memory is not asked: these are the files, and their signatures.
        let question = match self.question(name) {
            Err(QuestionError::Missing(_)) => return Err(ApprovalError::Withdrawn),
            question => question.map_err(fault)?,
        };
        let given = self.given(name).map_err(fault)?;
        let given = given.ok_or(ApprovalError::Expired)?;
        // What was shown is what is asked, or nothing was allowed.
        let seen = question.seen_with(given.seen.calls, &self.0.keys);
        if !seen.is_ok_and(|seen| seen.digest == given.seen.digest) {
            return Err(fault(QuestionError::Changed));
        }
        let mut calls = question.calls.iter().enumerate();
        let call = calls.find(|(_, call)| call.number == number && call.digest == *digest);
        let said = call.map_or(CallVerdict::Nothing, |(place, call)| {
            given.says_of(place, call)
        });
        match said {
            CallVerdict::Nothing => return Err(ApprovalError::Expired),
            CallVerdict::Denied(reason) => {
                return Err(ApprovalError::Denied {
                    reason: reason.to_owned(),
                    by: given.by.clone(),
                });
            }
            CallVerdict::Allowed
                if !given.is_good(self.now(), given.good_until(&self.0.limits)) =>
            {
                return Err(ApprovalError::Expired);
            }
            CallVerdict::Allowed => {}
        }
        if !self.once(&name.with(Part::Used(number))).map_err(fault)? {
            return Err(ApprovalError::Used);
        }
        Ok(Approval {
            question: name.id,
            by: given.by,
            reach: Reach::Once,
        })
    }

    /// Writes down that something happened: whether it is the first time.
    pub(crate) fn once(&self, name: &Name) -> Result<bool, QuestionError> {
        self.once_named(&name.to_string())
    }

    pub(crate) fn once_named(&self, name: &str) -> Result<bool, QuestionError> {
        match self.0.folder.create(name) {
            Ok(file) => {
                file.sync_all()?;
                self.0.folder.sync()?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> Result<Vec<Name>, QuestionError> {
        let names = self.0.folder.names()?;
        Ok(names.iter().filter_map(|name| Name::parse(name)).collect())
    }

    pub(crate) fn name_of(&self, id: QuestionId) -> Result<Name, QuestionError> {
        let mut names = self.names()?.into_iter();
        let found = names.find(|name| name.id == id && name.part == Part::Question);
        found.ok_or_else(|| QuestionError::Missing(id.to_string()))
    }

    /// The question that has this name.
    pub(crate) fn question(&self, name: &Name) -> Result<Question, QuestionError> {
        let question: Option<Question> = self.read(&name.with(Part::Question))?;
        question.ok_or_else(|| QuestionError::Missing(name.id.to_string()))
    }

    /// The answer to the question that has this name. What is not an answer of this store's is
    /// none.
    pub(crate) fn given(&self, name: &Name) -> Result<Option<AnswerRecord>, QuestionError> {
        match self.read(&name.with(Part::Answer)) {
            Err(QuestionError::Damaged { question, what }) => {
                tracing::warn!(question, what, "an answer does not count");
                Ok(None)
            }
            given => given,
        }
    }

    fn read<T: DeserializeOwned>(&self, name: &Name) -> Result<Option<T>, QuestionError> {
        match file::read(&self.0.folder, &self.0.keys.files, &name.to_string()) {
            Ok(found) => Ok(Some(found)),
            Err(FileError::Missing) => Ok(None),
            Err(FileError::Folder(error)) => Err(error.into()),
            Err(FileError::Damaged(what)) => Err(QuestionError::Damaged {
                question: name.id.to_string(),
                what,
            }),
        }
    }

    pub(crate) fn is_open(&self, question: &Question) -> bool {
        self.now() < question.expires_at
    }

    /// Now, in seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        #[cfg(test)]
        {
            let skew = self.0.skew.load(std::sync::atomic::Ordering::Relaxed);
            time::now().saturating_add_signed(skew)
        }
        #[cfg(not(test))]
        time::now()
    }
}
